"""What is new, in sentences: the same on the page, in a feed and in a mail.

Each says what happened and to how many runs; names and reasons stand beside it.
"""

from datetime import date

NAMED = 3  # as many runs are named; of more, only how many they are
# Told at once to those who follow the run; all else waits for the weekly digest.
URGENT = ("withdrawn", "superseded", "contested", "flagged", "rerun")
WORDS = {
    "runs": "new runs",
    "withdrawn": "withdrawn",
    "superseded": "superseded",
    "contested": "contested",
    "flagged": "flagged",
    "noted": "noted",
    "cleared": "cleared",
    "attestation": "attestation",
    "report": "report",
    "note": "author's note",
    "rerun": "rerun",
}
MAIL_KINDS = {
    "digest": "the weekly digest",
    "urgent": "mail at once about runs that you follow or speak for",
    "all": "all mail about what you follow",
}


def many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def new_runs(count: int, *, source: str | None, day: date, leads: int) -> str:
    """`source` None: it is the thing that is followed. `leads`: how many of them took the lead of their group."""
    of_source = f" of {source}" if source else ""
    led = f"; {leads:,} took the lead" if leads else ""
    return f"{many(count, 'new run')}{of_source}, imported {day}{led}"


def marked(
    kind: str, *, count: int | None, by: str, rule: str | None = None, incident: str | None = None,
    cleared: str | None = None,
) -> str:  # fmt: skip
    """`count` None: the run that is followed. `cleared`: the kind of the mark that a clearing answers."""
    code = f" {rule}" if rule and kind == "flagged" and not incident else ""
    done = f"cleared of its mark “{cleared or 'flagged'}”" if kind == "cleared" else f"{kind}{code}"
    if kind == "cleared" and count is not None and count != 1:
        done = f"cleared of their marks “{cleared or 'flagged'}”"
    why = f"by the incident “{incident}”" if incident and kind != "cleared" else f"by {by}"
    if incident and kind == "cleared":
        why = f"as the incident “{incident}” was reversed"
    return f"{many(count, 'run')} {done} {why}" if count is not None else f"{done[0].upper()}{done[1:]} {why}"


def attested(kind: str, *, by: str, verdict: str | None, is_comparable: bool) -> str:
    """A statement of somebody on the run that is followed."""
    judged = f": the measured value {_verb(verdict)}" if verdict and is_comparable else ""
    setup = ", with another setup" if verdict and not is_comparable else ""
    return f"{kind[0].upper()}{kind[1:]}, says {by}{judged}{setup}"


def _verb(verdict: str) -> str:
    return {"agrees": "agrees", "inconclusive": "is inconclusive", "incorrect": "is incorrect"}.get(
        verdict, f"is {verdict}"
    )


def reported(reason: str) -> str:
    return f"Report opened: {reason}"


def decided(reason: str, *, state: str, outcome: str | None) -> str:
    return f"Report {state}: {reason}" + (f"; {outcome}" if outcome else "")


def noted(thing: str) -> str:
    return f"Author's note by {thing}"


def rerun(verdict: str | None) -> str:
    return f"Rerun by KernelIndex{f': {verdict}' if verdict else ''}"
