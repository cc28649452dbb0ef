"""Which tasks run by the clock: rows of the queue's own table, made anew after every migrate and edited by nobody.

When a source is read is not here: that is a field of the source, and the tick looks at it.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.apps import apps
from django.db import connections
from django.utils import timezone


@dataclass(frozen=True, slots=True)
class Clockwork:
    """A task and when it runs: every minute, or once a day or week at a time of UTC."""

    name: str
    task: str
    kind: str  # of django-q: I minutes, D daily, W weekly
    at: time | None = None


CLOCKWORK = (
    Clockwork("tick", "registry.tasks.tick", "I"),
    Clockwork("verify", "registry.tasks.verify", "D", time(2, 30)),
    Clockwork("check links", "registry.tasks.check_links", "W", time(4, 30)),
    Clockwork("people", "attestations.tasks.tick", "I"),
    Clockwork("people, daily", "attestations.tasks.daily", "D", time(3, 30)),
)


def install_after_migrate(sender: Any, using: str, **kwargs: Any) -> None:
    """Make the rows that are missing, mend those that differ, and remove those that are no longer here."""
    schedules = apps.get_model("django_q", "Schedule")
    if schedules._meta.db_table not in connections[using].introspection.table_names():
        return  # while only some of the apps are migrated
    rows = schedules._default_manager.using(using)
    rows.exclude(name__in=[row.name for row in CLOCKWORK]).delete()
    for row in CLOCKWORK:
        wanted = {"func": row.task, "schedule_type": row.kind, "minutes": 1, "repeats": -1}
        rows.update_or_create(
            name=row.name, defaults=wanted, create_defaults={**wanted, "next_run": _first(row, timezone.now())}
        )


def _first(row: Clockwork, now: datetime) -> datetime:
    if row.at is None:
        return now
    today = datetime.combine(now.astimezone(UTC).date(), row.at, UTC)
    if row.kind == "W":  # a site that was just made asks nobody anything yet
        return today + timedelta(days=7)
    return today if today > now else today + timedelta(days=1)
