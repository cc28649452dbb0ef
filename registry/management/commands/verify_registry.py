"""Recompute every digest, reference, key, standing and level, and name each difference. Exit 0: all holds. 1: not."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from registry.management.commands._reporting import Progress
from registry.verifying import verify

DIFFERENT = 1


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="the report as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        progress = Progress(sys.stderr, "rows")
        report = verify(on_progress=progress.read)
        if progress.is_on:
            sys.stderr.write("\r\x1b[K")
        if options["json"]:
            self.stdout.write(json.dumps(report.as_json(), indent=2, ensure_ascii=False))
        else:
            self.stdout.write("\n".join(report.lines()))
        if not report.holds:
            raise SystemExit(DIFFERENT)
