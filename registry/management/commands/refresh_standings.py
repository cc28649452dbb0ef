"""Derive standings, records and evidence levels anew: of every group, or of those whose standing is missing."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from registry import evidence, standings
from registry.models import ComparisonGroup, Run


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="every group, not only those without a standing")

    def handle(self, *args: Any, **options: Any) -> None:
        groups, runs = ComparisonGroup.objects.order_by("id"), Run.objects.order_by("id")
        if not options["all"]:
            groups, runs = groups.filter(standing=None), runs.filter(evidence=None)
        count = standings.refresh(list(groups.values_list("id", flat=True)))
        evidence.refresh(list(runs.values_list("id", flat=True)))
        self.stdout.write(f"{count:,} groups refreshed\n")
