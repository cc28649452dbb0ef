"""One implementation over time, and the runs of other metrics beside it."""

import uuid
from datetime import date
from typing import Any

import pytest

from registry import corrections
from registry.models import Run
from registry.queries import history, runs
from registry.queries.runs import RunPage
from tests.conftest import NOW
from tests.factories import (
    bundle_of,
    changed,
    entries_of,
    environment_document,
    implementation_document,
    ingest_entries,
    protocol_document,
    run_entry,
    workload_document,
)
from tests.registry.pages import LIGER, labelled, publish, timed

pytestmark = pytest.mark.django_db
BACKWARD = protocol_document("back", metadata={"title": "Acme bench · backward pass"}, measurement__samples=1)
FORWARD = protocol_document("fore", metadata={"title": "Acme bench · forward pass"}, measurement__samples=2)
MEMORY = protocol_document("mem", metadata={"title": "Acme memory · backward pass"}, measurement__samples=3)


def page_of(run: Run) -> RunPage:
    page = runs.run_page(runs.find(run.digest), site_url="http://localhost", today=date(2026, 9, 2))
    assert isinstance(page, RunPage)
    return page


def told(page: RunPage) -> list[tuple[Any, ...]]:
    assert page.history is not None
    return [
        (f"{o.observed_at:%m-%d}", o.release, o.value and o.value.number, o.rank, o.is_this)
        for o in page.history.observations
    ]


def releases() -> list[Run]:
    """Three releases of one implementation, imported out of order, and another implementation's run."""
    other = implementation_document("other", callable__symbol="other")
    return publish(
        labelled(900, day="2026-03-01", acme_version="0.2"),
        labelled(1000, day="2026-01-01", acme_version="0.1"),
        labelled(950, day="2026-06-01", acme_version="0.3"),
        timed(100, implementation=other),
        implementations=[
            {"projectSlug": "acme", "manifest": made} for made in (implementation_document(), other)
        ],
    )  # fmt: skip


def test_a_history_is_oldest_first_with_releases_ranks_and_this_run() -> None:
    assert told(page_of(releases()[0])) == [
        ("01-01", "0.1", "1,000", 4, False),
        ("03-01", "0.2", "900", 2, True),
        ("06-01", "0.3", "950", 3, False),
    ]


def test_an_unranked_observation_stays_with_its_reasons() -> None:
    middle, *_ = releases()
    corrections.withdraw([middle], reason="wrong clock", actor=uuid.UUID(int=1), now=NOW)
    page = page_of(middle)
    assert [row[3] for row in told(page)] == [3, None, 2]
    assert page.history is not None
    assert [reason.code for reason in page.history.observations[1].reasons] == ["WITHDRAWN"]


def test_a_failed_run_is_an_observation_without_a_value() -> None:
    failed = changed(labelled(1, day="2026-05-01"), run__spec__status="timeout", run__spec__timing=None)
    [run, other, _] = publish(labelled(900, day="2026-03-01"), labelled(800, day="2026-04-01"), failed)
    assert [row[2] for row in told(page_of(run))] == ["900", "800"]
    assert page_of(run).group.id != page_of(Run.objects.get(status="timeout")).group.id
    assert page_of(Run.objects.get(status="timeout")).history is None
    assert told(page_of(other))[1][4] is True


def test_the_only_run_of_an_implementation_has_no_history() -> None:
    *_, alone = releases()
    assert page_of(alone).history is None


@pytest.mark.parametrize(
    "other",
    [
        {"protocol": FORWARD},
        {"environment": environment_document(hardware__formFactor="SXM")},
        {"workload": workload_document("scale-16", axes__rows=16, tensors__x__shape__0=16)},
    ],
    ids=lambda other: next(iter(other)),
)
def test_what_was_measured_under_other_conditions_is_no_part_of_it(other: dict[str, Any]) -> None:
    workloads = [workload_document(), *([other["workload"]] if "workload" in other else [])]
    [run, _] = publish(timed(100), timed(101, **other), workloads=workloads)
    assert page_of(run).history is None


def test_a_variant_has_a_history_of_its_own() -> None:
    [run, *_] = publish(
        labelled(900, day="2026-03-01", variant="a"),
        labelled(800, day="2026-04-01", variant="a"),
        labelled(700, day="2026-05-01", variant="b"),
    )
    assert [row[2] for row in told(page_of(run))] == ["900", "800"]


def test_a_release_without_a_label_is_the_one_that_the_run_was_sighted_under() -> None:
    made = [timed(900), timed(800, observedAt="2026-07-02T00:00:00Z")]
    for number, entry in enumerate(made, start=1):
        ingest_entries(entries_of(bundle_of(entry), release=f"r{number}"), snapshot=str(number))
    assert [row[1] for row in told(page_of(Run.objects.get(value=900)))] == ["r1", "r2"]


def test_an_implementation_s_own_version_stands_where_upstream_names_no_release() -> None:
    of = implementation_document("tagged", projectRevision={"version": "2.1"})
    [run, _] = publish(
        timed(900, implementation=of),
        timed(800, implementation=of, observedAt="2026-07-02T00:00:00Z"),
        implementations=[{"projectSlug": "acme", "manifest": of}],
    )
    assert [row[1] for row in told(page_of(run))] == ["2.1", "2.1"]


@pytest.mark.parametrize(
    ("values", "low", "is_log", "start"),
    [([900, 1000], 900, False, "900 ns"), ([300, 1000], 0, False, None), ([50, 1000], 50, True, None)],
)
def test_close_values_are_drawn_near_and_the_page_says_where_the_axis_starts(
    values: list[float], low: float, is_log: bool, start: str | None
) -> None:
    [run, _] = publish(*(labelled(value, day=f"2026-07-0{day}") for day, value in enumerate(values, start=1)))
    shown = page_of(run).history
    assert shown is not None
    assert (shown.values.low, shown.values.is_log, shown.from_text) == (low, is_log, start)


def test_observations_of_one_instant_are_listed_and_not_plotted() -> None:
    [run, _] = publish(labelled(900), labelled(950))
    shown = page_of(run).history
    assert shown is not None
    assert (shown.has_plot, len(shown.observations)) == (False, 2)


def test_a_long_history_is_cut_to_the_newest_and_keeps_this_run(monkeypatch: pytest.MonkeyPatch) -> None:
    made = publish(*(labelled(1000 + day, day=f"2026-07-{day:02d}") for day in range(1, 8)))
    found = history.beside(runs.find(made[0].digest))
    monkeypatch.setattr(history, "SHOWN", len(found))
    shown = history.history(runs.find(made[0].digest), found)
    assert shown is not None
    assert shown.is_cut
    assert [o.is_this for o in shown.observations].count(True) == 1


# --- other metrics


def memory(mib: float, *, day: str = "2026-07-01", **fields: Any) -> dict[str, Any]:
    measured = [{"metric": "memory", "unit": "mib", "statistic": "median", "value": mib}]
    labels = fields.pop("labels", {})
    return run_entry(
        protocol=fields.pop("protocol", MEMORY), timing=None, measurements=measured,
        observedAt=f"{day}T00:00:00Z", metadata={"name": "acme-memory", "labels": labels}, **fields,
    )  # fmt: skip


def speed(ns: float, *, day: str = "2026-07-01", **labels: str) -> dict[str, Any]:
    return timed(
        ns, protocol=BACKWARD, observedAt=f"{day}T00:00:00Z", metadata={"name": "acme-speed", "labels": labels}
    )


def companions(run: Run) -> list[tuple[str, str, str]]:
    return [(other.metric, other.value.text, other.run.id) for other in page_of(run).companions]


def test_a_timed_run_names_its_memory_and_the_memory_its_time() -> None:
    fast, peak = publish(speed(900), memory(1234.5))
    [beside] = page_of(fast).companions
    assert (beside.metric, beside.statistic, beside.value) == ("memory", "median", page_of(peak).primary)
    assert (beside.protocol, beside.is_same_release) == ("Acme memory · backward pass", True)
    assert companions(fast) == [("memory", "1,235 MiB", peak.digest)]
    assert companions(peak) == [("latency", "900 ns", fast.digest)]


def test_a_memory_run_ranks_the_lower_value_first_in_MiB() -> None:  # noqa: N802  the unit's own spelling
    low, high = publish(memory(100.5), memory(200, day="2026-07-02"))
    assert [(page_of(run).standing.rank, page_of(run).primary.text) for run in (low, high)] == [  # type: ignore[union-attr]
        (1, "100.5 MiB"), (2, "200 MiB"),
    ]  # fmt: skip


def test_among_several_the_same_release_is_meant_and_then_the_nearest_date() -> None:
    run, near, same, _ = publish(
        speed(900, day="2026-07-01", acme_version="0.2"),
        memory(10, day="2026-07-02", labels={"acme_version": "0.1"}),
        memory(20, day="2026-07-20", labels={"acme_version": "0.2"}),
        memory(30, day="2026-07-25", labels={"acme_version": "0.2"}),
    )
    assert companions(run) == [("memory", "20 MiB", same.digest)]
    [other] = publish(speed(800, day="2026-07-03", acme_version="0.9"))
    assert companions(other) == [("memory", "10 MiB", near.digest)]
    assert page_of(other).companions[0].is_same_release is False


@pytest.mark.parametrize(
    "other",
    [
        {"protocol": FORWARD},
        {"labels": {"variant": "sequence"}},
        {"environment": environment_document(hardware__formFactor="SXM")},
    ],
    ids=["another pass", "another variant", "another GPU"],
)
def test_another_pass_variant_or_gpu_is_no_companion(other: dict[str, Any]) -> None:
    [run, _] = publish(speed(900), memory(10, **other))
    assert companions(run) == []


def test_another_source_s_memory_is_no_companion() -> None:
    [run] = publish(speed(900))
    ingest_entries(entries_of(bundle_of(memory(10))))
    assert Run.objects.count() == 2
    assert companions(run) == []


@pytest.mark.usefixtures("demo")
def test_a_run_alone_has_neither() -> None:
    page = page_of(Run.objects.get(digest=LIGER))
    assert (page.history, page.companions) == (None, ())
