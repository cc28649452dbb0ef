"""Run by test_killed_imports in a process of its own: import a file once for each batch and be killed there.

Each attempt is a child of its own on a fresh database file; what it left is judged and then completed here.
Prints one JSON object: what a whole import holds, and what each attempt led to.
"""

import json
import os
import shutil
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import django

django.setup()

from django.apps import apps  # noqa: E402  after setup
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from registry import ingest, standings, syncs  # noqa: E402
from registry.core.digest import sha256  # noqa: E402
from registry.ingest import writing  # noqa: E402
from registry.models import (  # noqa: E402
    Batch,
    ComparisonGroup,
    EvidenceLevel,
    GroupStanding,
    Project,
    ProjectRevision,
    Run,
    Sighting,
    Standing,
)
from registry.staging import reader  # noqa: E402

DATABASE = Path(settings.DATABASES["default"]["NAME"])
SIZE = int(sys.argv[2])  # rows a batch
reader.WINDOW_RUNS = int(sys.argv[3])


def main(path: Path) -> None:
    call_command("migrate", verbosity=0)
    connection.close()
    template = DATABASE.with_suffix(".template")
    shutil.copy(DATABASE, template)
    bring_in(path)
    whole, attempts = held(), []
    for where in ("after", "within"):
        for number in range(1, whole["batches"] + 1):
            renew(template)
            died = in_child(lambda where=where, number=number: killed(path, where, number))
            left = {"faults": faults(), **held()}
            bring_in(path)
            done = {"faults": faults(), **held()}
            attempts.append({"where": where, "number": number, "died": died, "left": left, "done": done})
    print(json.dumps({"whole": whole, "attempts": attempts}))


def renew(template: Path) -> None:
    """A fresh database file, and no connection to it."""
    connection.close()
    for suffix in ("", "-wal", "-shm"):
        Path(f"{DATABASE}{suffix}").unlink(missing_ok=True)
    shutil.copy(template, DATABASE)


def in_child(act: Callable[[], None]) -> int:
    """The signal, negative, that ended a child which did this."""
    child = os.fork()
    if child == 0:
        act()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def bring_in(path: Path) -> None:
    def chunks(self: Any, kind: object, rows: list[Any], at_least: int = 0) -> Iterator[list[Any]]:
        yield from (rows[start : start + SIZE] for start in range(0, len(rows), SIZE))

    writing.Writer._chunks = chunks
    if path.suffix == ".json":
        syncs.import_bundles([path], source_slug="community", now=timezone.now())
    elif path.suffix == ".csv":
        syncs.import_file("liger-kernel-bench", path, now=timezone.now())
    else:
        syncs.import_file("catalog-export", path, now=timezone.now())


def killed(path: Path, where: str, number: int) -> None:
    """Import, and be killed after the nth batch or, its rows written, within it."""
    seen = 0

    def deadly(act: Callable[..., None]) -> Callable[..., None]:
        def wrapped(*arguments: Any, **options: Any) -> None:
            nonlocal seen
            act(*arguments, **options)
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)

        return wrapped

    for name in ("_insert",) if where == "within" else ("_batch", "_run_batch", "_beside_batch"):
        setattr(writing.Writer, name, deadly(getattr(writing.Writer, name)))
    bring_in(path)


def held() -> dict[str, Any]:
    """What the registry holds, without what depends on when it came in."""
    tables = {model.__name__: model._default_manager.count() for model in apps.get_app_config("registry").get_models()}
    batches = tables.pop("Batch")
    rows = Standing.objects.order_by("run__digest").values_list("run__digest", "rank", "tied", "reasons", "has_marks")
    return {"batches": batches, "tables": tables, "standings": [list(row) for row in rows]}


def faults() -> list[str]:
    """What an import must never leave behind."""
    found = [f"{model.__name__} lacks runs" for model in (Standing, EvidenceLevel, Sighting) if lacks_runs(model)]
    found += unaccounted()
    groups = list(ComparisonGroup.objects.values_list("id", flat=True))
    derived = standings.derive(groups)
    for model, rows, key in ((Standing, derived.standings, "run_id"), (GroupStanding, derived.groups, "group_id")):
        if sorted(rows, key=lambda row: row[key]) != sorted(model.objects.values(), key=lambda row: row[key]):
            found.append(f"{model.__name__} is not what follows")
    if set(Run.objects.values_list("group", flat=True)) != set(groups):
        found.append("a group without runs")
    if Project.objects.filter(newest=None).exists() or Project.objects.count() > ProjectRevision.objects.count():
        found.append("a project without a revision")
    return found


def lacks_runs(model: Any) -> bool:
    return set(model.objects.values_list("run", flat=True)) != set(Run.objects.values_list("id", flat=True))


def unaccounted() -> list[str]:
    """Batches whose rows are not those that they say they wrote."""
    lines: dict[Any, list[str]] = defaultdict(list)
    counts: dict[Any, Counter[str]] = defaultdict(Counter)
    for model in apps.get_app_config("registry").get_models():
        if any(field.name == "batch" for field in model._meta.concrete_fields):
            for row in model._default_manager.exclude(batch=None).values():
                lines[row["batch_id"]].append(ingest.contents_line(model, row))
                counts[row["batch_id"]][model._meta.db_table] += 1
    return [
        f"batch {batch.id}"
        for batch in Batch.objects.all()
        if sha256("\n".join(sorted(lines[batch.id]))) != batch.contents or counts[batch.id] != Counter(batch.counts)
    ]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
