"""SOL-ExecBench's leaderboard payloads: kernels, their details, and the pages of what was submitted to them."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from registry.core.digest import canonical, sha256
from registry.importers.base import CoverageEntry, Entry, Known, RunEntry, Skipped
from registry.importers.documents import Once
from registry.importers.figures import cut
from registry.importers.json_files import Item, Refusal, told
from registry.importers.sol_execbench.submissions import SLUG, Kernel, Submission, read_kernel, read_submission


def kind_of(item: Item) -> str:
    """Which payload an object is; "" where it is none."""
    data = item.value.get("data")
    if not isinstance(data, dict):
        return ""
    for member, kind in (("submissions", "submissions"), ("kernels", "kernels"), ("workloads", "kernel")):
        if member in data:
            return kind
    return ""


class Leaderboard:
    """The kernels that were read, and the runs of their submissions. Kernels come before what was submitted to them."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.kernels: dict[int, Kernel] = {}
        self.offered: dict[int, int] = {}
        self._rows: dict[int, str] = {}  # their digests by the source's number
        self._read: Counter[int] = Counter()
        self._groups: defaultdict[tuple[int, str, str | None], list[str]] = defaultdict(list)
        self._once = Once()

    def take(self, payload: Item) -> Iterator[Entry]:
        """What one payload gives: documents and runs, or the reasons why rows of it are not taken."""
        make = {"kernels": self._kernels, "kernel": self._kernel, "submissions": self._submissions}[kind_of(payload)]
        data = payload.item("data")
        try:
            yield from make(data)
        except Refusal as refusal:
            yield told(data, refusal)

    def coverage(self) -> Iterator[CoverageEntry]:
        """The source counts a kernel's submissions over all GPUs, stacks and outcomes, which the rule says."""
        for (kernel, gpu, stack), keys in self._groups.items():
            rule = (
                f"every completed submission on {cut(gpu, 40)} under stack {cut(stack or 'not stated', 40)}; the "
                f"source counts all that was submitted to kernel {kernel}: {self._read[kernel]:,} rows of it were read"
            )
            yield CoverageEntry(tuple(keys), self.offered.get(kernel), rule)

    def _kernels(self, data: Item) -> Iterator[Entry]:
        for kernel in data.items("kernels"):
            if kernel.has("submission_count"):
                self.offered.setdefault(kernel.integer("id"), kernel.integer("submission_count"))
        yield Skipped("LISTING", data.place("kernels"))

    def _kernel(self, data: Item) -> Iterator[Entry]:
        number, kernel = data.integer("id"), read_kernel(data)
        if self.kernels.setdefault(number, kernel) != kernel:
            raise data.refusal("DUPLICATE_ID", f"kernel {number} is given otherwise in an earlier file", "id")
        yield from self._once.document(kernel.definition.operation, data.locate)

    def _submissions(self, data: Item) -> Iterator[Entry]:
        total = data.integer("total") if data.has("total") else None
        for row in data.items("submissions"):
            key = f"submission/{row.value.get('id')}"[:500]
            try:
                yield from self._submission(row, key, total)
            except Refusal as refusal:
                yield told(row, refusal, key)

    def _submission(self, row: Item, key: str, total: int | None) -> Iterator[Entry]:
        number, kernel_number = row.integer("id"), row.integer("kernel_id")
        digest = sha256(canonical(row.value))
        if number in self._rows:
            if self._rows[number] != digest:
                raise row.refusal("DUPLICATE_ID", f"submission {number} stands earlier with other figures", "id")
            yield Skipped("REPEATED_ROW", row.place())  # pages shift while they are fetched
            return
        self._rows[number] = digest
        self._read[kernel_number] += 1
        if total is not None:
            self.offered[kernel_number] = total
        if row.value.get("type", "kernel") != "kernel":
            raise row.refusal("TYPE", "is no submission to a kernel", "type")
        kernel = self.kernels.get(kernel_number)
        if kernel is None:
            raise row.refusal("NO_KERNEL", f"no details of kernel {kernel_number} in the files read", "kernel_id")
        yield from self._entries(row, key, kernel, read_submission(row, kernel, self.known))

    def _entries(self, row: Item, key: str, kernel: Kernel, submission: Submission) -> Iterator[Entry]:
        yield from self._once.document(kernel.suite, row.locate)
        yield from self._once.document(submission.owner, row.locate, slug=submission.project)
        yield from self._once.document(submission.implementation, row.locate, project=submission.project)
        self._groups[row.integer("kernel_id"), submission.gpu, submission.stack].append(key)
        yield RunEntry(
            submission.run,
            submission.protocol,
            submission.environment,
            row.locate,
            source=SLUG,
            implementation=(submission.project, submission.name),
            upstream_key=key,
            lasting_key=key,
            release=cut(submission.stack, 100) if submission.stack else None,
            flags=submission.flags,
        )
