"""What may stand in a mail, and when one that was not taken is tried again."""

from datetime import timedelta

from attestations.core import handles

PAUSES = (
    timedelta(minutes=1),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=12),
)
LONGEST_SUBJECT = 200


def pause_after(attempts: int) -> timedelta | None:
    """How long to wait after so many attempts that failed; None: no more."""
    return PAUSES[attempts - 1] if attempts <= len(PAUSES) else None


def split(said: str) -> tuple[str, str]:
    """Subject and body of a rendered template: the first line, and the rest.

    A subject is one line, whatever strangers wrote into it: no header can follow from it.
    """
    subject, _, body = said.strip().partition("\n")
    return plain(" ".join(subject.split()))[:LONGEST_SUBJECT], "\n".join(map(plain, body.strip().split("\n"))) + "\n"


def plain(line: str) -> str:
    """One line with nothing in it that is hidden or acts on whoever reads it, or that XML cannot hold: see handles."""
    return handles.shown_safely(line.expandtabs(4).rstrip().replace("\r", "[U+000D]"))
