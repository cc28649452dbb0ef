"""One Citation, written in each format by one function. The facts are frozen; only the access date is the reader's."""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime

from registry.core.evidence import Level
from registry.core.naming import slugify

PUBLISHER = "KernelIndex"
SHORT_DIGEST = 12
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
TEX = str.maketrans({character: rf"\{character}" for character in "&%$#_"} | {
    "{": r"\textbraceleft{}",  # BibTeX counts braces, escaped or not
    "}": r"\textbraceright{}",
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
})  # fmt: skip
LIGATURES = ("--", "``", "''", ",,", "?`", "!`")  # which TeX would set as another character
TEX_LIGATURE = re.compile(r"([-`',])(?=\1)|([?!])(?=`)")
JOINERS = "\u200c\u200d"  # invisible, and part of how words are written


@dataclass(frozen=True, slots=True)
class Citation:
    """What every format needs, each fact by itself and in words; a format only arranges them.

    `creators` are who measured, `source` who reported. `value` and `unit` are None together, where nothing was
    measured. `statistic` has both parts: across samples and across cases. `rank` is the place or why there is none,
    `place` of how many, `coverage` how much of the source that is. `evidence` is the sentence of the level;
    `rerun_count` counts controlled reruns of any verdict. `states` are marks in words ("withdrawn 2026-09-01: wrong
    unit"). `as_of` is the instant that rank, coverage and states follow from.
    """

    creators: tuple[str, ...]
    source: str
    implementation: str
    operation: str
    workload: str
    metric: str | None
    value: str | None
    unit: str | None
    statistic: str | None
    n: int | None
    gpu: str
    protocol: str
    protocol_digest: str
    group: str
    rank: str
    place: str
    policy: str
    coverage: str
    level: Level
    evidence: str
    rerun_count: int
    states: tuple[str, ...]
    digest: str
    permalink: str
    published: date
    as_of: datetime
    accessed: date

    @property
    def key(self) -> str:
        """`source_year_shortdigest`, equal in every format."""
        return f"{slugify(self.source).replace('-', '') or 'run'}_{self.published.year}_{short(self.digest)}"

    @property
    def creator(self) -> str:
        return "; ".join(self.creators)

    @property
    def measured_value(self) -> str:
        return "no measurement" if self.value is None else f"{self.metric} {self.value} {self.unit}"

    @property
    def title(self) -> str:
        """What was measured and the value, after the state: a withdrawn number must not read as valid."""
        state = f"[{'; '.join(self.states)}] " if self.states else ""
        return plain(f"{state}{self.implementation}, {self.operation}, {self.workload}: {self.measured_value}")

    @property
    def measured(self) -> str:
        """How the value came about: both parts of the statistic, sample count, GPU, protocol."""
        n = "n not stated" if self.n is None else f"n = {self.n:,}"
        statistic = self.statistic or "no statistic"
        return plain(f"{statistic}; {n}; {self.gpu}; protocol {self.protocol} ({short(self.protocol_digest)})")

    @property
    def standing(self) -> str:
        """The place among what it may be compared with, of how much of the source, as of when."""
        of = f"{self.rank} ({short(self.group)}), {self.place} ({self.policy}), as of {instant(self.as_of)}"
        return plain(f"{of}. Coverage: {self.coverage}")

    @property
    def trust(self) -> str:
        """The level and its sentence. Below verified it says that the number is the source's word, not rerun here."""
        told = f"Evidence level {self.level}: {self.evidence}"
        if self.level < Level.VERIFIED:
            told += f"; reported, not {'confirmed' if self.rerun_count else 'rerun'} by {PUBLISHER}"
        return plain(f"{told}. Source: {self.source}")

    @property
    def note(self) -> str:
        """All that a format has no field of its own for."""
        return f"{self.measured}. {self.standing}. {self.trust}. Run {self.digest}"


def short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:SHORT_DIGEST]


def instant(at: datetime) -> str:
    """UTC to the second, rounded up: what happened by an instant happened by the one that is written."""
    at = at.astimezone(UTC)
    whole = at.replace(microsecond=0)
    return f"{datetime.fromtimestamp(whole.timestamp() + (at != whole), UTC):%Y-%m-%dT%H:%M:%SZ}"


def plain(written: str) -> str:
    """One line: a run of white space (line breaks, U+202F) is one space, and invisible controls are left out.

    A line break would end a RIS field, a control that turns the direction of writing could show another number.
    """
    if not written.isprintable():
        written = "".join(filter(None, map(_visible, written)))
    if "  " in written:
        written = re.sub(r" {2,}", " ", written)
    return written.strip(" ")


def _visible(character: str) -> str | None:
    if character.isspace():
        return " "
    is_control = unicodedata.category(character) in ("Cc", "Cf", "Cs") and character not in JOINERS
    return None if is_control else character


# Each format by itself. The access date is the last thing that each writes, so that a page can put in its reader's day.


def text(c: Citation) -> str:
    """One plain paragraph in the order that DataCite gives: creator (year): title. Details. Publisher. Identifier."""
    return (
        f"{plain(c.creator)} ({c.published.year}): {c.title} ({c.measured}). {c.standing}. {c.trust}. "
        f"{PUBLISHER}, run {c.digest}, published {c.published}. {c.permalink} (accessed {c.accessed})."
    )


def footnote(c: Citation) -> str:
    """What a reader puts under a figure, in the manner of MLCommons: what, which group and level, whence and when."""
    return (
        f"{c.title} ({c.measured}), measured by {plain(c.creator)}. {c.standing}. {c.trust}. "
        f"{PUBLISHER}, run {c.digest}, {c.permalink}, retrieved {c.accessed}."
    )


def bibtex(c: Citation) -> str:
    """Classic `@misc`, which every style knows. Text is escaped for TeX, the URL is not."""
    fields = {
        "author": _tex_names(c.creators),
        "title": f"{{{{{tex(c.title)}}}}}",
        "year": f"{{{c.published.year}}}",
        "month": MONTHS[c.published.month - 1],
        "publisher": f"{{{PUBLISHER}}}",
        "version": f"{{{short(c.digest)}}}",
        "url": f"{{{c.permalink}}}",
        "note": f"{{{tex(c.note)}, accessed {c.accessed}}}",
    }
    return _entry("misc", c.key, fields)


def biblatex(c: Citation) -> str:
    """`@dataset`, which biblatex knows and classic styles don't."""
    fields = {
        "author": _tex_names(c.creators),
        "title": f"{{{{{tex(c.title)}}}}}",
        "date": f"{{{c.published}}}",
        "publisher": f"{{{PUBLISHER}}}",
        "version": f"{{{short(c.digest)}}}",
        "note": f"{{{tex(c.note)}}}",
        "url": f"{{{c.permalink}}}",
        "urldate": f"{{{c.accessed}}}",
    }
    return _entry("dataset", c.key, fields)


def csl(c: Citation) -> str:
    """CSL-JSON, which Zotero, Pandoc and citeproc read; a line for each variable."""
    item = {
        "id": c.key,
        "type": "dataset",
        "title": c.title,
        "author": [{"literal": plain(creator)} for creator in c.creators],
        "issued": {"date-parts": [_parts(c.published)]},
        "publisher": PUBLISHER,
        "version": short(c.digest),
        "note": c.note.replace("{:", "{ :"),  # in a note, citeproc-js takes {:title:…} for the variable itself
        "URL": c.permalink,
        "accessed": {"date-parts": [_parts(c.accessed)]},
    }
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(v, ensure_ascii=False)}" for name, v in item.items())
    return f"[\n  {{\n{lines}\n  }}\n]"


def ris(c: Citation) -> str:
    """RIS: tag, two spaces, hyphen, space; lines end by CRLF."""
    lines = [
        ("TY", "DATA"),
        ("ID", c.key),
        *(("AU", plain(creator)) for creator in c.creators),
        ("TI", c.title),
        ("PY", str(c.published.year)),
        ("DA", ris_day(c.published)),
        ("PB", PUBLISHER),
        ("ET", short(c.digest)),
        ("N1", c.note),
        ("UR", c.permalink),
        ("Y2", ris_day(c.accessed)),
        ("ER", ""),
    ]
    return "\r\n".join(f"{tag}  - {value}" for tag, value in lines)


def tex(written: str) -> str:
    """One line of text with TeX's special characters escaped and its ligatures broken."""
    escaped = plain(written).translate(TEX)
    return TEX_LIGATURE.sub(r"\g<0>{}", escaped) if any(pair in escaped for pair in LIGATURES) else escaped


def _tex_names(names: tuple[str, ...]) -> str:
    """In double braces, a name stays as it is: no first and last name, no "and" within."""
    return f"{{{' and '.join(f'{{{tex(name)}}}' for name in names)}}}"


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    return "\n".join([f"@{kind}{{{key},", *(f"  {name} = {value}," for name, value in fields.items()), "}"])


def _parts(day: date) -> list[int]:
    return [day.year, day.month, day.day]


def csl_day(day: date) -> str:
    return ", ".join(map(str, _parts(day)))


def ris_day(day: date) -> str:
    return f"{day:%Y/%m/%d}"


@dataclass(frozen=True, slots=True)
class Format:
    """How citations are written: `label` is what people call it, `day` how it writes the access date."""

    label: str
    ending: str
    media_type: str
    write: Callable[[Citation], str]
    day: Callable[[date], str] = date.isoformat
    line_end: str = "\n"


FORMATS: dict[str, Format] = {
    "text": Format("Text", "txt", "text/plain", text),
    "footnote": Format("Reader's footnote", "footnote.txt", "text/plain", footnote),
    "bibtex": Format("BibTeX, @misc", "bib", "application/x-bibtex", bibtex),
    "biblatex": Format("biblatex, @dataset", "biblatex.bib", "application/x-bibtex", biblatex),
    "csl": Format("CSL-JSON", "csl.json", "application/vnd.citationstyles.csl+json", csl, csl_day),
    "ris": Format("RIS", "ris", "application/x-research-info-systems", ris, ris_day, "\r\n"),
}
