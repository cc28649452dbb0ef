"""What a worker does with a sync, and what it leaves to people."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from registry import aliases, syncs
from registry.fetching import FetchError
from registry.importers import IMPORTERS, liger
from registry.importers.base import MissingFacts, Pending, Place, Question, Rejected, RunEntry
from registry.ingest.writing import Writer
from registry.models import Mark, NameAlias, Run, Snapshot, Source, Standing, Sync, SyncFile, SyncRow, UnmappedName
from registry.models.syncs import SyncState, Trigger
from registry.syncs import accounting
from registry.syncs.leases import Lease
from registry.verifying import verify
from tests.conftest import NOW
from tests.factories import everything
from tests.registry.syncs.reading import (
    BYTES,
    CURATOR,
    DAY,
    MINUTE,
    answering,
    asked,
    corrected,
    first_rows,
    liger_source,
    published,
    ran,
    uploaded,
)

FIRST = "Nothing of this source has been published before."


@pytest.fixture
def source(db: None) -> Source:
    return liger_source()


def scheduled(source: Source, now: Any = NOW) -> Sync:
    return syncs.request(source, trigger=Trigger.SCHEDULE, actor=None, now=now)


# The gate


def test_the_first_sync_of_a_source_waits_with_its_report(source: Source) -> None:
    sync = ran(asked(source), BYTES)
    assert (sync.state, sync.waits_because, sync.lease, sync.phase) == ("waiting", FIRST, None, "")
    assert (sync.report["new"]["BenchmarkRun"], sync.report["dry_run"], sync.report["batches"]) == (48, True, 0)
    assert (Run.objects.count(), Snapshot.objects.count()) == (0, 0)


def test_what_a_person_approved_is_published(source: Source) -> None:
    sync = ran(asked(source), BYTES)
    syncs.approve(sync, actor=CURATOR, reason="Looks right.", now=NOW + DAY)
    sync = ran(sync, now=NOW + DAY)
    assert (sync.state, sync.report["new"]["BenchmarkRun"], sync.report["dry_run"]) == ("done", 48, False)
    assert (Run.objects.count(), Snapshot.objects.get().file_name) == (48, "page-0.csv")
    assert Snapshot.objects.get().url == "https://upstream.test/page-0.csv"


def test_what_was_approved_and_failed_is_tried_again_without_being_approved_again(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = ran(asked(source), BYTES)
    syncs.approve(sync, actor=CURATOR, reason="Looks right.", now=NOW)
    with monkeypatch.context() as broken:
        broken.setattr(Writer, "_run_batch", None)
        assert ran(sync).error == "Failed within: TypeError. The log says where."
    assert syncs.tick(now=NOW + DAY).rung == 1
    assert (ran(sync, BYTES, now=NOW + DAY).state, Run.objects.count()) == ("done", 48)


def test_a_later_sync_that_only_adds_is_published_at_once(source: Source) -> None:
    published(source, first_rows(40))
    sync = ran(scheduled(source, NOW + DAY), BYTES, now=NOW + DAY)
    assert (sync.state, sync.waits_because, Run.objects.count()) == ("done", "", 48)


def test_the_gate_holds_for_uploads_too(source: Source) -> None:
    assert ran(uploaded(source)).waits_because == FIRST


def test_a_few_corrections_are_published_and_proposed(source: Source) -> None:
    published(source)
    sync = ran(uploaded(source, corrected(9), now=NOW + DAY), now=NOW + DAY)
    assert (sync.state, sync.changes["corrected"], Run.objects.count()) == ("done", 9, 57)
    rows = sync.rows.filter(kind="correction").select_related("run", "successor")
    assert len(rows) == 9
    for row in rows:
        assert (row.reason, row.file, row.run.operation_id) == ("CORRECTED", "rows.csv", row.successor.operation_id)
        assert row.successor.value == 2 * row.run.value
        assert row.text == f"The row states another value now, in the run {row.successor.digest}."
    assert Mark.objects.filter(kind="superseded").count() == 0


def test_more_than_a_fifth_corrected_waits_for_a_person(source: Source) -> None:
    published(source)
    sync = ran(uploaded(source, corrected(10), now=NOW + DAY), now=NOW + DAY)
    assert (sync.state, Run.objects.count()) == ("waiting", 48)
    assert sync.waits_because == "10 of the 48 published rows compared are corrected and 0 gone: more than 20%."
    assert set(sync.rows.values_list("kind", "successor")) == {("correction", None)}  # it does not stand yet
    syncs.approve(sync, actor=CURATOR, reason="Upstream told us.", now=NOW + DAY)
    assert ran(sync, now=NOW + DAY).state == "done"
    assert sync.rows.filter(kind="correction").exclude(successor=None).count() == 10


def test_more_than_a_fifth_gone_waits_for_a_person(source: Source) -> None:
    published(source)
    sync = ran(uploaded(source, first_rows(38), now=NOW + DAY), now=NOW + DAY)
    assert sync.waits_because == "0 of the 48 published rows compared are corrected and 10 gone: more than 20%."
    rows = list(sync.rows.exclude(run=None).values_list("kind", "reason", "text"))
    assert rows == [("vanished", "VANISHED", "The last reading had this row; this one lacks it.")] * 10


def with_a_column(data: bytes) -> bytes:
    header, *rows = data.splitlines()
    return b"\n".join([header + b",power_w", *(row + b",300" for row in rows)]) + b"\n"


def test_a_header_that_drifts_waits_once(source: Source) -> None:
    published(source, first_rows(47))
    sync = ran(uploaded(source, with_a_column(BYTES), now=NOW + DAY), now=NOW + DAY)
    assert sync.waits_because == "1 column is new and unknown to the importer."
    syncs.approve(sync, actor=CURATOR, reason="We need no power figures.", now=NOW + DAY)
    ran(sync, now=NOW + DAY)
    assert ran(uploaded(source, with_a_column(first_rows(46)), now=NOW + 2 * DAY), now=NOW + 2 * DAY).state == "done"


def test_what_the_source_takes_back_is_flagged_at_once_though_the_rest_waits(source: Source, monkeypatch: Any) -> None:
    published(source)
    translate = liger.translate

    def disqualifying(files: Any, known: Any) -> Any:
        for entry in translate(files, known):
            is_run = isinstance(entry, RunEntry)
            yield replace(entry, flags=(("DISQUALIFIED_UPSTREAM", "Cheated."),)) if is_run else entry

    monkeypatch.setattr(liger, "translate", disqualifying)
    monkeypatch.setattr(liger, "VERSION", "next")
    data = corrected(10)
    sync = ran(uploaded(source, data, now=NOW + DAY), now=NOW + DAY)
    flagged = Mark.objects.filter(rule="DISQUALIFIED_UPSTREAM")
    assert (sync.state, Run.objects.count(), flagged.count()) == ("waiting", 48, 38)
    assert set(flagged.values_list("by", "is_blocking")) == {("the source", True)}
    assert Standing.objects.filter(run__in=flagged.values("run"), rank=None).count() == 38
    assert verify().differences == ()
    syncs.approve(sync, actor=CURATOR, reason="So.", now=NOW + DAY)
    assert ran(sync, now=NOW + DAY).state == "done"
    assert (Run.objects.count(), flagged.count()) == (58, 48)
    assert verify().differences == ()


def test_a_dry_run_flags_nothing(source: Source, monkeypatch: Any) -> None:
    published(source)
    flags = Mark.objects.count()
    sync = ran(uploaded(source, corrected(10), now=NOW + DAY, is_dry_run=True), now=NOW + DAY)
    assert (sync.state, Mark.objects.count(), Snapshot.objects.count()) == ("done", flags, 1)


def test_a_dry_run_publishes_nothing_and_says_what_would_wait(source: Source) -> None:
    before = everything()
    sync = ran(asked(source, is_dry_run=True), BYTES)
    assert (sync.state, sync.waits_because, sync.report["new"]["BenchmarkRun"]) == ("done", FIRST, 48)
    changed = {name for name, rows in everything().items() if rows != before[name]}
    assert changed == {f"registry.{name}" for name in ("AuditEvent", "StoredObject", "Sync", "SyncFile")}


def test_a_dry_run_is_not_the_first_sync(source: Source) -> None:
    ran(asked(source, is_dry_run=True), BYTES)
    assert ran(asked(source, now=NOW + DAY), BYTES, now=NOW + DAY).waits_because == FIRST


def test_a_later_reading_takes_the_place_of_one_that_waits(source: Source) -> None:
    earlier = ran(asked(source), first_rows(8))
    later = ran(scheduled(source, NOW + DAY), BYTES, now=NOW + DAY)
    earlier.refresh_from_db()
    assert (earlier.state, earlier.decided_by, earlier.decision_reason) == (
        "discarded", None, "A later reading of the source stands.",
    )  # fmt: skip
    assert later.state == "waiting"


def test_an_uploaded_file_that_waits_stays_when_the_source_is_read(source: Source) -> None:
    earlier = ran(uploaded(source, first_rows(8)))
    ran(scheduled(source, NOW + DAY), BYTES, now=NOW + DAY)
    earlier.refresh_from_db()
    assert earlier.state == "waiting"


# The same input again


def test_an_input_that_was_published_is_seen_again_and_not_read(source: Source, monkeypatch: Any) -> None:
    first = published(source)
    runs = everything()["registry.Run"]
    monkeypatch.setattr(liger, "translate", None)
    second = ran(uploaded(source, now=NOW + DAY), now=NOW + DAY)
    assert (second.state, second.fingerprint) == ("done", first.fingerprint)
    assert (second.report["new"], second.report["known"]["BenchmarkRun"], second.report["batches"]) == ({}, 48, 0)
    assert (second.report["same_as"], second.report["read_on"]) == (str(first.pk), "2026-09-01")
    assert first.changes == {"new": 48, "known": 0, "corrected": 0, "remeasured": 0, "flagged": 0}
    assert second.changes == {"new": 0, "known": 48, "corrected": 0, "remeasured": 0, "flagged": 0}
    assert everything()["registry.Run"] == runs


@pytest.mark.parametrize("change", ["file", "version", "name", "answers"])
def test_another_file_version_or_settled_name_is_another_input(source: Source, monkeypatch: Any, change: str) -> None:
    first = published(source)
    options: dict[str, Any] = {}
    if change == "version":
        monkeypatch.setattr(liger, "VERSION", "next")
    if change == "name":
        aliases.settle(source=source, kind="gpu", name="X", target="NVIDIA B200", reason="So.", actor=CURATOR, now=NOW)
    if change == "answers":
        options["answers"] = {"unit": "us"}
    data = first_rows(47) if change == "file" else BYTES
    second = ran(uploaded(source, data, now=NOW + DAY, **options), now=NOW + DAY)
    assert second.fingerprint != first.fingerprint
    assert "same_as" not in second.report


def test_what_waits_already_does_not_wait_twice(source: Source) -> None:
    ran(asked(source), BYTES)
    second = ran(scheduled(source, NOW + DAY), BYTES, now=NOW + DAY)
    assert (second.state, second.decision_reason) == (
        "discarded", "The same input, read 2026-09-01, waits for a person",
    )  # fmt: skip
    assert Sync.objects.get(requested_at=NOW).state == "waiting"


def test_what_a_person_turned_down_does_not_come_back_by_schedule(source: Source) -> None:
    first = ran(asked(source), BYTES)
    syncs.discard(first, actor=CURATOR, reason="Upstream is broken.", now=NOW)
    second = ran(scheduled(source, NOW + DAY), BYTES, now=NOW + DAY)
    assert second.decision_reason == "The same input, read 2026-09-01, was discarded: Upstream is broken."
    third = ran(asked(source, now=NOW + 2 * DAY), BYTES, now=NOW + 2 * DAY)
    assert (third.state, third.waits_because) == ("waiting", FIRST)


# What goes wrong


def test_an_unreadable_file_fails_for_good(source: Source) -> None:
    sync = ran(uploaded(source, b"\xff\xfe no csv"))
    assert (sync.state, sync.next_attempt_at) == ("failed", None)
    assert sync.error.startswith("Unreadable, nothing was taken: rows.csv")


def test_missing_facts_are_asked_for_by_name(source: Source, monkeypatch: Any) -> None:
    def translate(files: Any, known: Any) -> Any:
        raise MissingFacts([Question("unit", "In which unit are the columns?"), Question("gpu", "On which GPU?")])

    monkeypatch.setattr(liger, "translate", translate)
    sync = ran(uploaded(source))
    assert (sync.state, sync.error) == ("failed", "unit: In which unit are the columns?\ngpu: On which GPU?")


@pytest.mark.parametrize(
    ("error", "text", "pause"),
    [
        (FetchError("too-slow", "too slow"), "Not fetched: too slow", 2 * MINUTE),
        (FetchError("bad-status", "answered 503", status=503), "Not fetched: answered 503", 2 * MINUTE),
        (FetchError("bad-status", "answered 404", status=404), "Not fetched: answered 404", None),
        (FetchError("not-public", "10.0.0.1 is private"), "Not fetched: 10.0.0.1 is private", None),
        (ZeroDivisionError("secret"), "Failed within: ZeroDivisionError. The log says where.", 2 * MINUTE),
    ],
)
def test_only_what_may_pass_is_tried_again(
    source: Source, error: Exception, text: str, pause: timedelta | None
) -> None:
    def fetch(importer: Any, **options: Any) -> Any:
        raise error

    sync = asked(source)
    assert syncs.run(sync.pk, now=NOW, fetch=fetch) == "failed"
    sync.refresh_from_db()
    assert (sync.error, sync.attempts, sync.lease) == (text, 1, None)
    if pause is None:
        assert sync.next_attempt_at is None
    else:
        assert sync.next_attempt_at is not None
        assert timedelta(0) <= sync.next_attempt_at - (NOW + pause) < MINUTE


def test_bytes_that_are_gone_are_said_to_be_gone(source: Source, settings: Any, tmp_path: Any) -> None:
    sync = uploaded(source)
    settings.MEDIA_ROOT = tmp_path / "elsewhere"
    assert ran(sync).error == "Unreadable, nothing was taken: rows.csv: No such file or directory"


def test_a_sync_of_which_workers_die_is_given_up(source: Source) -> None:
    sync = asked(source)
    Sync.objects.filter(pk=sync.pk).update(state="running", attempts=8, lease=CURATOR, lease_until=NOW - MINUTE)
    sync = ran(sync, BYTES)
    assert (sync.state, sync.error, sync.next_attempt_at) == ("failed", "Given up: 8 workers died of it.", None)


def test_a_sync_of_a_source_that_was_paused_since_is_let_go(source: Source) -> None:
    sync = asked(source)
    syncs.pause(source, reason="So.", actor=CURATOR, now=NOW)
    sync = ran(sync, BYTES)
    assert (sync.state, sync.decision_reason) == (
        "discarded", "Liger-Kernel benchmarks is paused since 2026-09-01.",
    )  # fmt: skip
    assert SyncFile.objects.count() == 0


# One worker at a time


def test_a_bell_that_rings_twice_runs_a_sync_once(source: Source) -> None:
    sync = ran(asked(source), BYTES)
    before = everything()
    assert syncs.run(sync.pk, now=NOW, fetch=answering()) == "nothing to do: no such sync is free"
    assert everything() == before


def test_a_bell_for_no_sync_is_not_heard(db: None) -> None:
    assert syncs.run(CURATOR, now=NOW) == "nothing to do: no such sync is free"


def test_a_worker_that_lost_its_lease_changes_nothing(source: Source) -> None:
    """Another worker takes the sync over while the first one, thought dead, is still fetching."""
    sync = asked(source)

    def taken_over(number: int) -> None:
        if number == 1:
            later = NOW + timedelta(hours=1)
            assert (
                syncs.run(sync.pk, now=later, fetch=answering(first_rows(8), first_rows(0))) == "waiting for a person"
            )

    slow = answering(BYTES, first_rows(0), before_page=taken_over)
    assert syncs.run(sync.pk, now=NOW, fetch=slow) == "no longer this worker's"
    sync.refresh_from_db()
    assert (sync.state, sync.report["new"]["BenchmarkRun"]) == ("waiting", 48)


def test_pages_that_were_fetched_are_not_fetched_again(source: Source) -> None:
    class Killed(BaseException):
        pass

    def dies(number: int) -> None:
        asked_for.append(number)
        if number == 2 and len(asked_for) == 3:
            raise Killed

    asked_for: list[int] = []
    sync = asked(source)
    pages = [first_rows(16), b"".join(BYTES.splitlines(keepends=True)[:1]), BYTES]
    with pytest.raises(Killed):
        syncs.run(sync.pk, now=NOW, fetch=answering(*pages, before_page=dies))
    assert Sync.objects.get().state == "running"
    later = NOW + timedelta(hours=1)
    assert syncs.run(sync.pk, now=later, fetch=answering(*pages, before_page=dies)) == "waiting for a person"
    assert asked_for == [0, 1, 2, 2]
    assert list(sync.files.values_list("name", flat=True)) == ["page-0.csv", "page-1.csv", "page-2.csv"]


def test_a_sync_that_takes_longer_than_a_task_may_goes_on_in_the_next(source: Source) -> None:
    def time_is_up(number: int) -> None:
        if number == 1:
            raise SystemExit("Task exceeded maximum timeout value")

    sync, pages = asked(source), (first_rows(16), BYTES)
    with pytest.raises(SystemExit):
        syncs.run(sync.pk, now=NOW, fetch=answering(*pages, before_page=time_is_up))
    assert list(sync.files.values_list("name", flat=True)) == ["page-0.csv"]
    assert syncs.tick(now=NOW + MINUTE).rung == 1
    assert ran(sync, *pages, now=NOW + MINUTE).state == "waiting"


def test_pages_that_lead_nowhere_any_more_are_no_part_of_the_input(source: Source) -> None:
    sync = asked(source)
    SyncFile.objects.create(
        id=CURATOR, sync=sync, position=7, name="gone.csv", sha256="x", size_bytes=1, taken_at=NOW
    )  # fmt: skip
    ran(sync, BYTES)
    assert list(sync.files.values_list("position", "name")) == [(0, "page-0.csv")]


def test_what_fetching_is_told_of_the_source(db: None) -> None:
    source = liger_source(hosts="one.test\ntwo.test", size_cap_mib=3)
    told: dict[str, Any] = {}

    def fetch(importer: Any, **options: Any) -> Sequence[Any]:
        told.update(options, importer=importer)
        return answering(BYTES)(importer, **options)

    syncs.run(asked(source).pk, now=NOW, fetch=fetch)
    assert (told["importer"], told["location"], told["hosts"], told["caps"].file_bytes) == (
        liger, source.location, ["one.test", "two.test"], 3 << 20,
    )  # fmt: skip
    assert (told["already"], told["last"]) == ([], [])


def test_fetching_knows_the_files_of_the_last_reading(source: Source) -> None:
    published(source)  # an uploaded file has no address
    first = ran(scheduled(source, NOW + DAY), first_rows(47), now=NOW + DAY)
    assert first.state == "done"
    told: list[Any] = []

    def fetch(importer: Any, **options: Any) -> Sequence[Any]:
        told.extend(file.url for file in options["last"])
        return answering(BYTES)(importer, **options)

    syncs.run(scheduled(source, NOW + 2 * DAY).pk, now=NOW + 2 * DAY, fetch=fetch)
    assert told == ["https://upstream.test/page-0.csv"]


# The account


def place(line: int) -> Place:
    return Place("rows.csv", line, "gpu_name")


@pytest.fixture
def telling(monkeypatch: Any) -> list[Any]:
    """What the importer yields beside the file's own rows."""
    more: list[Any] = []
    translate = liger.translate

    def with_more(files: Any, known: Any) -> Any:
        yield from translate(files, known)
        yield from more

    monkeypatch.setattr(liger, "translate", with_more)
    return more


def test_rows_that_are_not_taken_are_kept_word_for_word(source: Source, telling: list[Any]) -> None:
    telling += [
        Rejected("BAD_CELL", place(3), "y_value_50 is no number", "geglu/3", "geglu,liger,None"),
        Pending("gpu", "NVIDIA X9", place(4), "not known", None, "geglu,NVIDIA X9"),
        Rejected("BAD_CELL", place(2), "a NUL \x00 and \udc80", None, "a\x00b"),
    ]
    sync = ran(uploaded(source))
    columns = ("kind", "reason", "file", "line", "path", "key", "text", "row")
    assert list(sync.rows.values_list(*columns)) == [
        ("rejected", "BAD_CELL", "rows.csv", 3, "gpu_name", "geglu/3", "y_value_50 is no number", "geglu,liger,None"),
        ("rejected", "BAD_CELL", "rows.csv", 2, "gpu_name", None, "a NUL ␀ and ?", "a␀b"),
        ("pending", "gpu", "rows.csv", 4, "gpu_name", None, "not known", "geglu,NVIDIA X9"),
    ]
    assert (sync.report["rejected"], sync.report["pending"]) == ({"BAD_CELL": 2}, {"gpu": 1})


def test_rows_are_kept_once_though_a_sync_reads_twice(source: Source, telling: list[Any]) -> None:
    telling += [Rejected("BAD_CELL", place(3), "no number")]
    published(source)
    assert SyncRow.objects.count() == 1


def test_kept_rows_are_bounded_and_counts_are_not(source: Source, telling: list[Any], monkeypatch: Any) -> None:
    monkeypatch.setattr(accounting, "ROWS_KEPT", 10)
    telling += [Rejected("BAD_CELL", place(line), "no number") for line in range(25)]
    sync = ran(uploaded(source))
    assert list(sync.rows.values_list("line", flat=True)) == list(range(10))
    assert sync.report["rejected"] == {"BAD_CELL": 25}


def test_names_that_rows_wait_for_are_queued_with_an_example(source: Source, telling: list[Any]) -> None:
    telling += [Pending("gpu", "X9", place(line), "not known", None, f"row {line}") for line in (5, 6, 7)]
    telling += [Pending("provider", "acme", place(8), "not known")]
    sync = ran(uploaded(source))
    assert list(
        UnmappedName.objects.values_list("kind", "name", "row_count", "example", "last_sync", "is_settled")
    ) == [
        ("gpu", "X9", 3, "row 5", sync.pk, False),
        ("provider", "acme", 1, "not known", sync.pk, False),
    ]


def test_a_settled_name_is_asked_for_no_more(source: Source, monkeypatch: Any) -> None:
    """The alias applies on the next sync, which a same file is too."""
    translate = liger.translate

    def asking_for_x9(files: Any, known: Any) -> Any:
        yield from translate(files, known)
        if ("gpu", "X9") not in known.names:
            yield Pending("gpu", "X9", place(5), "not known")

    monkeypatch.setattr(liger, "translate", asking_for_x9)
    published(source)
    aliases.settle(source=source, kind="gpu", name="X9", target="NVIDIA B200", reason="So.", actor=CURATOR, now=NOW)
    second = published(source, now=NOW + DAY)
    name = UnmappedName.objects.get()
    assert (second.report["pending"], name.row_count, name.is_settled) == ({}, 0, True)
    alias = NameAlias.objects.get()
    aliases.revoke(alias, reason="A mistake.", actor=CURATOR, now=NOW + DAY)
    third = published(source, now=NOW + 2 * DAY)  # the first input again, but people have decided since
    name.refresh_from_db()
    assert (third.report["pending"], name.row_count, name.is_settled) == ({"gpu": 1}, 1, False)
    assert "same_as" not in third.report


def test_progress_is_written_as_it_comes(source: Source, monkeypatch: Any) -> None:
    seen: list[tuple[str, int]] = []
    note = Lease.note

    def noted(lease: Lease, *counts: Any) -> None:
        note(lease, *counts)
        seen.append(Sync.objects.values_list("phase", "done").get())

    monkeypatch.setattr("registry.syncs.leases.SECONDS_BETWEEN_NOTES", 0)
    monkeypatch.setattr(Lease, "note", noted)
    published(source)
    phases = list(dict.fromkeys(phase for phase, _ in seen))
    assert phases == ["translating", "writing"]
    assert max(done for phase, done in seen if phase == "writing") > 48


def test_what_is_published_is_what_an_import_at_a_shell_gives(source: Source) -> None:
    published(source)
    digests = set(Run.objects.values_list("digest", flat=True))
    assert len(digests) == 48
    assert set(Run.objects.values_list("source__slug", flat=True)) == {"liger-kernel-bench"}
    assert SyncState(Sync.objects.get().state) is SyncState.DONE
    assert set(IMPORTERS) >= {source.importer}
