"""When work that failed, or that no worker took up, is tried again."""

from datetime import timedelta

MOST_ATTEMPTS = 8
FIRST_PAUSE = timedelta(minutes=2)
LONGEST_PAUSE = timedelta(hours=1)
RING_AGAIN = timedelta(minutes=10)  # for what waits in the queue all that time: a bell may have been lost


def pause_after(attempts: int) -> timedelta | None:
    """How long to wait after so many attempts, each pause twice the one before up to a longest; None: no more."""
    if attempts >= MOST_ATTEMPTS:
        return None
    return min(FIRST_PAUSE * int(2 ** (attempts - 1)), LONGEST_PAUSE)
