"""Who is cited, with which states, as of when; every state of a run through every format."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from registry import corrections
from registry.core.citation import FORMATS, Citation, text
from registry.core.evidence import Level
from registry.models import Coverage, Mark, Run, Snapshot
from registry.queries import runs
from registry.queries.runs import RunPage, Tombstone
from tests.conftest import NOW
from tests.factories import (
    bundle,
    changed,
    digest_of,
    ingest_bundle,
    protocol_document,
    run_entry,
    suite_document,
)
from tests.registry.citing import expected, read_back
from tests.registry.pages import LIGER, OTHER_STAFF, SOL, STAFF, publish, publish_divided, publish_group, timed

pytestmark = pytest.mark.django_db
TODAY = date(2026, 12, 1)
SITE = "https://kernelindex.test"
LATER = NOW + timedelta(days=2, seconds=1)


def cited(run: Run | str) -> Citation:
    digest = run if isinstance(run, str) else run.digest
    found = runs.citation_of(runs.find(digest), site_url=SITE, today=TODAY)
    assert isinstance(found, Citation)
    return found


def page_of(run: Run | str) -> RunPage:
    page = runs.run_page(runs.find(run if isinstance(run, str) else run.digest), site_url=SITE, today=TODAY)
    assert isinstance(page, RunPage)
    return page


@pytest.mark.usefixtures("demo")
def test_the_seeds_facts_are_each_by_itself() -> None:
    assert cited(SOL) == Citation(
        creators=("NVIDIA SOL-ExecBench",),
        source="NVIDIA SOL-ExecBench",
        implementation="ac4k",
        operation="Adaptive instance normalization 2d backward",
        workload="suite of 16 cases · mean latency",
        metric="latency",
        value="209.8",
        unit="µs",
        statistic="mean over the suite's 16 cases; per-case estimator not stated",
        n=None,
        gpu="NVIDIA B200",
        protocol="SOL-ExecBench evaluation stack v1.0",
        protocol_digest="sha256:2964c5c4ed9cb0dcdc0f74674035bc71bf5e66620939e38441060f76434ed3e5",
        group="sha256:5d97d1668cb9ea2e17a8a3e674370944ac17a81abb0c6990ca3bffd4a62531e2",
        rank="Rank 1 in its comparison group",
        place="1 of 1 runs: only entry so far",
        policy="ranking-v2",
        coverage="1 run by 1 author; source total unknown",
        level=Level.REPORTED,
        evidence="reported by the source",
        rerun_count=0,
        states=(),
        digest=SOL,
        permalink=f"{SITE}/runs/{SOL}/",
        published=date(2026, 8, 24),
        as_of=datetime(2026, 8, 24, 19, 7, tzinfo=UTC),
        accessed=TODAY,
    )


@pytest.mark.usefixtures("demo")
def test_a_timed_pass_is_part_of_what_was_measured() -> None:
    found = cited(LIGER)
    assert found.creators == ("Liger-Kernel benchmarks",)
    assert found.operation.endswith(" pass")
    assert (found.rank, found.place) == ("Rank 2 in its comparison group", "2 of 2 runs")


@pytest.mark.usefixtures("demo")
def test_the_page_has_every_format_of_the_one_citation_and_where_to_get_it() -> None:
    cite, one = page_of(SOL).cite, cited(SOL)
    assert (cite.key, cite.as_of, cite.accessed) == (one.key, one.as_of, TODAY)
    assert [(form.name, form.label, form.media_type, form.url, form.accessed) for form in cite.formats] == [
        ("text", "Text", "text/plain", f"/runs/{SOL}/cite.txt", "2026-12-01"),
        ("footnote", "Reader's footnote", "text/plain", f"/runs/{SOL}/cite.footnote.txt", "2026-12-01"),
        ("bibtex", "BibTeX, @misc", "application/x-bibtex", f"/runs/{SOL}/cite.bib", "2026-12-01"),
        ("biblatex", "biblatex, @dataset", "application/x-bibtex", f"/runs/{SOL}/cite.biblatex.bib", "2026-12-01"),
        (
            "csl", "CSL-JSON", "application/vnd.citationstyles.csl+json", f"/runs/{SOL}/cite.csl.json", "2026, 12, 1",
        ),
        ("ris", "RIS", "application/x-research-info-systems", f"/runs/{SOL}/cite.ris", "2026/12/01"),
    ]  # fmt: skip
    assert [form.text for form in cite.formats] == [form.write(one) for form in FORMATS.values()]


# --- who measured


@pytest.mark.parametrize(
    ("authors", "creators"),
    [
        (None, ("Community (who measured is not stated)",)),
        ([], ("Community (who measured is not stated)",)),
        ([{"name": "Ada"}, {"github": "bob"}, {"name": "Eve", "github": "eve"}], ("Ada", "bob", "Eve")),
    ],
)
def test_of_a_communitys_run_those_measured_whom_the_run_names(authors: Any, creators: tuple[str, ...]) -> None:
    """The implementation's author wrote the kernel: whether they measured it is unknown."""
    stated = {} if authors is None else {"authors": authors}
    [run] = publish(timed(1000, metadata={"name": "acme-run", **stated}))
    assert run.implementation.author == "Acme Kernels"
    assert cited(run).creators == creators


def test_an_upstreams_runs_were_measured_by_the_upstream_not_by_the_gpus_vendor_or_this_site() -> None:
    entry = timed(1000, metadata={"name": "acme-run", "authors": [{"name": "Ada"}]})
    ingest_bundle(bundle(runs=[entry]), is_upstream=True)
    assert cited(digest_of(entry["run"])).creators == ("An upstream",)


# --- as of when


def test_rank_and_state_are_as_of_the_last_publication_or_mark_of_the_group() -> None:
    slow, fast = publish(timed(2000), timed(1000, status="passed"))
    assert cited(slow).as_of == NOW
    corrections.withdraw([fast], reason="r", actor=STAFF, now=LATER)
    assert (cited(slow).as_of, cited(slow).rank, cited(slow).place) == (
        LATER, "Rank 1 in its comparison group", "1 of 1 ranked runs",
    )  # fmt: skip


def test_a_later_count_of_the_sources_rows_is_what_the_citation_is_as_of() -> None:
    [run] = publish(timed(1000))
    batch = run.group.batch
    snapshot = Snapshot.objects.get()
    Coverage.objects.create(
        id=STAFF, group=run.group, snapshot=snapshot, offered=251, taken=1, rule="top 1", at=LATER, batch=batch
    )
    found = cited(run)
    assert (found.coverage, found.as_of) == (
        "1 run by 1 author; the source lists 251 runs, 1 taken (top 1, 2026-09-03)", LATER,
    )  # fmt: skip


# --- every state, every format


def plain() -> Run:
    return publish(timed(1000))[0]


def of_many() -> Run:
    return publish_group(12)[7]


def tied() -> Run:
    return publish(timed(1000), timed(1000, observedAt="2026-07-02T00:00:00Z"))[0]


def failed() -> Run:
    return publish(run_entry(status="compile_error", timing=None))[0]


def divided() -> Run:
    return publish_divided()[0]


def flagged() -> Run:
    run = plain()
    corrections.flag([run], rule="IMPLAUSIBLE", reason="Below its bound.", actor=STAFF, now=NOW)
    return run


def cleared() -> Run:
    run = flagged()
    corrections.clear([Mark.objects.get()], reason="r", actor=STAFF, now=LATER)
    return run


def withdrawn() -> Run:
    run = plain()
    corrections.withdraw([run], reason="The timer & <b>stood</b> still_\r\nAU  - Eve.", actor=STAFF, now=NOW)
    return run


def superseded() -> Run:
    old, new = publish(timed(1000), timed(2000))
    corrections.supersede(old, successor=new, reason="Measured again.", actor=STAFF, now=NOW)
    return old


def counted() -> Run:
    return publish(changed(timed(1000), run__spec__timing__samples=1234))[0]


def of_a_suite() -> Run:
    suite = suite_document()
    return publish(run_entry(workload=suite), workloads=[suite])[0]


def measured(metric: str, unit: str, value: float) -> Run:
    protocol = protocol_document()
    entry = run_entry(
        protocol=protocol, timing=None,
        measurements=[{"metric": metric, "unit": unit, "statistic": "median", "value": value, "sampleCount": 7}],
    )  # fmt: skip
    return publish(entry)[0]


def throughput() -> Run:
    return measured("throughput", "gb_s", 1812.0)


def memory() -> Run:
    return measured("memory", "mib", 3072.0)


HOSTILE = r"R&D_50% #1 {x} ~^\ $y$ ``q'' --- <b>|</b> @misc{a, b = {c}} and"


def hostile() -> Run:
    protocol = protocol_document(metadata={"title": HOSTILE})
    metadata = {"name": "acme-run", "authors": [{"name": HOSTILE}]}
    return publish(run_entry(protocol=protocol, metadata=metadata))[0]


STATES: dict[str, tuple[Callable[[], Run], tuple[str, ...]]] = {
    "plain": (plain, ("Rank 1 in its comparison group", "1 of 1 runs: only entry so far")),
    "ranked of many": (of_many, ("Rank 8 in its comparison group", "8 of 12 runs", "12 runs by 1 author")),
    "tied": (tied, ("Rank 1 in its comparison group", "1 of 2 runs · shared with 1 other")),
    "failed": (failed, ("no measurement", "Not ranked (STATUS_COMPILE_ERROR, MISSING_PRIMARY_METRIC)")),
    "divided": (divided, ("Not ranked (FLAGGED_OPERATION_MISMATCH)", "0 of 5 runs of its group are ranked")),
    "flagged": (flagged, ("[flagged FLAGGED_IMPLAUSIBLE 2026-09-01: Below its bound]",)),
    "cleared": (cleared, ("Rank 1", "as of 2026-09-03T")),
    "withdrawn": (withdrawn, ("[withdrawn 2026-09-01: The timer & <b>stood</b> still_ AU - Eve]", "(WITHDRAWN)")),
    "superseded": (superseded, ("[superseded 2026-09-01 by sha256:", ": Measured again]", "Not ranked (SUPERSEDED)")),
    "counted": (counted, ("median across samples; one case; n = 1,234",)),
    "of a suite": (of_a_suite, ("the suite's 2 cases; the run states median; n not stated",)),
    "throughput": (throughput, ("throughput 1,812 GB/s", "n = 7")),
    "memory": (memory, ("memory ", "n = 7")),
    "hostile": (hostile, (HOSTILE, f"protocol {HOSTILE} (")),
}


@pytest.mark.parametrize("state", STATES)
def test_every_state_comes_back_equal_from_every_format(state: str) -> None:
    make, told = STATES[state]
    found = cited(make())
    read = read_back(found)
    assert read == {form: expected(found, form) for form in read}
    wholes = [" ".join([*facts["creators"], facts["title"], facts["note"]]) for facts in read.values()] + [text(found)]
    assert [words for words in told for whole in wholes if words not in whole] == []
    assert ("[" in found.title.partition(":")[0]) is bool(found.states)


def test_a_cleared_flag_is_no_state() -> None:
    assert cited(cleared()).states == ()


def test_of_a_redacted_run_stays_the_citation_that_was_frozen_and_says_so() -> None:
    run = plain()
    frozen = runs.citation_text(runs.find(run.digest), site_url=SITE, today=TODAY)
    request = corrections.request_redaction(run, reason_class="legal", reason="a court", actor=STAFF, now=NOW)
    corrections.approve_redaction(request, citation=frozen, actor=OTHER_STAFF, now=NOW)
    found = runs.citation_of(runs.find(run.digest), site_url=SITE, today=TODAY)
    assert isinstance(found, Tombstone)
    assert found.text == f"[redacted 2026-09-01: legal removal] {frozen}"
    assert runs.citation_text(runs.find(run.digest), site_url=SITE, today=TODAY) == frozen


def test_names_of_a_redacted_document_are_cited_as_redacted() -> None:
    run = plain()
    for row in (run.implementation, run.operation, run.protocol):
        request = corrections.request_redaction(row, reason_class="legal", reason="r", actor=STAFF, now=NOW)
        corrections.approve_redaction(request, citation="c", actor=OTHER_STAFF, now=NOW)
    found = cited(run)
    assert {found.implementation, found.operation, found.protocol} == {"redacted"}
