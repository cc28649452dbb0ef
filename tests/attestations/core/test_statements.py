"""What makes two statements the same, and which links are taken."""

from decimal import Decimal
from typing import Any

import pytest

from attestations.core.links import LinkError, check_link
from attestations.core.statements import Statement, content_digest, plain

RUN = "sha256:" + "1" * 64
BASE: dict[str, Any] = {"kind": "reproduced", "text": "So it was."}


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "regression"}, {"text": "So it was!"}, {"value": "1"}, {"unit": "us"}, {"samples": (Decimal(1),)},
        {"statistic": "mean"}, {"n": 3}, {"deviation": Decimal(1)}, {"is_incorrect": True}, {"relation": "own"},
        {"setup": "other"}, {"place": "run"}, {"environment": RUN}, {"gpu": "H100"}, {"software": (("driver", "1"),)},
        {"other": "clocks locked"}, {"evidence_url": "https://example.org"},
    ],
)  # fmt: skip
def test_every_word_counts_for_the_digest(change: dict[str, Any]) -> None:
    assert content_digest(Statement(**(BASE | change)), RUN) != content_digest(Statement(**BASE), RUN)


def test_the_digest_names_the_run_and_not_how_samples_were_read_or_written() -> None:
    said = content_digest(Statement(**BASE, samples=(Decimal("1.50"), Decimal(100))), RUN)
    other = {**BASE, "samples": (Decimal("1.5"), Decimal("1E+2")), "samples_from": "CSV"}
    assert content_digest(Statement(**other), RUN) == said
    assert content_digest(Statement(**other), "sha256:" + "2" * 64) != said


def test_the_digest_of_a_statement_is_written_out() -> None:
    # printf '{"kind":"reproduced","run":"sha256:111…","text":"So it was."}' | sha256sum
    assert content_digest(Statement(**BASE), RUN) == (
        "sha256:8183be5919ceccc24c9731b55b10eac207025a350bfd51f531f5b9228d1033ed"
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [("1.50", "1.5"), ("100", "100"), ("1E+2", "100"), ("1E-7", "0.0000001"), ("0.0", "0"), ("126.3", "126.3")],
)
def test_decimals_are_written_plainly(number: str, text: str) -> None:
    assert plain(Decimal(number)) == text


@pytest.mark.parametrize(
    ("fields", "is_measured"),
    [({}, False), ({"value": "1"}, True), ({"samples": (Decimal(1),)}, True), ({"is_incorrect": True}, True)],
)
def test_a_value_samples_or_wrong_outputs_are_a_measurement(fields: dict[str, Any], is_measured: bool) -> None:
    assert Statement(**BASE, **fields).is_measured is is_measured


@pytest.mark.parametrize(
    "text",
    ["https://example.org", "https://example.org/a?b=c#L10-L20", "HTTPS://example.org/", "https://example.org:443/x"],
)
def test_an_https_address_is_taken_as_written(text: str) -> None:
    assert check_link(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "http://example.org/", "//example.org/", "example.org", "ftp://example.org/", "javascript:alert(1)",
        "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "&#106;avascript:alert(1)", "data:text/html,<script>1</script>",
        "vbscript:msgbox(1)", "https:javascript:alert(1)", "https://", "https:///path", "https://localhost/",
        "https://127.0.0.1/", "https://[::1]/", "https://0x7f.1/", "https://example.org:8443/", "https://a@example.org/",
        "https://example.org/ x", 'https://example.org/"onmouseover=alert(1)', "https://example.org/<script>",
        "https://example.org\\@evil.example/", "https://exаmple.org/", "https://example.org/\u202egpj", " ", "",
    ],
)  # fmt: skip
def test_anything_else_is_no_link(text: str) -> None:
    with pytest.raises(LinkError):
        check_link(text)
