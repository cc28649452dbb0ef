"""Import an upstream's file. Exit 0: done, rejected rows are reported. 1: unreadable, nothing written. 2: usage."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import syncs
from registry.importers import IMPORTERS
from registry.importers.base import Unreadable
from registry.management.commands._reporting import UNREADABLE_OR_REFUSED, Progress, fail, print_report


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", choices=sorted(IMPORTERS), help="slug of the source")
        parser.add_argument("--path", type=Path, required=True, help="the upstream's file")
        parser.add_argument("--dry-run", action="store_true", help="report what would be written, write nothing")
        parser.add_argument("--json", action="store_true", help="the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        progress = Progress(sys.stderr, "entries")
        try:
            report = syncs.import_file(
                options["source"],
                options["path"],
                now=timezone.now(),
                is_dry_run=options["dry_run"],
                on_read=progress.read,
                on_write=progress.write,
            )
        except Unreadable as error:
            fail(f"unreadable, nothing was written: {error}", UNREADABLE_OR_REFUSED)
        else:
            print_report(report, self.stdout, as_json=options["json"])
