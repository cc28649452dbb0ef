"""Marks: a sign, a word and a colour that always go together, and digests with their copy button."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from attestations.templatetags.safely import shown_safely

register = template.Library()

ICONS = {
    "check": '<path d="M2 7.5 5 11 11.5 3" stroke-width="2"/>',
    "slash": '<circle cx="7" cy="7" r="5"/><path d="M3.5 10.5 10.5 3.5"/>',
    "arrow": '<path d="M1.5 7h10M8 3.5 11.5 7 8 10.5"/>',
    "flag": '<path d="M3 13V2h8.5L9.5 5l2 3H3"/>',
    "triangle": '<path d="M7 1.75 13 12.25H1zM7 5.5v3.25M7 9.75v1.5" stroke-width="1.5"/>',
    "neq": '<path d="M1.5 5h11M1.5 9h11M10 1.5 4 12.5" stroke-width="2"/>',
    "half": '<circle cx="7" cy="7" r="5.25" stroke-width="1.5"/>'
    '<path d="M7 1.75a5.25 5.25 0 0 1 0 10.5z" fill="currentColor" stroke="none"/>',
    "clock": '<circle cx="7" cy="7" r="5.25" stroke-width="1.5"/><path d="M7 3.75V7l2.25 1.5" stroke-width="1.5"/>',
    "cross": '<path d="M3 3 11 11M11 3 3 11" stroke-width="2"/>',
}
# State -> icon and tone; a state without a row is a failed kind.
STATES = {
    "passed": ("check", "ok"),
    "agrees": ("check", "ok"),
    "reproduced": ("check", "ok"),
    "withdrawn": ("slash", "bad"),
    "superseded": ("arrow", "idle"),
    "flagged": ("flag", "warn"),
    "disputed": ("triangle", "idle"),
    "note": ("triangle", "idle"),
    "disagrees": ("neq", "bad"),
    "running": ("half", "idle"),
    "queued": ("clock", "idle"),
    "dismissed": ("slash", "idle"),
}
LEVELS = ("reported", "reproducible", "verified", "replicated")


@register.simple_tag
def state(name: str, word: str = "", tone: str = "") -> SafeString:
    """Mark, word and colour of a state; `tone` where the place asks for another colour than the state's own."""
    icon, usual = STATES.get(name, ("cross", "bad"))
    return format_html(
        '<span class="state {}"><svg viewBox="0 0 14 14" aria-hidden="true" focusable="false" fill="none" '
        'stroke="currentColor" stroke-width="1.75">{}</svg> {}</span>',
        tone or usual,
        mark_safe(ICONS[icon]),  # noqa: S308  a constant above
        word or name,
    )


@register.simple_tag
def icon(name: str) -> SafeString:
    """A mark alone, in the colour of the words that it stands before."""
    return format_html(
        '<svg viewBox="0 0 14 14" aria-hidden="true" focusable="false" fill="none" '
        'stroke="currentColor" stroke-width="1.75">{}</svg>',
        mark_safe(ICONS[name]),  # noqa: S308  a constant above
    )


@register.simple_tag
def evidence(level: str) -> SafeString:
    """Four squares, as many filled as the level has reached, then the level as a link to what it means."""
    reached = LEVELS.index(level)
    squares = "".join(
        f'<path d="M{0.5 + 9 * i:g}.5h7v7h-7z"{" fill=" + chr(34) + "currentColor" + chr(34) if i <= reached else ""}/>'
        if i
        else '<path d="M.5.5h7v7h-7z" fill="currentColor"/>'
        for i in range(len(LEVELS))
    )
    return format_html(
        '<span class="evidence"><svg viewBox="0 0 36 8" aria-hidden="true" focusable="false" fill="none" '
        'stroke="currentColor">{}</svg> <a href="/docs/#evidence">{}</a></span>',
        mark_safe(squares),  # noqa: S308  numbers of our own
        level,
    )


@register.simple_tag
def digest(value: str, label: str) -> SafeString:
    """The first twelve hex digits, the whole in its title, and a copy button where there is script."""
    return format_html(
        '<span class="digest"><code title="{0}">{1}…</code>{2}</span>',
        value,
        value[: len("sha256:") + 12],
        copy(value, label),
    )


@register.simple_tag
def copy(value: str, label: str) -> SafeString:
    """A copy button; site.js shows it."""
    return format_html(
        '<button type="button" class="copy" data-copy="{}" hidden>Copy<span class="vh"> {}</span></button>',
        value,
        label,
    )


@register.simple_tag
def copy_from(element: str, label: str) -> SafeString:
    """A copy button for the text of an element."""
    return format_html(
        '<button type="button" class="copy" data-copy-from="{}" hidden>Copy<span class="vh"> {}</span></button>',
        element,
        label,
    )


@register.simple_tag
def cited(text: str, accessed: str) -> SafeString:
    """A citation whose access date, the last one in it, site.js may set to the reader's day."""
    head, _, tail = text.rpartition(accessed)
    return format_html("{}<span data-accessed>{}</span>{}", shown_safely(head), accessed, shown_safely(tail))
