"""Ask for a sync of a source, as the admin's button does. Exit 0: asked, or done with --now. 1: it failed. 2: usage.

3: it waits for a person.
"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import syncs
from registry.management.commands._reporting import UNREADABLE_OR_REFUSED, USAGE, WAITS, fail
from registry.models import Source
from registry.models.syncs import SyncState, Trigger


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", metavar="SLUG", help="slug of the source")
        parser.add_argument("--dry-run", action="store_true", help="read and report, publish nothing")
        parser.add_argument("--now", action="store_true", help="in this process, without waiting for a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.filter(slug=options["source"]).first()
        if source is None:
            fail(f"no source {options['source']!r}", USAGE)
        try:
            sync = syncs.request(
                source, trigger=Trigger.BUTTON, actor=None, now=timezone.now(), is_dry_run=options["dry_run"]
            )
        except syncs.SyncError as error:
            fail(str(error), USAGE)
        if not options["now"]:
            self.stdout.write(f"{source.name}: sync {sync.pk} is {sync.get_state_display()}\n")
            return
        syncs.run(sync.pk, now=timezone.now())
        sync.refresh_from_db()
        told = sync.error or sync.waits_because or sync.decision_reason
        self.stdout.write(f"{source.name}: sync {sync.pk} is {sync.get_state_display()}{f': {told}' if told else ''}\n")
        ends = {SyncState.WAITING: WAITS, SyncState.FAILED: UNREADABLE_OR_REFUSED}
        if sync.state in ends:
            raise SystemExit(ends[SyncState(sync.state)])
