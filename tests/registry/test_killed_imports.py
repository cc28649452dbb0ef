"""An import that is killed (SIGKILL) leaves whole batches only, and doing it again completes it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.factories import bundle_of, digest_of, run_entry
from tests.registry.importers.test_catalog_export import OTHER, RUN, WHOLE, runs_row, text_of

ROOT = Path(__file__).parents[2]


def sweep(folder: Path) -> Path:
    """Eight rows of four groups, whose runs lie across batches of three."""
    header, *rows = (ROOT / "registry/fixtures/liger-relu-squared.csv").read_text().splitlines()
    first = [row for row in rows if ",forward," in row]
    chosen = [row for size in (128, 256, 512, 1024) for row in first if f",hidden size,{size}," in row]
    path = folder / "rows.csv"
    path.write_text("\n".join([header, *chosen]) + "\n")
    return path


def bundle_of_three(folder: Path) -> Path:
    path = folder / "bundle.json"
    path.write_text(json.dumps(bundle_of(*(run_entry(timing__latencyNs__median=ns) for ns in (1000, 2000, 1000)))))
    return path


def export(folder: Path) -> Path:
    """Two runs of which the second, in another batch, supersedes the first."""
    second = run_entry(observedAt="2026-07-02T00:00:00Z", timing__latencyNs__median=900)
    row = runs_row(second, id=OTHER, runDigest=digest_of(second["run"]), supersedesId=RUN)
    path = folder / "catalog.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(text_of([*WHOLE[:-1], ("benchmark_runs", row), WHOLE[-1]])))
    return path


WHOLE_INPUT = 1_000
INPUTS = {  # rows a batch, runs a window, and so batches
    "a sweep whose groups lie across batches": (sweep, 3, WHOLE_INPUT, 13),
    "a sweep of three windows, whose groups lie across them": (sweep, 3, 3, 14),
    "a bundle": (bundle_of_three, 1, WHOLE_INPUT, 9),
    "an export with a correction": (export, 1, WHOLE_INPUT, 12),
    "an export with a correction in a later window": (export, 1, 1, 12),
}


@pytest.fixture(scope="module", params=INPUTS.values(), ids=INPUTS.keys())
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What came of being killed after and within each batch of an import into a database file of its own."""
    write, size, window, batches = request.param
    folder = tmp_path_factory.mktemp("killed")
    path = write(folder)
    environment = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "KI_MEDIA")}
    environment |= {
        "KI_DATA": str(folder / "var"), "DJANGO_SETTINGS_MODULE": "kernelindex.settings", "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests/registry/killing.py"), str(path), str(size), str(window)],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) | {"expected_batches": batches}


def test_it_is_killed_after_and_within_each_batch(killed: dict[str, Any]) -> None:
    batches = killed["expected_batches"]
    assert killed["whole"]["batches"] == batches
    assert [attempt["died"] for attempt in killed["attempts"]] == [-9] * (2 * batches)


def test_whole_batches_are_left_and_nothing_of_the_one_it_died_in(killed: dict[str, Any]) -> None:
    left = [(attempt["where"], attempt["number"], attempt["left"]["batches"]) for attempt in killed["attempts"]]
    batches = range(1, killed["expected_batches"] + 1)
    assert left == [("after", n, n) for n in batches] + [("within", n, n - 1) for n in batches]


def test_what_is_left_holds_together(killed: dict[str, Any]) -> None:
    assert [attempt for attempt in killed["attempts"] if attempt["left"]["faults"]] == []


def test_doing_it_again_completes_it(killed: dict[str, Any]) -> None:
    whole = killed["whole"]
    for attempt in killed["attempts"]:
        done = attempt["done"]
        assert done["faults"] == [], attempt["where"]
        assert (done["tables"], done["standings"]) == (whole["tables"], whole["standings"])
