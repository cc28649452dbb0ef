"""Why an act of a claimant, or on a claim, does not apply."""


class ClaimError(ValueError):
    """The act does not apply; its text tells the person why, and what to do."""


LONGEST = 2000  # characters of a message, a note, a reason


def stated(text: str, what: str) -> str:
    """A text that has to be there, within its length. Raises ClaimError."""
    text = text.replace("\r\n", "\n").strip()
    if not text or "\x00" in text:
        raise ClaimError(f"Write {what}.")
    if len(text) > LONGEST:
        raise ClaimError(f"{len(text):,} characters; {LONGEST:,} are the most for {what}.")
    return text
