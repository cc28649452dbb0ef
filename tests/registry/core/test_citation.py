"""Citations: every fact comes back from every format, read by parsers that others wrote."""

import json
import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import citeproc
import pytest
from citeproc import Citation as Cited
from citeproc import CitationItem, CitationStylesBibliography, CitationStylesStyle, formatter
from citeproc.source.json import CiteProcJSON
from hypothesis import given, settings
from hypothesis import strategies as st

from registry.core import citation, evidence
from registry.core.citation import FORMATS, Citation, plain, tex
from registry.core.evidence import Facts, Level, Rerun, Verdict
from tests.registry.citing import expected, read_back

DIGEST = "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
SOL = Citation(
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
    digest=DIGEST,
    permalink=f"https://kernelindex.example/runs/{DIGEST}/?x=50%25_a&b=~c#d",
    published=date(2026, 8, 24),
    as_of=datetime(2026, 8, 24, 19, 7, tzinfo=UTC),
    accessed=date(2026, 12, 1),
)


def rerun(**fields: Any) -> Rerun:
    given = {
        "operator": "ada", "machine": "m1", "verdict": Verdict.AGREES, "accepted": True, "date": date(2026, 12, 3),
        "hardware": "H100 80GB HBM3", "band_percent": 5, "processes": 5,
    }  # fmt: skip
    return Rerun(**given | fields)


def judged(*reruns: Rerun, reachable: bool = False) -> Citation:
    found = Facts(True, reachable, reachable, True, reruns)
    return replace(SOL, level=evidence.level(found), evidence=evidence.sentence(found), rerun_count=len(found.reruns))


WITHDRAWN = replace(
    SOL, states=("withdrawn 2026-09-01: wrong unit",), rank="Not ranked (WITHDRAWN) in its comparison group",
    place="0 of 1 run of its group are ranked", as_of=datetime(2026, 9, 1, 12, 0, 0, 1, UTC),
)  # fmt: skip
HOSTILE = r"R&D_50% #1 {x} ~^\ $y$ ``q'' --- <b>|</b> \textbf{z} @misc{a, b = {c}} ?`!` and % ,"
# Every state that a run can be cited in.
STATES = {
    "plain": SOL,
    "ranked of many": replace(
        SOL, rank="Rank 3 in its comparison group", place="3 of 260 runs",
        coverage="260 runs by 31 authors; the source lists 1,251 runs, 260 taken (top 260, 2026-08-15)",
    ),
    "tied": replace(SOL, place="2 of 5 runs · shared with 2 others"),
    "unranked": replace(SOL, rank="Not ranked (STATUS_TIMEOUT, MISSING_PRIMARY_METRIC) in its comparison group"),
    "no measurement": replace(SOL, metric=None, value=None, unit=None, statistic=None),
    "flagged": replace(SOL, states=("flagged FLAGGED_IMPLAUSIBLE 2026-09-01: below its lower bound",)),
    "withdrawn": WITHDRAWN,
    "superseded": replace(SOL, states=(f"superseded 2026-09-01 by {DIGEST}: Measured again",)),
    "withdrawn and flagged": replace(WITHDRAWN, states=("flagged X 2026-08-30: a & b", *WITHDRAWN.states)),
    "samples counted": replace(SOL, n=12_000),
    "throughput": replace(SOL, metric="throughput", value="1,812", unit="GB/s", statistic="median across samples"),
    "memory": replace(SOL, metric="peak_memory", value="3.05", unit="GiB", statistic="peak across samples; one case"),
    "reproducible": judged(reachable=True),
    "verified": judged(rerun()),
    "replicated": judged(rerun(), rerun(operator="bob", machine="m2")),
    "rerun, not confirmed": judged(rerun(verdict=Verdict.SLOWER)),
    "several measured": replace(SOL, creators=("Ada and Bob, Inc.", "R&D {x}", "名前")),
    "a source in another script": replace(SOL, source="源", creators=("源",)),
    "hostile": replace(
        SOL, creators=(HOSTILE,), source=HOSTILE, implementation=HOSTILE, operation=HOSTILE, workload=HOSTILE,
        gpu=HOSTILE, protocol=HOSTILE, coverage=HOSTILE, states=(f"withdrawn 2026-09-01: {HOSTILE}",),
    ),
    "line breaks and controls": replace(
        SOL, implementation="a\r\nER  - \r\nTY  - BOOK\nb\x0bc\x85d\u2028e\x00f", gpu="x\n}\n@misc{evil,\n",
        creators=("one\r\nAU  - two",), workload="\u202e123\u202c\u200b\ufeff", protocol=" \t spaced \u202f out ",
    ),
    "long": replace(SOL, implementation="ä" * 10_000, protocol="word " * 2_000),
}  # fmt: skip


@pytest.mark.parametrize("name", STATES)
def test_every_fact_comes_back_from_every_format_and_is_equal_across_them(name: str) -> None:
    cited = STATES[name]
    read = read_back(cited)
    assert list(read) == [
        "bibtex by_bibtexparser", "bibtex by_pybtex", "biblatex by_bibtexparser", "biblatex by_pybtex",
        "csl by_citeproc", "ris by_rispy",
    ]  # fmt: skip
    assert read == {form: expected(cited, form) for form in read}


def said(c: Citation) -> list[str]:
    """Each fact in words, as every format must have it."""
    n = "n not stated" if c.n is None else f"n = {c.n:,}"
    figure = "no measurement" if c.value is None else f"{c.metric} {c.value} {c.unit}"
    words = [
        *c.creators, f"Source: {c.source}", c.implementation, c.operation, c.workload, figure,
        c.statistic or "no statistic", n, c.gpu, f"protocol {c.protocol} ({c.protocol_digest[7:19]})", c.rank,
        c.group[7:19], c.place, c.policy, f"Coverage: {c.coverage}", f"Evidence level {c.level}: {c.evidence}",
        *c.states,
    ]  # fmt: skip
    return [*map(plain, words), f"as of {citation.instant(c.as_of)}", c.digest, c.permalink]


@pytest.mark.parametrize("name", STATES)
def test_every_fact_is_said_in_every_format(name: str) -> None:
    c = STATES[name]
    wholes = {form: " ".join(str(fact) for fact in read.values()) for form, read in read_back(c).items()}
    wholes |= {form: FORMATS[form].write(c) for form in ("text", "footnote")}
    assert {form: [words for words in said(c) if words not in whole] for form, whole in wholes.items()} == {
        form: [] for form in wholes
    }
    assert all("\n" not in wholes[form] for form in ("text", "footnote"))


SOL_MEASURED = (
    "mean over the suite's 16 cases; per-case estimator not stated; n not stated; NVIDIA B200; "
    "protocol SOL-ExecBench evaluation stack v1.0 (2964c5c4ed9c)"
)
SOL_NOTE = (
    f"{SOL_MEASURED}. Rank 1 in its comparison group (5d97d1668cb9), 1 of 1 runs: only entry so far (ranking-v2), as "
    "of 2026-08-24T19:07:00Z. Coverage: 1 run by 1 author; source total unknown. Evidence level reported: reported by "
    "the source; reported, not rerun by KernelIndex. Source: NVIDIA SOL-ExecBench"
)
SOL_TITLE = "ac4k, Adaptive instance normalization 2d backward, suite of 16 cases · mean latency: latency 209.8 µs"
TOLD = SOL_NOTE.removeprefix(SOL_MEASURED)  # what stands after the parenthesis
WRITTEN = {
    "text": f"NVIDIA SOL-ExecBench (2026): {SOL_TITLE} ({SOL_MEASURED}){TOLD}. KernelIndex, run {DIGEST}, published "
    f"2026-08-24. {SOL.permalink} (accessed 2026-12-01).",
    "footnote": f"{SOL_TITLE} ({SOL_MEASURED}), measured by NVIDIA SOL-ExecBench{TOLD}. KernelIndex, run {DIGEST}, "
    f"{SOL.permalink}, retrieved 2026-12-01.",
    "bibtex": f"""@misc{{nvidiasolexecbench_2026_7331cf583fb6,
  author = {{{{NVIDIA SOL-ExecBench}}}},
  title = {{{{{SOL_TITLE}}}}},
  year = {{2026}},
  month = aug,
  publisher = {{KernelIndex}},
  version = {{7331cf583fb6}},
  url = {{{SOL.permalink}}},
  note = {{{SOL_NOTE}. Run {DIGEST}, accessed 2026-12-01}},
}}""",
    "biblatex": f"""@dataset{{nvidiasolexecbench_2026_7331cf583fb6,
  author = {{{{NVIDIA SOL-ExecBench}}}},
  title = {{{{{SOL_TITLE}}}}},
  date = {{2026-08-24}},
  publisher = {{KernelIndex}},
  version = {{7331cf583fb6}},
  note = {{{SOL_NOTE}. Run {DIGEST}}},
  url = {{{SOL.permalink}}},
  urldate = {{2026-12-01}},
}}""",
    "csl": f"""[
  {{
    "id": "nvidiasolexecbench_2026_7331cf583fb6",
    "type": "dataset",
    "title": "{SOL_TITLE}",
    "author": [{{"literal": "NVIDIA SOL-ExecBench"}}],
    "issued": {{"date-parts": [[2026, 8, 24]]}},
    "publisher": "KernelIndex",
    "version": "7331cf583fb6",
    "note": "{SOL_NOTE}. Run {DIGEST}",
    "URL": "{SOL.permalink}",
    "accessed": {{"date-parts": [[2026, 12, 1]]}}
  }}
]""",
    "ris": f"""TY  - DATA\r
ID  - nvidiasolexecbench_2026_7331cf583fb6\r
AU  - NVIDIA SOL-ExecBench\r
TI  - {SOL_TITLE}\r
PY  - 2026\r
DA  - 2026/08/24\r
PB  - KernelIndex\r
ET  - 7331cf583fb6\r
N1  - {SOL_NOTE}. Run {DIGEST}\r
UR  - {SOL.permalink}\r
Y2  - 2026/12/01\r
ER  - """,
}


@pytest.mark.parametrize("form", FORMATS)
def test_each_format_word_for_word(form: str) -> None:
    assert FORMATS[form].write(SOL) == WRITTEN[form]


@pytest.mark.parametrize("form", FORMATS)
def test_the_access_date_is_the_last_of_its_form_and_all_that_a_readers_day_changes(form: str) -> None:
    written = FORMATS[form]
    theirs = replace(SOL, published=SOL.accessed, implementation="2026-12-01 2026/12/01 2026, 12, 1")
    head, day, tail = written.write(theirs).rpartition(written.day(theirs.accessed))
    other = date(2027, 1, 2)
    assert written.write(replace(theirs, accessed=other)) == head + written.day(other) + tail
    assert day


@pytest.mark.parametrize("form", FORMATS)
def test_a_withdrawn_number_does_not_read_as_valid(form: str) -> None:
    start = "[withdrawn 2026-09-01: wrong unit] ac4k, Adaptive instance"
    written = FORMATS[form].write(WITHDRAWN)
    assert written.startswith(start) if form == "footnote" else start in written
    assert (
        "Not ranked (WITHDRAWN) in its comparison group (5d97d1668cb9), 0 of 1 run of its group are ranked" in written
    )


@pytest.mark.parametrize(
    ("cited", "told"),
    [
        (judged(), "Evidence level reported: reported by the source; reported, not rerun by KernelIndex"),
        (
            judged(reachable=True),
            "Evidence level reproducible: artifacts available, nobody has rerun it; reported, not rerun by KernelIndex",
        ),
        (
            judged(rerun(verdict=Verdict.SLOWER)),
            "Evidence level reported: reported by the source; one controlled rerun without confirmation (slower); "
            "reported, not confirmed by KernelIndex",
        ),
        (
            judged(rerun()),
            "Evidence level verified: one controlled rerun on 2026-12-03, H100 80GB HBM3, agreed within 5 % "
            "(5 processes)",
        ),
        (
            judged(rerun(), rerun(operator="bob", machine="m2")),
            "Evidence level replicated: two controlled reruns agreed: 2026-12-03, H100 80GB HBM3, agreed within 5 % "
            "(5 processes) by ada; 2026-12-03, H100 80GB HBM3, agreed within 5 % (5 processes) by bob",
        ),
    ],
)
def test_below_verified_it_says_that_the_number_is_the_sources_word(cited: Citation, told: str) -> None:
    assert cited.trust == f"{told}. Source: NVIDIA SOL-ExecBench"


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (datetime(2026, 8, 24, 19, 7, tzinfo=UTC), "2026-08-24T19:07:00Z"),
        (datetime(2026, 8, 24, 19, 7, 59, 1, UTC), "2026-08-24T19:08:00Z"),  # never before what it is as of
        (datetime(2026, 8, 24, 23, 30, tzinfo=timezone(timedelta(hours=-2))), "2026-08-25T01:30:00Z"),
        (datetime(1969, 12, 31, 23, 59, 59, 500, UTC), "1970-01-01T00:00:00Z"),
    ],
)
def test_the_instant_is_written_in_utc_to_the_second(at: datetime, written: str) -> None:
    assert citation.instant(at) == written


@pytest.mark.parametrize(
    ("written", "one_line"),
    [
        ("a\r\nb\u2028c\x85d\x1ce\x0bf", "a b c d e f"),
        ("209.8\u202fµs\u00a0", "209.8 µs"),
        ("1\u202e23\u2066\u200b\u200e\ufeff\x00\x7f4", "1234"),
        ("\u0645\u06cc\u200c\u0634\u0648\u062f", "\u0645\u06cc\u200c\u0634\u0648\u062f"),
        ("   a  b ", "a b"),
        ("\ud800x", "x"),
    ],
)
def test_what_would_break_a_line_or_turn_it_round_is_gone(written: str, one_line: str) -> None:
    assert plain(written) == one_line


@pytest.mark.parametrize(
    ("written", "escaped"),
    [
        (r"R&D_50% #1 $", r"R\&D\_50\% \#1 \$"),
        ("{x}~^\\", r"\textbraceleft{}x\textbraceright{}\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("a < b | c > d", r"a \textless{} b \textbar{} c \textgreater{} d"),
        ("a--b ---", "a-{}-b -{}-{}-"),
        ("``q'' ?`x !` a,,b", "`{}`q'{}' ?{}`x !{}` a,{},b"),
        ("it's 209.8 µs · 3×", "it's 209.8 µs · 3×"),
    ],
)
def test_tex_prints_the_characters_that_were_given(written: str, escaped: str) -> None:
    assert tex(written) == escaped


def test_a_note_sets_no_variable_of_a_csl_processor() -> None:
    [item] = json.loads(citation.csl(replace(SOL, protocol="{:title:Mine}")))
    assert "{:" not in item["note"]
    assert "{ :title:Mine}" in item["note"]


def test_csl_uses_the_words_of_its_official_schema_and_a_style_sets_it() -> None:
    schemas = Path(citeproc.__file__).parent / "data/schema/schemas/styles"
    types, variables = (
        set(re.findall(r'"([^"]+)"', (schemas / f"csl-{name}.rnc").read_text())) for name in ("types", "variables")
    )
    [item] = json.loads(citation.csl(SOL))
    assert item["type"] in types
    assert item.keys() - {"id", "type"} <= variables
    style = CitationStylesStyle("harvard-cite-them-right", validate=False)
    library = CitationStylesBibliography(style, CiteProcJSON([item]), formatter.plain)
    library.register(Cited([CitationItem(SOL.key)]))
    assert [str(line) for line in library.bibliography()] == [
        f"NVIDIA SOL-ExecBench (2026) “{SOL_TITLE}”. KernelIndex. Available at: {SOL.permalink} "
        "(Accessed: December 1, 2026)."
    ]


@pytest.mark.parametrize(
    ("source", "key"),
    [("NVIDIA SOL-ExecBench", "nvidiasolexecbench_2026_7331cf583fb6"), ("源", "run_2026_7331cf583fb6")],
)
def test_the_key_is_source_year_and_short_digest_in_every_format(source: str, key: str) -> None:
    cited = replace(SOL, source=source)
    assert {read["key"] for read in read_back(cited).values()} == {key}


def test_the_table_names_each_format_its_ending_and_its_media_type() -> None:
    assert [(name, form.ending, form.media_type) for name, form in FORMATS.items()] == [
        ("text", "txt", "text/plain"),
        ("footnote", "footnote.txt", "text/plain"),
        ("bibtex", "bib", "application/x-bibtex"),
        ("biblatex", "biblatex.bib", "application/x-bibtex"),
        ("csl", "csl.json", "application/vnd.citationstyles.csl+json"),
        ("ris", "ris", "application/x-research-info-systems"),
    ]


WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=30).filter(plain)


@given(
    st.builds(
        replace, st.just(SOL), creators=st.lists(WORDS, min_size=1, max_size=3).map(tuple), source=WORDS,
        implementation=WORDS, operation=WORDS, workload=WORDS, gpu=WORDS, protocol=WORDS, coverage=WORDS,
        states=st.lists(WORDS, max_size=2).map(tuple),
    )
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back_as_the_same_words(cited: Citation) -> None:
    read = read_back(cited)
    assert read == {form: expected(cited, form) for form in read}


@given(st.text(st.characters(exclude_categories=("C", "Z"), include_characters=" \n\t\u00a0\u202f")))
def test_printable_words_stay_as_they_were_written(written: str) -> None:
    assert plain(written).split(" ") == (written.split() or [""])
