"""Import an upstream's file or folder, and publish it at once.

Exit 0: done, rejected rows are reported; or read before, nothing to do. 1: unreadable, nothing written. 2: usage, or
facts are missing, each asked for. 3: read, and waiting for a review (--review).
"""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import syncs
from registry.importers import IMPORTERS
from registry.importers.base import MissingFacts, Unreadable
from registry.management.commands import _facts
from registry.management.commands._reporting import UNREADABLE_OR_REFUSED, USAGE, WAITS, Progress, fail, print_report
from registry.models.syncs import SyncState

SAME = "nothing to do (--again reads it anyway): the same input was published on"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", choices=sorted(IMPORTERS), help="slug of the source")
        parser.add_argument("--path", type=Path, required=True, help="the upstream's file")
        parser.add_argument("--dry-run", action="store_true", help="report what would be written, write nothing")
        parser.add_argument("--json", action="store_true", help="the report as JSON")
        parser.add_argument("--again", action="store_true", help="read the input even where it was published before")
        parser.add_argument("--source", dest="into", help="whom a tool's output belongs to (community without)")
        _facts.add_arguments(parser)
        parser.add_argument("--review", action="store_true", help="read it, and leave publishing to the admin")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._import(options)
        except (_facts.FactsError, syncs.SyncError, syncs.UnknownSourceError) as error:
            fail(str(error), USAGE)
        except Unreadable as error:
            fail(f"unreadable, nothing was written: {error}", UNREADABLE_OR_REFUSED)
        except MissingFacts as missing:
            tell = _facts.as_json if options["json"] else _facts.skeleton
            self.stdout.write(tell(missing.questions))
            fail(f"{_facts.OPEN}\n{_facts.asked(missing.questions)}", USAGE)

    def _import(self, options: dict[str, Any]) -> None:
        slug, path, now = options["source"], options["path"], timezone.now()
        given = {"answers": _facts.of(options), "source_slug": options["into"]}
        if options["review"]:
            self._review(syncs.review_file(slug, path, now=now, **given))
            return
        is_new = options["again"] or options["dry_run"]
        if not is_new and (before := syncs.seen_again(slug, path, now=now, **given)):
            same = f"{slug}: {SAME} {before.report['read_on']}"
            told = json.dumps(before.report, indent=2) if options["json"] else same
            self.stdout.write(f"{told}\n")
            return
        progress = Progress(sys.stderr, "entries")
        report = syncs.import_file(
            slug,
            path,
            now=now,
            **given,
            is_dry_run=options["dry_run"],
            on_read=progress.read,
            on_write=progress.write,
        )
        print_report(report, self.stdout, as_json=options["json"])

    def _review(self, sync: Any) -> None:
        told = sync.error or sync.waits_because or sync.decision_reason
        self.stdout.write(f"sync {sync.pk} is {sync.get_state_display()}: {told}\n")
        if sync.state == SyncState.FAILED:
            raise SystemExit(UNREADABLE_OR_REFUSED)
        raise SystemExit(WAITS if sync.state == SyncState.WAITING else 0)
