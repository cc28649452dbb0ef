"""What the worker does, a line each. Each may be called once more than it should be: the acts see to that.

Nothing else is ever queued; `registry.schedules` says which of these run by the clock.
"""

from uuid import UUID

from django.utils import timezone

from registry import links, syncs, verification


def sync(sync_id: str) -> str:
    """Carry a sync as far as it goes without a person."""
    return syncs.run(UUID(sync_id), now=timezone.now())


def tick() -> str:
    """Ask for what is due."""
    return str(syncs.tick(now=timezone.now()))


def verify() -> str:
    """Derive everything anew and keep what differs."""
    found = verification.verify(now=timezone.now())
    return f"{found.checked} rows, {found.difference_count} differences"


def check_links() -> str:
    """Ask whether the links that pages show still answer."""
    found = links.check(now=timezone.now())
    return f"asked {found.asked} of {found.shown}, {len(found.failing)} without an answer"
