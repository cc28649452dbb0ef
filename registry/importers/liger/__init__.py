"""Liger-Kernel's benchmark CSVs: one row a (kernel, provider, timed pass, size, GPU), of speed or peak memory.

Upstream: linkedin/Liger-Kernel, benchmark/data (BSD-2-Clause): the main file, and two that compare backends, in which
each Liger provider carries its backend's name. Upstream states no sample count, no driver, no CUDA or torch version,
and no time zone: these stay absent, and the time zone is flagged.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from registry.importers import gpus
from registry.importers.base import (
    CoverageEntry,
    DocumentEntry,
    Entry,
    InputFile,
    Known,
    Locate,
    Pending,
    Place,
    Rejected,
    Request,
    RunEntry,
    Skipped,
    SourceEntry,
    in_line,
    no_more,
)
from registry.importers.liger import documents, runs
from registry.importers.liger.cases import Case, Unknown, case, kernel_name
from registry.importers.liger.documents import Made
from registry.importers.liger.providers import Provider, provider
from registry.importers.liger.rows import SHOWN, Record, Refusal, Row, records, row

SOURCE = SourceEntry(
    runs.SOURCE_SLUG,
    "Liger-Kernel benchmarks",
    "benchmark",
    homepage="https://github.com/linkedin/Liger-Kernel",
    licence="BSD-2-Clause",
    terms="The benchmark CSVs may be stored and shown with the licence notice.",
    attribution="Liger-Kernel authors, LinkedIn Corporation",
    importer="liger-kernel-bench",
    location="https://raw.githubusercontent.com/linkedin/Liger-Kernel/main/benchmark/data/all_benchmark_data.csv",
    hosts=("raw.githubusercontent.com",),
    schedule="weekly",
)
VERSION = "2"
BACKEND_FILES = ("_cutedsl", "_cutile")  # beside the main file
following = no_more
LONGEST_ROW = 4_000  # characters of a row that wait with it

Group = tuple[str, str, str, str]  # metric, pass, workload digest, environment digest


def first(location: str) -> Sequence[Request]:
    """The main file and the two beside it."""
    stem = location.removesuffix(".csv")
    urls = [location, *(f"{stem}{suffix}.csv" for suffix in BACKEND_FILES if stem != location)]
    return [Request(url, url.rsplit("/", 1)[-1]) for url in urls]


def translate(files: Sequence[InputFile], known: Known) -> Iterator[Entry]:
    """Yield documents, runs and coverage of the CSVs. Raises Unreadable where a file or its header can't be read."""
    yield SOURCE
    translation = _Translation(known)
    for file in files:
        for record in records(file):
            yield from [record] if isinstance(record, Skipped) else translation.entries(file.name, record)
    yield from translation.coverage()


class _Translation:
    """One reading of upstream's files: what was made or seen so far, so that each document is made once."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.cases: dict[tuple[str, str, str, str], tuple[Case, Made]] = {}
        self.environments: dict[str, Made] = {}
        self.implementations: dict[tuple[str, str], tuple[str, Provider, Made]] = {}
        self.yielded: set[tuple[str, ...]] = set()
        self.lines: dict[str, Place] = {}
        self.offered: Counter[Group] = Counter()
        self.taken: defaultdict[Group, list[str]] = defaultdict(list)

    def entries(self, file: str, record: Record) -> Iterator[Entry]:
        """The entries of one record: its new documents and its run, or why there is none."""
        try:
            yield from self._taken(file, record, row(record))
        except Refusal as refusal:
            place = Place(file, record.line, refusal.column)
            yield Rejected(refusal.reason, place, str(refusal), _stated_key(record), record.text[:LONGEST_ROW])
        except Unknown as unknown:
            place = Place(file, record.line, unknown.column)
            yield Pending(
                unknown.kind, unknown.name, place, str(unknown), _stated_key(record), record.text[:LONGEST_ROW]
            )

    def coverage(self) -> Iterator[CoverageEntry]:
        for group, ids in self.taken.items():
            rule = f"every {group[0]} row of this kernel, case, pass and GPU in the file"
            yield CoverageEntry(tuple(ids), self.offered[group], rule)

    def _taken(self, file: str, record: Record, stated: Row) -> Iterator[Entry]:
        name = kernel_name(stated, self.known)
        environment = self._environment(stated)
        of_case, workload = self._case(stated, name)
        keys = runs.keys(stated, of_case)
        if earlier := self.lines.get(keys.whole):
            raise Refusal("DUPLICATE", "timestamp", f"{keys.whole} stands in {earlier} already")
        self.lines[keys.whole] = Place(file, record.line, "")
        group = (stated.metric, stated.timed_pass, workload.digest, environment.digest)
        self.offered[group] += 1
        implementer_name, implementer, implementation = self._implementation(stated, name)
        protocol = documents.protocol(stated.metric, stated.timed_pass)
        parts = runs.Parts(implementation, workload, protocol, environment)
        run = runs.run(stated, of_case, parts, keys.whole)
        locate = in_line(file, record.line)
        yield from self._documents(name, implementer_name, implementer, parts, locate)
        self.taken[group].append(keys.whole)
        yield RunEntry(
            run,
            protocol.document,
            environment.document,
            locate,
            source=SOURCE.slug,
            implementation=(implementer.project.slug, documents.implementation_name(name, implementer_name)),
            upstream_key=keys.whole,
            lasting_key=keys.lasting,
            release=stated.release,
            flags=runs.flags(stated),
        )

    def _environment(self, stated: Row) -> Made:
        if stated.gpu not in self.environments:
            hardware = gpus.hardware(stated.gpu, self.known)
            if hardware is None:
                raise Unknown("gpu", stated.gpu, "gpu_name", f"no mapping for GPU {stated.gpu[:SHOWN]!r}")
            self.environments[stated.gpu] = documents.environment(hardware)
        return self.environments[stated.gpu]

    def _case(self, stated: Row, name: str) -> tuple[Case, Made]:
        key = (name, stated.swept, stated.x, stated.configuration)
        if key not in self.cases:
            found = case(stated, name, self.known)
            self.cases[key] = (found, documents.workload(found))
        return self.cases[key]

    def _implementation(self, stated: Row, name: str) -> tuple[str, Provider, Made]:
        key = (name, stated.provider)
        if key not in self.implementations:
            settled = self.known.names.get(("provider", stated.provider), stated.provider)
            found = provider(settled) if isinstance(settled, str) else None
            if found is None or not isinstance(settled, str):
                words = f"no mapping for provider {stated.provider[:SHOWN]!r}"
                raise Unknown("provider", stated.provider, "kernel_provider", words)
            self.implementations[key] = (settled, found, documents.implementation(name, settled, found))
        return self.implementations[key]

    def _documents(
        self, name: str, provider_name: str, implementer: Provider, parts: runs.Parts, locate: Locate
    ) -> Iterator[DocumentEntry]:
        """The documents of a run that no earlier run had."""
        project = implementer.project
        for kind, made, slug, owner in (
            ("SoftwareProject", documents.project(project), project.slug, None),
            ("OperationSpec", documents.operation(name), None, None),
            ("WorkloadCase", parts.workload, None, None),
            ("ImplementationRevision", parts.implementation, None, project.slug),
        ):
            # Several implementations have one digest: who implements is in none of them.
            identity = (made.digest, provider_name if owner else "", owner or "", name if owner else "")
            if identity not in self.yielded:
                self.yielded.add(identity)
                yield DocumentEntry(kind, made.document, locate, slug=slug, project=owner)


def _stated_key(record: Record) -> str | None:
    """What upstream tells its rows apart by, of a row that has no id here."""
    cells: Mapping[str, str] | None = record.cells
    if cells is None:
        return None
    names = (
        "kernel_name",
        "kernel_operation_mode",
        "metric_name",
        "kernel_provider",
        "gpu_name",
        "x_value",
        "timestamp",
    )
    return "/".join(cells[name] for name in names)[:300]
