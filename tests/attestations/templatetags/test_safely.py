"""The filter for text of strangers, through the template engine."""

import pytest
from django.template import Context, Template
from django.utils.safestring import SafeString, mark_safe


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain", "plain"),
        ("a\u202eb", "a[U+202E]b"),
        ("<b>\u200b</b>", "&lt;b&gt;[U+200B]&lt;/b&gt;"),
        (mark_safe("<b>a</b>"), "&lt;b&gt;a&lt;/b&gt;"),  # what a stranger wrote is never markup
        (mark_safe("<b>\u202ea</b>"), "&lt;b&gt;[U+202E]a&lt;/b&gt;"),
        ("\"'&", "&quot;&#x27;&amp;"),
        (5, "5"),
    ],
)
def test_text_of_strangers_is_shown_safely_and_escaped(text: object, html: str) -> None:
    rendered = Template("{% load safely %}{{ text|shown_safely }}").render(Context({"text": text}))
    assert rendered == html
    assert isinstance(rendered, SafeString)


def test_line_breaks_may_follow_the_filter() -> None:
    template = Template("{% load safely %}{{ text|shown_safely|linebreaksbr }}")
    assert template.render(Context({"text": "<i>\u2066\nb"})) == "&lt;i&gt;[U+2066]<br>b"
