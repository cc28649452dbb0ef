"""One Citation, written in each format by one function. The facts are frozen; only the access date is the reader's."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from registry.core.evidence import Level
from registry.core.naming import slugify

PUBLISHER = "KernelIndex"
SHORT_DIGEST = 12
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
TEX = {character: rf"\{character}" for character in "&%$#_"} | {
    "{": r"\textbraceleft{}",  # BibTeX counts braces, escaped or not
    "}": r"\textbraceright{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


@dataclass(frozen=True, slots=True)
class Citation:
    """What every format needs, already in words; a format only arranges it.

    `creator` is who measured or submitted, `source` who reported. `rank` holds the group's size and the policy ("Rank 1
    of 5 runs (ranking-v2)"), or why there is none. `evidence` is the run's sentence for its level; `rerun_count` counts
    controlled reruns of any verdict. `state` is None, "withdrawn …" or "superseded by …".
    """

    creator: str
    source: str
    title_parts: tuple[str, ...]
    value: str
    statistic: str
    n: int | None
    gpu: str
    protocol: str
    protocol_digest: str
    rank: str
    level: Level
    evidence: str
    rerun_count: int
    state: str | None
    digest: str
    permalink: str
    published: date
    accessed: date

    @property
    def key(self) -> str:
        """`source_year_shortdigest`, equal in every format."""
        return f"{slugify(self.source).replace('-', '')}_{self.published.year}_{short(self.digest)}"

    @property
    def title(self) -> str:
        """Parts and value, after the state: a withdrawn number must not read as valid."""
        state = f"[{self.state}] " if self.state else ""
        return f"{state}{', '.join(self.title_parts)}: {self.value}"

    @property
    def measured(self) -> str:
        """How the value came about: statistic, sample count, GPU, protocol."""
        n = "sample count not stated" if self.n is None else f"n = {self.n:,}"
        return f"{self.statistic}; {n}; {self.gpu}; protocol {self.protocol} ({short(self.protocol_digest)})"

    @property
    def standing(self) -> str:
        """Rank and evidence. Below verified it says that the number is the source's word, not rerun here."""
        is_unchecked = self.level < Level.VERIFIED and not self.rerun_count
        evidence = f"reported, not rerun by {PUBLISHER}" if is_unchecked else self.evidence
        return f"{self.rank}. Source: {self.source}; {evidence}"


def short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:SHORT_DIGEST]


def text(c: Citation) -> str:
    """One plain paragraph in the order that DataCite gives: creator (year): title. Details. Publisher. Identifier."""
    return (
        f"{c.creator} ({c.published.year}): {c.title} ({c.measured}). {c.standing}. {PUBLISHER}, run {c.digest}. "
        f"{c.permalink} (published {c.published}, accessed {c.accessed})."
    )


def bibtex(c: Citation) -> str:
    """Classic `@misc`, which every style knows. Text is escaped for TeX, the URL is not."""
    note = f"{c.measured}. {c.standing}. Run {c.digest}, accessed {c.accessed}"
    fields = {
        "author": f"{{{{{tex(c.creator)}}}}}",
        "title": f"{{{{{tex(c.title)}}}}}",
        "year": f"{{{c.published.year}}}",
        "month": MONTHS[c.published.month - 1],
        "publisher": f"{{{PUBLISHER}}}",
        "version": f"{{{short(c.digest)}}}",
        "url": f"{{{c.permalink}}}",
        "note": f"{{{tex(note)}}}",
    }
    return "\n".join([f"@misc{{{c.key},", *(f"  {name} = {value}," for name, value in fields.items()), "}"])


def tex(written: str) -> str:
    """Text with TeX's special characters escaped, and any run of white space (U+202F too) as one space."""
    return "".join(TEX.get(character, character) for character in re.sub(r"\s+", " ", written))


FORMATS: dict[str, Callable[[Citation], str]] = {"text": text, "bibtex": bibtex}
