"""What a sync may publish without a person: nothing of a source read for the first time, nothing that changes much."""

from dataclasses import dataclass

MOST_CHANGED = 0.2  # of a source's published rows, corrected or gone at once


@dataclass(frozen=True, slots=True)
class Read:
    """What a sync read, as far as publishing it without a person is in question.

    `published`: rows of the source that stood before, of which the input corrects some and lacks some. `new_columns`:
    those that the importer does not know, and that the last published input did not have.
    """

    is_first: bool
    published: int = 0
    corrected: int = 0
    vanished: int = 0
    new_columns: int = 0


def reasons_to_wait(read: Read) -> tuple[str, ...]:
    """Why a person has to look first, a sentence each; none: it is published at once."""
    reasons = []
    if read.is_first:
        reasons.append("Nothing of this source has been published before.")
    changed = read.corrected + read.vanished
    if changed > MOST_CHANGED * read.published:
        reasons.append(
            f"{read.corrected:,} of the {read.published:,} published rows compared are corrected and "
            f"{read.vanished:,} gone: more than {MOST_CHANGED:.0%}."
        )
    if read.new_columns:
        what = "1 column is" if read.new_columns == 1 else f"{read.new_columns:,} columns are"
        reasons.append(f"{what} new and unknown to the importer.")
    return tuple(reasons)
