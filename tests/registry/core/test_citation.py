from dataclasses import replace
from datetime import date

import bibtexparser
import pytest

from registry.core import citation
from registry.core.citation import Citation
from registry.core.evidence import Level

DIGEST = "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
SOL = Citation(
    creator="ac4k",
    source="NVIDIA SOL-ExecBench",
    title_parts=("ac4k", "Adaptive instance normalization 2d backward", "suite of 16 cases · mean latency"),
    value="209.8 µs",
    statistic="mean over the suite's 16 cases; per-case estimator not stated",
    n=None,
    gpu="NVIDIA B200 (sm_100)",
    protocol="SOL-ExecBench evaluation stack v1.0",
    protocol_digest="sha256:2964c5c4ed9cb0dcdc0f74674035bc71bf5e66620939e38441060f76434ed3e5",
    rank="Rank 1 of 1 run (ranking-v2)",
    level=Level.REPORTED,
    evidence="reported by the source",
    rerun_count=0,
    state=None,
    digest=DIGEST,
    permalink=f"https://kernelindex.example/runs/{DIGEST}?as_of=2026-12-01T00:00:00Z&x=50%25_a",
    published=date(2026, 8, 24),
    accessed=date(2026, 12, 1),
)
WITHDRAWN = replace(SOL, state="withdrawn 2026-09-01: wrong unit", rank="No rank: the run was withdrawn")


def test_the_text_says_what_was_measured_how_and_on_whose_word():
    assert citation.text(SOL) == (
        "ac4k (2026): ac4k, Adaptive instance normalization 2d backward, suite of 16 cases · mean latency: 209.8 µs "
        "(mean over the suite's 16 cases; per-case estimator not stated; sample count not stated; "
        "NVIDIA B200 (sm_100); protocol SOL-ExecBench evaluation stack v1.0 (2964c5c4ed9c)). "
        "Rank 1 of 1 run (ranking-v2). Source: NVIDIA SOL-ExecBench; reported, not rerun by KernelIndex. "
        f"KernelIndex, run {DIGEST}. {SOL.permalink} (published 2026-08-24, accessed 2026-12-01)."
    )


def test_a_withdrawn_number_does_not_read_as_valid():
    start = "[withdrawn 2026-09-01: wrong unit] ac4k, Adaptive instance"
    assert citation.text(WITHDRAWN).startswith(f"ac4k (2026): {start}")
    assert f"title = {{{{{start}" in citation.bibtex(WITHDRAWN)


@pytest.mark.parametrize(
    ("level", "reruns", "evidence", "said"),
    [
        (Level.REPORTED, 0, "reported by the source", "reported, not rerun by KernelIndex"),
        (Level.REPRODUCIBLE, 0, "artifacts available, nobody has rerun it", "reported, not rerun by KernelIndex"),
        (Level.REPORTED, 1, "reported by the source; one controlled rerun without confirmation (slower)", None),
        (Level.VERIFIED, 1, "one controlled rerun on 2026-12-03, H100, agreed within 5 % (5 processes)", None),
    ],
)
def test_below_verified_it_says_that_nobody_here_has_rerun_it_unless_somebody_has(level, reruns, evidence, said):
    cited = replace(SOL, level=level, rerun_count=reruns, evidence=evidence)
    assert cited.standing == f"Rank 1 of 1 run (ranking-v2). Source: NVIDIA SOL-ExecBench; {said or evidence}"


def test_a_stated_sample_count_is_told():
    assert "not stated; n = 1,000; NVIDIA B200" in citation.text(replace(SOL, n=1000))


def test_bibtex_is_read_back_by_a_parser():
    cited = replace(SOL, creator="R&D_50% #1 {x ~^\\ $", value="209.8\u202fµs")
    library = bibtexparser.parse_string(citation.bibtex(cited))
    [read] = library.entries
    assert library.failed_blocks == []
    assert (read.entry_type, read.key) == ("misc", "nvidiasolexecbench_2026_7331cf583fb6")
    assert {field.key: field.value for field in read.fields} == {
        "author": r"{R\&D\_50\% \#1 \textbraceleft{}x \textasciitilde{}\textasciicircum{}\textbackslash{} \$}",
        "title": "{ac4k, Adaptive instance normalization 2d backward, suite of 16 cases · mean latency: 209.8 µs}",
        "year": "2026",
        "month": "aug",
        "publisher": "KernelIndex",
        "version": "7331cf583fb6",
        "url": SOL.permalink,
        "note": "mean over the suite's 16 cases; per-case estimator not stated; sample count not stated; "
        r"NVIDIA B200 (sm\_100); protocol SOL-ExecBench evaluation stack v1.0 (2964c5c4ed9c). "
        "Rank 1 of 1 run (ranking-v2). Source: NVIDIA SOL-ExecBench; reported, not rerun by KernelIndex. "
        f"Run {DIGEST}, accessed 2026-12-01",
    }


def test_the_month_is_bare_and_the_url_is_not_escaped():
    lines = citation.bibtex(SOL).splitlines()
    assert "  month = aug," in lines
    assert f"  url = {{{SOL.permalink}}}," in lines


def test_every_format_is_one_function_of_the_table():
    assert {name: write(SOL).count(DIGEST) for name, write in citation.FORMATS.items()} == {"text": 2, "bibtex": 2}
