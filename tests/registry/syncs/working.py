"""Run by test_killed_workers in processes of its own: a real worker, its queue and its database.

`worker`: the cluster as a site runs it, its upstream answering from here, and killed with all that it started at a
counted step where the environment says so. `story`: ask for a sync, let one worker be killed at it, start another, and
print one JSON object of what came of it.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402  after setup
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from registry import syncs  # noqa: E402
from registry.ingest import writing  # noqa: E402
from registry.models import Run, Sync, SyncFile  # noqa: E402
from registry.verifying import verify  # noqa: E402
from tests.registry.syncs.reading import (  # noqa: E402
    BYTES,
    answering,
    asked,
    first_rows,
    held,
    liger_source,
    published,
    uploaded,
)

PAGES = (first_rows(16), BYTES)
ROWS_A_BATCH = 8
PATIENCE = 60  # seconds until a worker must have done what it was started for
LEASE = 8  # seconds: longer than a busy machine takes to look at what was left


def worker() -> None:
    """The cluster. KILLED_AT: `fetching:1`, before that page is asked for; `publishing:5`, when 5 batches stand."""
    where, _, number = os.environ.get("KILLED_AT", "").partition(":")
    if where == "publishing":
        for name in ("_batch", "_run_batch", "_beside_batch"):
            setattr(writing.Writer, name, deadly(getattr(writing.Writer, name), int(number)))
    writing.Writer._chunks = chunks  # type: ignore[method-assign]

    def before_page(page: int) -> None:
        note(f"page {page}")
        if where == "fetching" and page == int(number):
            die()

    syncs.run = partial(syncs.run, fetch=answering(*PAGES, before_page=before_page))  # type: ignore[assignment]
    call_command("qcluster")


def chunks(self: writing.Writer, kind: object, rows: list[Any], at_least: int = 0) -> Iterator[list[Any]]:
    for start in range(0, len(rows), ROWS_A_BATCH):
        yield rows[start : start + ROWS_A_BATCH]
        self.on_write(start, len(rows))


def deadly(act: Callable[..., None], number: int) -> Callable[..., None]:
    def counted(self: writing.Writer, *arguments: Any, **options: Any) -> None:
        act(self, *arguments, **options)
        if self.batches == number:
            die()

    return counted


def die() -> None:
    """As a machine dies: the whole worker at once, nothing told to anybody."""
    os.killpg(0, signal.SIGKILL)


def note(told: str) -> None:
    with Path(os.environ["NOTES"]).open("a") as file:
        file.write(f"{told}\n")


def story(killed_at: str) -> None:
    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    sync = ask(killed_at)
    first = start(killed_at)
    died = first.wait(PATIENCE)
    sync.refresh_from_db()
    left = [sync.state, Run.objects.count(), SyncFile.objects.filter(sync=sync).count()]
    early = syncs.tick(now=timezone.now()).rung
    time.sleep(LEASE)
    late = syncs.tick(now=timezone.now()).rung
    second = start("")
    wait_for(sync)
    second.send_signal(signal.SIGTERM)
    stopped = second.wait(PATIENCE)
    sync.refresh_from_db()
    told = {
        "died": died, "left": left, "rung": [early, late], "stopped": stopped, "state": sync.state, "error": sync.error,
        "attempts": sync.attempts, "notes": Path(os.environ["NOTES"]).read_text().split("\n")[:-1],
        "differences": [difference.text for difference in verify().differences], "held": held(),
    }  # fmt: skip
    print(json.dumps(told))


def ask(killed_at: str) -> Sync:
    """A source that is published in part, and a sync of the rest, by its own way in."""
    source = liger_source()
    published(source, first_rows(8), now=timezone.now())
    return (
        asked(source, now=timezone.now()) if killed_at.startswith("fetching") else uploaded(source, now=timezone.now())
    )


def start(killed_at: str) -> "subprocess.Popen[bytes]":
    connection.close()
    process = subprocess.Popen(
        [sys.executable, __file__, "worker"], start_new_session=True, env=os.environ | {"KILLED_AT": killed_at}
    )
    atexit.register(end, process)
    return process


def end(process: "subprocess.Popen[bytes]") -> None:
    """Whatever became of the story: a worker that outlived it would take the tasks of the next one."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def wait_for(sync: Sync) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and Sync.objects.get(pk=sync.pk).state != "done":
        time.sleep(0.2)


if __name__ == "__main__":
    worker() if sys.argv[1] == "worker" else story(sys.argv[2])
