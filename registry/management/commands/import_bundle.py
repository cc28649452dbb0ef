"""Import bundles of documents, all or nothing. Exit 0: done. 1: unreadable or refused, nothing written. 2: usage."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import syncs
from registry.importers.base import Unreadable
from registry.ingest import Refusal
from registry.management.commands._reporting import UNREADABLE_OR_REFUSED, USAGE, Progress, fail, print_report


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", type=Path, nargs="+", metavar="PATH", help="a JSON or YAML bundle")
        parser.add_argument("--source", default="community", metavar="SLUG", help="whom the runs belong to")
        parser.add_argument("--dry-run", action="store_true", help="report what would be written, write nothing")
        parser.add_argument("--json", action="store_true", help="the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        progress = Progress(sys.stderr, "entries")
        try:
            report = syncs.import_bundles(
                options["paths"],
                source_slug=options["source"],
                now=timezone.now(),
                is_dry_run=options["dry_run"],
                on_read=progress.read,
                on_write=progress.write,
            )
        except syncs.UnknownSourceError as error:
            fail(str(error), USAGE)
        except Unreadable as error:
            fail(f"unreadable, nothing was written: {error}", UNREADABLE_OR_REFUSED)
        except Refusal as refusal:
            print_report(refusal.report, self.stdout, as_json=options["json"])
            fail(f"{refusal}; nothing was written", UNREADABLE_OR_REFUSED)
        else:
            print_report(report, self.stdout, as_json=options["json"])
