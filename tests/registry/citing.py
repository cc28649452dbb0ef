"""Citations read back by parsers that others wrote: each gives the same named facts, whatever the format."""

import json
import re
from datetime import date
from functools import cache
from typing import Any

import bibtexparser
import rispy
from bibtexparser.middlewares import SeparateCoAuthors
from citeproc.source.json import CiteProcJSON
from pybtex.database import parse_string
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from registry.core import citation
from registry.core.citation import FORMATS, PUBLISHER, Citation, plain, short

# Text symbols of the LaTeX kernel that the decoder's own table lacks, or gives as an accent.
SYMBOLS = {"textbraceleft": "{", "textbraceright": "}", "textless": "<", "textgreater": ">", "textbar": "|",
           "textasciicircum": "^"}  # fmt: skip
_context = get_default_latex_context_db()
_context.add_context_category(
    "kernel", macros=[MacroTextSpec(name, symbol) for name, symbol in SYMBOLS.items()], prepend=True
)
_decode = LatexNodes2Text(latex_context=_context, strict_latex_spaces=True).latex_to_text

Facts = dict[str, Any]


def facts(c: Citation) -> Facts:
    """What every format must give back."""
    return {
        "key": c.key, "creators": [plain(creator) for creator in c.creators], "title": c.title, "publisher": PUBLISHER,
        "published": c.published, "version": short(c.digest), "url": c.permalink, "note": c.note,
        "accessed": c.accessed,
    }  # fmt: skip


def _month(year: str, month: str) -> tuple[int, int]:
    return int(year), citation.MONTHS.index(month[:3].lower()) + 1


def _noted(note: str) -> tuple[str, date]:
    """Classic BibTeX has no field for the access date: it ends the note."""
    said, _, accessed = note.rpartition(", accessed ")
    return said, date.fromisoformat(accessed)


def _of_bibtex(kind: str, key: str, creators: list[str], fields: dict[str, str]) -> Facts:
    read: Facts = {"key": key, "creators": [_decode(creator) for creator in creators]}
    read |= {name: _decode(fields[name]) for name in ("title", "publisher", "version", "note")} | {"url": fields["url"]}
    if kind == "dataset":
        return read | {
            name: date.fromisoformat(fields[of]) for name, of in (("published", "date"), ("accessed", "urldate"))
        }
    assert kind == "misc"
    note, accessed = _noted(read["note"])
    return read | {"published": _month(fields["year"], fields["month"]), "note": note, "accessed": accessed}


def by_bibtexparser(written: str) -> Facts:
    library = bibtexparser.parse_string(written, append_middleware=[SeparateCoAuthors()])
    assert library.failed_blocks == []
    [entry] = library.entries
    assert library.blocks == [entry]  # no comment, no second entry from a title
    fields = {field.key: field.value for field in entry.fields}
    return _of_bibtex(entry.entry_type, entry.key, fields.pop("author"), fields)


def by_pybtex(written: str) -> Facts:
    [(key, entry)] = parse_string(written, "bibtex").entries.items()
    creators = [str(person) for person in entry.persons["author"]]
    return _of_bibtex(entry.type, key, creators, dict(entry.fields.items()))


def by_citeproc(written: str) -> Facts:
    [(key, item)] = CiteProcJSON(json.loads(written)).items()
    assert item.type == "dataset"
    days = {name: date(item[of].year, item[of].month, item[of].day) for name, of in
            (("published", "issued"), ("accessed", "accessed"))}  # fmt: skip
    return days | {
        "key": key, "creators": [str(name.literal) for name in item["author"]], "title": str(item["title"]),
        "publisher": str(item["publisher"]), "version": str(item["version"]), "url": str(item["URL"]),
        "note": str(item["note"]),
    }  # fmt: skip


def by_rispy(written: str) -> Facts:
    assert re.fullmatch(r"(?:[A-Z][A-Z0-9]  - [^\r\n]*\r\n)+ER  - ", written)
    [item] = rispy.loads(written.replace("\r\n", "\n"))
    assert item["type_of_reference"] == "DATA"
    assert "unknown_tag" not in item
    [note], [url] = item["notes"], item["urls"]
    published = date(*map(int, item["date"].split("/")))
    assert item["year"] == str(published.year)
    return {
        "key": item["id"], "creators": item["authors"], "title": item["title"], "publisher": item["publisher"],
        "published": published, "version": item["edition"], "url": url, "note": note,
        "accessed": date(*map(int, item["access_date"].split("/"))),
    }  # fmt: skip


READERS = {
    "bibtex": (by_bibtexparser, by_pybtex), "biblatex": (by_bibtexparser, by_pybtex), "csl": (by_citeproc,),
    "ris": (by_rispy,),
}  # fmt: skip


@cache
def read_back(c: Citation) -> dict[str, Facts]:
    """Each machine format's facts, by format and reader."""
    return {
        f"{name} {reader.__name__}": reader(FORMATS[name].write(c))
        for name, readers in READERS.items()
        for reader in readers
    }


def expected(c: Citation, name: str) -> Facts:
    """Classic BibTeX names the month, not the day; CSL-JSON parts what a processor would take for a command."""
    told = facts(c)
    if name.startswith("bibtex"):
        return told | {"published": (c.published.year, c.published.month)}
    return told | {"note": c.note.replace("{:", "{ :")} if name.startswith("csl") else told
