"""The worker's bell: rung when the transaction that asks for work commits, and heard by any worker, once or more."""

from uuid import UUID

from django.db import transaction
from django_q.tasks import async_task

TASK = "registry.tasks.sync"  # by name: tasks stand above the acts


def ring(sync_id: UUID) -> None:
    """Ask a worker to look at a sync. The tick rings again for a bell that was lost; a second finds nothing to do."""

    def heard() -> None:
        async_task(TASK, str(sync_id), task_name=f"sync {sync_id}")

    transaction.on_commit(heard, robust=True)
