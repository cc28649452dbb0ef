"""News in sentences."""

from datetime import date

import pytest

from attestations.core import news
from attestations.core.news import attested, decided, many, marked, new_runs, noted, reported, rerun

DAY = date(2026, 9, 1)


@pytest.mark.parametrize(
    ("count", "source", "leads", "text"),
    [
        (1, "Liger-Kernel", 0, "1 new run of Liger-Kernel, imported 2026-09-01"),
        (48, "Liger-Kernel", 3, "48 new runs of Liger-Kernel, imported 2026-09-01; 3 took the lead"),
        (20_000, None, 1_000, "20,000 new runs, imported 2026-09-01; 1,000 took the lead"),
    ],
)
def test_an_import_is_one_line(count: int, source: str | None, leads: int, text: str) -> None:
    assert new_runs(count, source=source, day=DAY, leads=leads) == text


@pytest.mark.parametrize(
    ("kind", "options", "text"),
    [
        ("withdrawn", {"count": None}, "Withdrawn by staff"),
        ("withdrawn", {"count": 12}, "12 runs withdrawn by staff"),
        ("superseded", {"count": 1}, "1 run superseded by staff"),
        ("flagged", {"count": None, "rule": "IMPLAUSIBLE"}, "Flagged IMPLAUSIBLE by staff"),
        (
            "flagged",
            {"count": 300, "rule": "INCIDENT", "incident": "Clocks"},
            "300 runs flagged by the incident “Clocks”",
        ),
        ("noted", {"count": None, "rule": "INCIDENT_NOTE", "incident": "Clocks"}, "Noted by the incident “Clocks”"),
        ("cleared", {"count": None, "cleared": "withdrawn"}, "Cleared of its mark “withdrawn” by staff"),
        ("cleared", {"count": 1, "cleared": "flagged"}, "1 run cleared of its mark “flagged” by staff"),
        (
            "cleared",
            {"count": 300, "cleared": "flagged", "rule": "INCIDENT", "incident": "Clocks"},
            "300 runs cleared of their marks “flagged” as the incident “Clocks” was reversed",
        ),
    ],
)
def test_an_act_on_runs_is_one_line(kind: str, options: dict[str, object], text: str) -> None:
    assert marked(kind, by="staff", **options) == text  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdict", "is_comparable", "text"),
    [
        (None, False, "Could not reproduce, says ada"),
        ("agrees", True, "Could not reproduce, says ada: the measured value agrees"),
        ("slower", True, "Could not reproduce, says ada: the measured value is slower"),
        ("inconclusive", True, "Could not reproduce, says ada: the measured value is inconclusive"),
        ("slower", False, "Could not reproduce, says ada, with another setup"),
    ],
)
def test_a_verdict_is_told_where_it_is_comparable(verdict: str | None, is_comparable: bool, text: str) -> None:
    assert attested("could not reproduce", by="ada", verdict=verdict, is_comparable=is_comparable) == text


def test_what_else_is_said_of_a_run() -> None:
    assert reported("licence") == "Report opened: licence"
    assert decided("licence", state="dismissed", outcome=None) == "Report dismissed: licence"
    assert decided("licence", state="resolved", outcome="run flagged") == "Report resolved: licence; run flagged"
    assert noted("Acme") == "Author's note by Acme"
    assert (rerun(None), rerun("agrees")) == ("Rerun by KernelIndex", "Rerun by KernelIndex: agrees")


def test_each_urgent_kind_has_a_word() -> None:
    assert set(news.URGENT) <= set(news.WORDS)


def test_one_thing_is_one() -> None:
    assert (many(1, "run"), many(2, "run"), many(1_000, "run")) == ("1 run", "2 runs", "1,000 runs")
