"""Who speaks for the project and the source of a run, and what they say beside it."""

import uuid
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AuthorsWords:
    """A claimed author's note on a run."""

    text: str


def author_notes(run_id: uuid.UUID) -> tuple[AuthorsWords, ...]:
    return ()
