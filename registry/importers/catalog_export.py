"""The original's public catalog export: JSON lines of {"table", "row"}, compressed by zstd.

Knowledge from catalog-2026-08-16-0022af0b.jsonl.zst and two older ones. Ids and publication instants of the export are
kept; every digest column must equal what the row's documents say.
"""

import io
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from uuid import UUID

import zstandard

from registry.core.digest import is_digest
from registry.core.reading import ReadingError, path_text, read_json_line
from registry.importers.base import (
    AliasEntry,
    ArtifactEntry,
    DocumentEntry,
    Entry,
    InputFile,
    Known,
    Place,
    Rejected,
    RunEntry,
    Skipped,
    SourceEntry,
    Unreadable,
    brought_by_people,
    in_line,
    no_more,
)

SOURCE = SourceEntry(
    "catalog-export",
    "Catalog export",
    "channel",
    homepage="https://github.com/SamMausberg/KernelIndex",
    terms="A channel: its runs belong to the sources that they name, under those sources' terms.",
    importer="catalog-export",
)
VERSION = "1"
first, following = brought_by_people, no_more
LINE_LIMIT = 4 * 1024 * 1024  # characters; the longest line of the known exports is a suite of 90 kB
TOTAL_LIMIT = 2 * 1024**3  # bytes after decompression: a bomb is cut off here
LONGEST_ROW = 2_000  # characters of a line that is not taken, kept with its reason
NOT_INDEXED = {
    "model_revisions": "SERVING_KIND",
    "serving_stack_revisions": "SERVING_KIND",
    "serving_configurations": "SERVING_KIND",
    "serving_workloads": "SERVING_KIND",
    "serving_runs": "SERVING_KIND",
    "serving_measurements": "SERVING_KIND",
    "measurements": "DERIVED_FROM_MANIFEST",
    "record_events": "DERIVED_HERE",
}
Row = dict[str, object]
_SLUG = re.compile(r"[A-Za-z0-9_-]+")


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield one entry a line. Raises Unreadable where a file is no zstd, is cut short or outgrows its limit."""
    for file in files:
        yield from _translate(file)


def _translate(file: InputFile) -> Iterator[Entry]:
    context = _Context(file.name)
    try:
        with file.path.open("rb") as stream:
            for number, line in enumerate(_lines(stream, file.name), start=1):
                yield from context.entries(number, line)
    except OSError as error:
        raise Unreadable(f"{file.name}: {error.strerror}") from error
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise Unreadable(f"{file.name}: not a whole zstd stream of UTF-8 lines: {error}") from error


def _lines(file: io.BufferedReader, name: str) -> Iterator[str]:
    """Yield the lines of a compressed file, bounded in line and in total; a stream that was cut short is Unreadable."""
    head = file.peek(18)
    if head[:4] != b"\x28\xb5\x2f\xfd":
        raise Unreadable(f"{name}: not a zstd file (it starts with {head[:4].hex(' ') or 'nothing'})")
    stated = zstandard.get_frame_parameters(head).content_size
    size, line = 0, "\n"
    with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(file, read_across_frames=True) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
        while chunk := text.readline(LINE_LIMIT):
            line = chunk
            size += len(line) if line.isascii() else len(line.encode())
            if size > TOTAL_LIMIT:
                raise Unreadable(f"{name}: more than {TOTAL_LIMIT:,} bytes after decompression")
            if len(line) >= LINE_LIMIT:
                raise Unreadable(f"{name}: a line is longer than {LINE_LIMIT:,} characters")
            yield line
    # The library takes a stream that stops early for a whole one, so its end is checked here.
    if not line.endswith("\n") or (stated not in (0, zstandard.CONTENTSIZE_UNKNOWN) and size < stated):
        raise Unreadable(f"{name}: cut short after {size:,} bytes")


class _Context:
    """What later rows need of earlier ones: slugs and names by the export's ids."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.sources: dict[str, str] = {}
        self.projects: dict[str, str] = {}
        self.implementations: dict[str, tuple[str, str]] = {}
        self.makers: dict[str, Callable[[Row, int], Entry]] = {
            "sources": self._source,
            "projects": self._project,
            "operations": self._operation,
            "operation_aliases": self._alias,
            "workloads": self._workload,
            "implementations": self._implementation,
            "benchmark_runs": self._run,
            "artifacts": self._artifact,
        }

    def entries(self, number: int, line: str) -> Iterator[Entry]:
        place = Place(self.file, number, "")
        if not line.strip():
            return
        try:
            value = read_json_line(line)
        except ReadingError as error:
            place = Place(self.file, number, path_text(error.path))
            yield Rejected(error.reason, place, error.message, row=line[:LONGEST_ROW])
            return
        table, row = (value.get("table"), value.get("row")) if isinstance(value, dict) else (None, None)
        if not isinstance(table, str) or not isinstance(row, dict):
            yield Rejected("SHAPE", place, 'a line is {"table": <name>, "row": {…}}', row=line[:LONGEST_ROW])
        elif table in NOT_INDEXED:
            yield Skipped(NOT_INDEXED[table], Place(self.file, number, table))
        elif table not in self.makers:
            message = f"unknown table {table[:60]!r}"
            yield Rejected("UNKNOWN_TABLE", place, message, _key(row), line[:LONGEST_ROW])
        else:
            try:
                yield self.makers[table](row, number)
            except (KeyError, TypeError, ValueError, AttributeError) as error:
                message = f"{table}: a column is missing or malformed: {error}"
                yield Rejected("COLUMN", place, message, _key(row), line[:LONGEST_ROW])

    def _source(self, row: Row, number: int) -> Entry:
        policy = row.get("policy") or {}
        if not isinstance(policy, dict):
            raise TypeError("policy must be an object")
        source = SourceEntry(
            _slug(row, 100),
            _bounded("name", _text(row, "name"), 200),
            _bounded("kind", _text(row, "kind"), 40),
            homepage=_bounded("policy.url", str(policy.get("url", "")), 2000),
            licence=_bounded("policy.license", str(policy.get("license", "")), 200),
            terms=str(policy.get("terms", "")),
            attribution=str(policy.get("attribution", "")),
        )
        self.sources[_text(row, "id")] = source.slug
        return source

    def _project(self, row: Row, number: int) -> Entry:
        self.projects[_text(row, "id")] = slug = _slug(row)
        return self._document("SoftwareProject", row, number, slug=slug)

    def _operation(self, row: Row, number: int) -> Entry:
        return self._document("OperationSpec", row, number, slug=_slug(row), digest=_text(row, "semanticDigest"))

    def _alias(self, row: Row, number: int) -> Entry:
        return AliasEntry(UUID(_text(row, "operationId")), _text(row, "alias"), Place(self.file, number, ""))

    def _workload(self, row: Row, number: int) -> Entry:
        manifest = row["manifest"]
        kind = manifest.get("kind") if isinstance(manifest, dict) else None
        kind = "WorkloadSuite" if kind == "WorkloadSuite" else "WorkloadCase"
        return self._document(kind, row, number, digest=_text(row, "workloadDigest"))

    def _implementation(self, row: Row, number: int) -> Entry:
        project = self.projects[_text(row, "projectId")]
        manifest = row["manifest"]
        name = manifest["metadata"]["name"] if isinstance(manifest, dict) else ""
        self.implementations[_text(row, "id")] = (project, name)
        return self._document(
            "ImplementationRevision",
            row,
            number,
            slug=_slug(row),
            digest=_text(row, "implementationDigest"),
            project=project,
        )

    def _document(
        self,
        kind: str,
        row: Row,
        number: int,
        *,
        slug: str | None = None,
        digest: str | None = None,
        project: str | None = None,
    ) -> Entry:
        locate = in_line(self.file, number)
        return DocumentEntry(
            kind,
            row["manifest"],
            lambda path: locate(("row", "manifest", *path)),
            slug=slug,
            id=UUID(_text(row, "id")),
            project=project,
            claimed_digest=digest,
        )

    def _run(self, row: Row, number: int) -> Entry:
        locate = in_line(self.file, number)
        manifest = row["manifest"]
        if not isinstance(manifest, dict) or not {"run", "protocol", "environment"} <= manifest.keys():
            return Rejected("SHAPE", locate(("row", "manifest")), "must be {run, protocol, environment}")
        retracted = row.get("retractedAt")
        return RunEntry(
            manifest["run"],
            manifest["protocol"],
            manifest["environment"],
            lambda path: locate(("row", "manifest", *path)),
            source=self.sources[_text(row, "sourceId")],
            implementation=self.implementations.get(_text(row, "implementationId")),
            id=UUID(_text(row, "id")),
            published_at=_instant(row, "publishedAt"),
            claims={
                "runDigest": _text(row, "runDigest"),
                "protocolKey": _text(row, "protocolKey"),
                "environmentKey": _text(row, "environmentKey"),
                "comparisonKey": _text(row, "comparisonKey"),
            },
            withdrawn=(_instant(row, "retractedAt"), str(row.get("retractionReason") or "no reason stated"))
            if retracted
            else None,
            supersedes=UUID(_text(row, "supersedesId")) if row.get("supersedesId") else None,
        )

    def _artifact(self, row: Row, number: int) -> Entry:
        digest, size = _text(row, "contentDigest"), row.get("sizeBytes")
        if not is_digest(digest):
            return Rejected("COLUMN", Place(self.file, number, "row.contentDigest"), "not a sha256 digest")
        return ArtifactEntry(
            digest,
            _text(row, "kind"),
            _optional(row, "mediaType", 100),
            size if isinstance(size, int) else None,
            _optional(row, "uri", 2000),
            _optional(row, "license", 200),
            Place(self.file, number, ""),
            id=UUID(_text(row, "id")),
        )


def _key(row: Row) -> str | None:
    """The export's own id of a row."""
    key = row.get("id")
    return key[:100] if isinstance(key, str) else None


def _text(row: Row, column: str) -> str:
    value = row[column]
    if not isinstance(value, str):
        raise TypeError(f"{column} must be text")
    return value


def _optional(row: Row, column: str, limit: int) -> str | None:
    value = row.get(column)
    return _bounded(column, value, limit) if isinstance(value, str) else None


def _bounded(column: str, text: str, limit: int) -> str:
    if len(text) > limit:
        raise ValueError(f"{column} has {len(text)} characters; the registry holds {limit}")
    return text


def _slug(row: Row, limit: int = 120) -> str:
    slug = _bounded("slug", _text(row, "slug"), limit)
    if not _SLUG.fullmatch(slug):
        raise ValueError(f"slug must be letters, digits, _ and -, got {slug!r}")
    return slug


def _instant(row: Row, column: str) -> datetime:
    instant = datetime.fromisoformat(_text(row, column))
    if instant.tzinfo is None or not 2000 <= instant.year <= 2200:
        raise ValueError(f"{column} must be an instant with a zone, got {row[column]!r}")
    return instant
