"""The bell for a check: rung when the transaction that asks for it commits; the tick rings again for one unheard."""

from uuid import UUID

from django.db import transaction
from django_q.tasks import async_task

TASK = "attestations.tasks.check_claim"  # by name: tasks stand above the acts


def ring(claim_id: UUID) -> None:
    """Ask a worker to look for a claim's token file. A second ring finds nothing to do."""

    def heard() -> None:
        async_task(TASK, str(claim_id), task_name=f"claim {claim_id}")

    transaction.on_commit(heard, robust=True)
