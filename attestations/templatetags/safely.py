"""How text of strangers is written: nothing in it invisible, and escaped by the template as any text is."""

from django import template

from attestations.core import handles

register = template.Library()


@register.filter
def shown_safely(text: object) -> str:
    """Invisible and reordering characters as [U+202E]. The result is plain text, which autoescaping escapes."""
    return handles.shown_safely(str(text))
