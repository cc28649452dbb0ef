"""Standings of groups that a batch makes follow from the rows in memory: they are what the database would give."""

import random
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from registry import incidents, standings
from registry.importers.base import Entry, RunEntry
from registry.models import ComparisonGroup, GroupStanding, Record, Run, Standing
from tests.conftest import NOW
from tests.factories import bundle_of, entries_of, ingest_entries, protocol_document, run_entry, told

STATUSES = ("passed", "passed", "passed", "passed", "timeout", "incorrect_numerical")
VARIANTS: tuple[dict[str, str], ...] = ({}, {}, {}, {"variant": "token"}, {"variant": "sequence"})
FLAGS = ("SINGLE_SAMPLE", "TIME_ZONE_NOT_STATED", "DISQUALIFIED_UPSTREAM")
WORKERS = ("w1", "w2", "w3")
SEEDS = range(12)


def some_runs(chance: random.Random, count: int) -> list[Entry]:
    """Runs of up to four groups: ties, intervals, spreads, variants, flags, failures, instants before 1970."""
    protocols = [protocol_document(harness__name=f"harness-{number}") for number in range(4)]
    variants = [chance.choice(VARIANTS) for _ in protocols]
    runs = []
    for _ in range(count):
        number = chance.randrange(len(protocols))
        value = chance.choice((1000, 1000, 1010, 1500, chance.randrange(1, 10**6)))
        labels = {"worker": chance.choice(WORKERS)} | chance.choice((variants[number], variants[number], {}))
        fields: dict[str, Any] = {"timing__samples": chance.choice((1, 5, 100))} if chance.random() < 0.5 else {}
        if chance.random() < 0.4:
            fields["timing__latencyNs__confidence95"] = [value - chance.randrange(50), value + chance.randrange(50)]
        if chance.random() < 0.3:
            fields |= {"timing__latencyNs__minimum": 1, "timing__latencyNs__maximum": value * 3}
        if chance.random() < 0.2:
            fields["sourceNative"] = {"source": "acme"}
        runs.append(
            run_entry(
                protocol=protocols[number],
                metadata={"name": f"run-{chance.random()}", "labels": labels},
                observedAt=f"{chance.choice((1969, 2025, 2026))}-07-{chance.randrange(1, 29):02d}T00:00:00.500Z",
                status=chance.choice(STATUSES),
                timing__latencyNs__median=value,
                **fields,
            )
        )
    return [_flagged(entry, chance) for entry in entries_of(bundle_of(*runs))]


def _flagged(entry: Entry, chance: random.Random) -> Entry:
    if not isinstance(entry, RunEntry):
        return entry
    rules = chance.sample(FLAGS, chance.choice((0, 0, 1, 3)))
    withdrawn = (NOW, "The source took it back.") if chance.random() < 0.1 else None
    return replace(entry, flags=tuple((rule, "As the source says.") for rule in rules), withdrawn=withdrawn)


def stored() -> tuple[list[Any], ...]:
    return tuple(list(model._default_manager.order_by("pk").values()) for model in (Standing, GroupStanding, Record))


def derived_from_the_database() -> tuple[list[Any], ...]:
    derived = standings.derive(list(ComparisonGroup.objects.values_list("id", flat=True)))
    return (
        sorted(derived.standings, key=lambda row: row["run_id"]),
        sorted(derived.groups, key=lambda row: row["group_id"]),
        sorted(derived.records, key=lambda row: row["id"]),
    )


@pytest.fixture
def refreshed(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """The groups whose standings are replaced by what is read back."""
    found: list[UUID] = []
    replace_them = standings.refresh

    def refresh(group_ids: Sequence[UUID]) -> int:
        found.extend(group_ids)
        return replace_them(group_ids)

    monkeypatch.setattr(standings, "refresh", refresh)
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_what_follows_from_memory_is_what_follows_from_the_database(db: None, refreshed: list[UUID], seed: int) -> None:
    assert told(ingest_entries(some_runs(random.Random(seed), 40))) == []
    assert Run.objects.count() == Standing.objects.count() == 40
    assert refreshed == []
    assert stored() == derived_from_the_database()


@pytest.mark.parametrize("seed", SEEDS[:4])
def test_marks_of_an_incident_in_force_are_among_them(db: None, refreshed: list[UUID], seed: int) -> None:
    chance = random.Random(seed)
    ingest_entries(some_runs(chance, 1))
    incidents.publish(
        title="A broken worker", text="Its timer was off.", evidence_url="", criteria={"labels": {"worker": ["w2"]}},
        effect="unrank", reason="Reported by the source.", actor=uuid.UUID(int=1), now=NOW,
    )  # fmt: skip
    held = set(ComparisonGroup.objects.values_list("id", flat=True))
    refreshed.clear()
    ingest_entries(some_runs(chance, 40), snapshot="2", now=NOW + timedelta(days=1))
    covered = Standing.objects.filter(run__marks__rule="INCIDENT").exclude(group__in=held)
    assert covered
    assert all("FLAGGED_INCIDENT" in standing.reasons for standing in covered)
    assert set(refreshed) == held  # a group that stood before is read back and replaced
    assert stored() == derived_from_the_database()
