"""Trees of definitions, solutions, workloads and traces, as SOL-ExecBench and FlashInfer-Bench write them."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from registry.core.located import shown
from registry.importers.base import CoverageEntry, Entry, InputFile, Known, RunEntry, Skipped
from registry.importers.documents import Once, digest_of
from registry.importers.figures import bounded_key
from registry.importers.json_files import Item, Refusal, read_items, told
from registry.importers.trace_files.definitions import Definition, read_case, read_definition
from registry.importers.trace_files.runs import Trace, read_trace
from registry.importers.trace_files.solutions import Dialect, Solution, read_solution

ORDER = ("listing", "definition", "kernels", "kernel", "solution", "workload", "trace", "submissions", "")
KindOf = Callable[[Item], str]


def kind_of(item: Item) -> str:
    """What an object of a tree is, by the members that it has; "" where it is none of these."""
    members = item.value.keys()
    if members >= {"definition", "workload"}:
        return "trace"
    if members >= {"definition", "spec"}:
        return "solution"
    if members >= {"axes", "inputs", "outputs"}:
        return "definition"
    if members >= {"axes", "uuid"} or members >= {"axes", "inputs"}:
        return "workload"
    return "listing" if "siblings" in members else ""


def in_order(files: Sequence[InputFile], kind: KindOf) -> list[InputFile]:
    """The files so that what others refer to comes before them; by each file's first object."""

    def rank(file: InputFile) -> int:
        first = next((item for item in read_items(file) if isinstance(item, Item)), None)
        return ORDER.index(kind(first) if first else "")

    return sorted(files, key=rank)


class Tree:
    """The definitions and solutions that were read, and what became of the traces that name them."""

    def __init__(self, dialect: Dialect, known: Known) -> None:
        self.dialect, self.known = dialect, known
        self.revision: str | None = None
        self.definitions: dict[str, Definition] = {}
        self.solutions: dict[tuple[str, str], Solution] = {}
        self._folders: defaultdict[PurePosixPath, set[str]] = defaultdict(set)
        self._runs: dict[str, str] = {}  # digests by upstream's key
        self._groups: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        self._once = Once()

    def take(self, item: Item) -> Iterator[Entry]:
        """What one object gives: documents, a run, or the reason why it is not taken."""
        makers = {
            "listing": self._listing,
            "definition": self._definition,
            "solution": self._solution,
            "workload": self._workload,
            "trace": self._trace,
        }
        try:
            make = makers.get(kind_of(item))
            if make is None:
                raise item.refusal("SHAPE", "is no definition, solution, workload or trace")
            yield from make(item)
        except Refusal as refusal:
            yield told(item, refusal, _key(item))

    def coverage(self) -> Iterator[CoverageEntry]:
        """All that the files hold is taken, so what is offered is what stands in them."""
        at = f" at {self.revision}" if self.revision else ""
        for keys in self._groups.values():
            yield CoverageEntry(
                tuple(keys), len(keys), f"every trace of this workload, environment and timer in the files read{at}"
            )

    def _listing(self, item: Item) -> Iterator[Entry]:
        self.revision = item.text_or_none("sha")
        yield Skipped("LISTING", item.place())

    def _definition(self, item: Item) -> Iterator[Entry]:
        url = self.dialect.url_of(item.file)
        definition = read_definition(item, source_url=url, is_described=self.dialect.licence is not None)
        held = self.definitions.setdefault(definition.name, definition)
        if held.digest != definition.digest:
            raise item.refusal("DUPLICATE_NAME", f"{definition.name} is defined otherwise in an earlier file", "name")
        self._folders[PurePosixPath(item.file).parent].add(definition.name)
        yield from self._once.document(definition.operation, item.locate)

    def _solution(self, item: Item) -> Iterator[Entry]:
        definition = self._defined(item)
        solution = read_solution(item, definition, self.dialect, self.known)
        held = self.solutions.setdefault((definition.name, solution.upstream), replace(solution, source=None))
        if held.digest != solution.digest or held.project != solution.project:
            raise item.refusal("DUPLICATE_NAME", f"an earlier file has another {shown(solution.upstream)}", "name")
        yield from self._once.document(solution.owner, item.locate, slug=solution.project)
        yield from self._once.document(solution.implementation, item.locate, project=solution.project)
        if self.dialect.licence and solution.source and self._once.is_first("bytes", solution.source.digest):
            yield solution.source

    def _workload(self, item: Item) -> Iterator[Entry]:
        case = read_case(self._owner(item), item, comparator=self.dialect.comparator)
        yield from self._once.document(case.workload, item.locate)

    def _trace(self, item: Item) -> Iterator[Entry]:
        definition = self._defined(item)
        case = read_case(definition, item.item("workload"), comparator=self.dialect.comparator)
        yield from self._once.document(case.workload, item.locate)
        if not item.has("solution"):
            return  # a workload as it was captured: nothing ran
        solution = self.solutions.get((definition.name, item.text("solution")))
        if solution is None:
            raise item.refusal("NO_SOLUTION", f"{definition.name} has no such solution in the files read", "solution")
        if not item.has("evaluation"):
            raise item.refusal("UNFINISHED", "the solution was not evaluated", "evaluation")
        trace = read_trace(item, definition, solution, case, self.dialect, self.known)
        if trace.key not in self._runs:
            self._runs[trace.key] = digest_of(trace.run)
            yield from self._entries(item, trace, solution)
        elif self._runs[trace.key] == digest_of(trace.run):
            yield Skipped("REPEATED_ROW", item.place())
        else:
            raise item.refusal("DUPLICATE_ID", f"{trace.key} stands earlier with other figures")

    def _entries(self, item: Item, trace: Trace, solution: Solution) -> Iterator[Entry]:
        if trace.log and self._once.is_first("bytes", trace.log.digest):
            yield trace.log
        self._groups[trace.group].append(trace.key)
        yield RunEntry(
            trace.run,
            trace.protocol,
            trace.environment,
            item.locate,
            source=self.dialect.source,
            implementation=(solution.project, solution.name),
            upstream_key=trace.key,
            lasting_key=trace.lasting_key,
            flags=trace.flags,
        )

    def _defined(self, item: Item) -> Definition:
        name = item.text("definition")
        if name not in self.definitions:
            raise item.refusal("NO_DEFINITION", f"no definition {shown(name)} in the files read", "definition")
        return self.definitions[name]

    def _owner(self, item: Item) -> Definition:
        """The definition of a workload that names none: its file is called like it, or lies beside it alone."""
        path = PurePosixPath(item.file)
        if path.stem in self.definitions:
            return self.definitions[path.stem]
        beside = self._folders.get(path.parent, set())
        if len(beside) != 1:
            raise item.refusal("NO_DEFINITION", f"{len(beside)} definitions lie beside this workload; it needs one")
        return self.definitions[next(iter(beside))]


def _key(item: Item) -> str | None:
    """How upstream would name an object that is not taken."""
    named = [item.value.get(member) for member in ("definition", "solution", "name", "uuid")]
    workload = item.value.get("workload")
    named.append(workload.get("uuid") if isinstance(workload, dict) else None)
    return bounded_key(part for part in named if isinstance(part, str)) or None
