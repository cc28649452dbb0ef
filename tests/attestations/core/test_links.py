"""Addresses that people may leave as links."""

import pytest

from attestations.core.links import LinkError, check_link

HTTPS = "Use an https address, such as https://example.org/log.txt."
BARE = "Use an https address without a user name and without a port."


@pytest.mark.parametrize(
    "text",
    ["https://github.com/acme/kernels/issues/1", "https://example.org/?a=1&b=2#row-7", "https://example.org"],
)
def test_a_plain_https_address_is_kept_as_it_was_written(text: str) -> None:
    assert check_link(text) == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://example.org/", HTTPS),
        ("javascript:alert(1)", HTTPS),
        ("JaVaScRiPt:alert(1)", HTTPS),
        ("java\tscript:alert(1)", HTTPS),
        ("data:text/html,<script>alert(1)</script>", HTTPS),
        ("data:text/html;base64,PHNjcmlwdD4=", HTTPS),
        ("vbscript:msgbox(1)", HTTPS),
        ("&#106;avascript:alert(1)", HTTPS),
        ("//example.org/", HTTPS),
        ("/runs/", HTTPS),
        ("https://example.org/\"onmouseover=alert(1)", HTTPS),
        ("https://example.org/ x", HTTPS),
        ("https://exämple.org/", HTTPS),
        ("https://example.org/\u202egpj.exe", HTTPS),
        ("https://user:secret@example.org/", BARE),
        ("https://127.0.0.1/", HTTPS),
        ("https://localhost/", HTTPS),
        ("https://example.org:8443/", BARE),
        ("", HTTPS),
        ("https://" + "a" * 2000, HTTPS),
    ],
)  # fmt: skip
def test_anything_else_is_refused_with_what_to_write_instead(text: str, said: str) -> None:
    with pytest.raises(LinkError) as refused:
        check_link(text)
    assert str(refused.value) == said
