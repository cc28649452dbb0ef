"""Write the protocol notes that come with this version of the site; what a person wrote since is left as it is."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from registry import notes


class Command(BaseCommand):
    help = __doc__

    def handle(self, *args: Any, **options: Any) -> None:
        loaded = notes.load_bundled(now=timezone.now())
        for subject in loaded.written:
            self.stdout.write(f"written: {subject}")
        for subject in loaded.kept:
            self.stdout.write(f"kept as a person wrote it: {subject}")
        self.stdout.write(f"{len(loaded.written)} written, {len(loaded.unchanged)} unchanged, {len(loaded.kept)} kept")
