"""How what strangers wrote is shown: nothing in it invisible, nothing that moves what stands beside it."""

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from attestations.core import handles
from attestations.queries.names import DELETED, UNNAMED
from attestations.queries.people import address_of

register = template.Library()


@register.filter
def shown_safely(text: object) -> str:
    """Invisible and reordering characters as [U+202E]. The result is plain text, which autoescaping escapes."""
    return handles.shown_safely(str(text)) + ""  # plain also where the text was marked as safe: it is a stranger's


@register.filter
def json_shown_safely(text: str) -> str:
    """The same of a JSON document, as its own escapes: what is copied from the page is the document still."""
    return handles.json_shown_safely(text)


@register.simple_tag
def person(name: str) -> SafeString:
    """A public name, as a link to what it attested. In <bdi>: its letters may run from right to left."""
    if name in (DELETED, UNNAMED):
        return format_html('<span class="second">{}</span>', name)
    return format_html('<a href="{}"><bdi>{}</bdi></a>', address_of(name), handles.shown_safely(name))


@register.filter
def isolating(text: str, name: str) -> SafeString:
    """A sentence of ours, shown safely, with the public name in it in <bdi>; "": it holds none."""
    before, found, after = text.partition(name) if name else (text, "", "")
    isolated = format_html("<bdi>{}</bdi>", shown_safely(found)) if found else ""
    return escaped(before) + isolated + escaped(after)


def escaped(text: object) -> SafeString:
    """For markup that is made in Python: shown safely, and escaped."""
    return escape(shown_safely(text))
