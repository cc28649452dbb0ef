"""Load the bundled registry: the two seed runs, the sweep that one belongs to, and three runs of a later SOL stack."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import syncs
from registry.management.commands._reporting import print_report


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        for report in syncs.load_demo(now=timezone.now()):
            print_report(report, self.stdout, as_json=False)
