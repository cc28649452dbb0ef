"""An operation: the best known run of each workload, hardware and protocol. No row is left out, whatever the number."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from registry.core import measurement, naming
from registry.models import ComparisonGroup, Operation
from registry.queries import addresses, keyset
from registry.queries.documents import _document
from registry.queries.matrices import HardwareSpan, Matrix, MatrixCell, MatrixColumn, MatrixRow
from registry.queries.parts import tensor_text
from registry.queries.runs import Tombstone
from registry.queries.scaling import SERIES, Scaling, pass_order, scaling
from registry.queries.shapes import Fact, Ref, quantity
from registry.queries.summaries import SUMMARY_COLUMNS, summary

ROWS_A_PAGE = 100
IMPLEMENTATIONS_SHOWN = 50
Columns = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Holder:
    """An implementation and the groups in which it holds the best known value."""

    implementation: str
    series: int
    is_baseline: bool
    held: int
    licence: str | None
    url: str


@dataclass(frozen=True, slots=True)
class OperationPage:
    id: str
    title: str
    url: str
    digest: str
    canonical_url: str | None
    family: str
    summary: str
    run_count: int
    group_count: int
    aliases: tuple[str, ...]
    references: tuple[str, ...]
    facts: tuple[Fact, ...]
    matrix: Matrix
    scaling: Scaling | None
    holders: tuple[Holder, ...]
    holder_count: int
    implementation_count: int
    tombstone: Tombstone | None

    @property
    def key(self) -> tuple[Holder, ...]:
        """The implementations that have a mark of their own, one a mark, in the order of the marks."""
        marked = {holder.series: holder for holder in reversed(self.holders) if holder.series}
        return tuple(marked[series] for series in sorted(marked))


def operation_page(slug: str, *, cursor: str | None = None) -> OperationPage:
    """Raises Operation.DoesNotExist; BadCursorError for a cursor that this operation's matrix did not give."""
    operation = Operation.objects.get(slug=slug)
    spec = json.loads(operation.canonical)["spec"] if operation.canonical else {}
    found = list(
        ComparisonGroup.objects.filter(operation=operation)
        .order_by("id")
        .values(
            *SUMMARY_COLUMNS,
            "environment_id",
            "workload__axes",
            "workload__is_suite",
            "standing__best_tied",
            "standing__best_id",
            "standing__best__implementation__is_baseline",
            "standing__best__implementation__licence",
            "standing__best__implementation_id",
        )
    )
    series = _series(found)
    metadata = json.loads(operation.metadata or "{}")
    document = _document(operation, addresses.operation(slug))
    holders = _holders(found, series)
    return OperationPage(
        id=slug,
        title=operation.display_name or "Redacted operation",
        url=addresses.operation(slug),
        digest=operation.digest,
        canonical_url=document["canonical_url"],
        family=operation.family,
        summary=_summary(spec),
        run_count=sum(columns["standing__run_count"] for columns in found),
        group_count=len(found),
        aliases=tuple(operation.aliases.order_by("alias").values_list("alias", flat=True)),
        references=tuple(reference["url"] for reference in metadata.get("sourceRefs", [])),
        facts=_facts(spec, operation.family),
        matrix=_matrix(found, spec, series, slug, cursor),
        scaling=scaling(found, series),
        holders=holders[:IMPLEMENTATIONS_SHOWN],
        holder_count=len(holders),
        implementation_count=operation.implementations.count(),
        tombstone=document["tombstone"],
    )


def _series(found: list[Columns]) -> dict[str, int]:
    """Implementation -> its mark: the four that hold most groups, baselines last; the rest share mark 0."""
    held: Counter[str] = Counter()
    baselines = set()
    for columns in found:
        name = columns["standing__best__implementation__display_name"]
        if name:
            held[name] += 1
            if columns["standing__best__implementation__is_baseline"]:
                baselines.add(name)
    ordered = sorted(held, key=lambda name: (-held[name], name))[:SERIES]
    ordered.sort(key=lambda name: (name in baselines, -held[name], name))
    return {name: index for index, name in enumerate(ordered, start=1)}


# --- the matrix


def _matrix(
    found: list[Columns], spec: dict[str, Any], series: dict[str, int], slug: str, cursor: str | None
) -> Matrix:
    keys = {_column_key(columns): columns for columns in found}
    ordered = sorted(keys, key=lambda key: (key[:2], pass_order(keys[key]["protocol__timed_pass"] or ""), key[2:]))
    by_column: dict[Any, list[float]] = defaultdict(list)
    for columns in found:
        if columns["standing__best_value"] is not None:
            by_column[_column_key(columns)].append(columns["standing__best_value"])
    units = {key: measurement.column_unit(by_column[key], keys[key]["unit"]) for key in ordered if by_column[key]}
    order = naming.axis_order(spec) if spec else ()
    cells: dict[str, dict[Any, list[Columns]]] = defaultdict(lambda: defaultdict(list))
    workloads: dict[str, Columns] = {}
    for columns in found:
        workloads[columns["workload__digest"]] = columns
        cells[columns["workload__digest"]][_column_key(columns)].append(columns)
    sorted_workloads = sorted(workloads, key=lambda digest: _workload_order(workloads[digest], order))
    first = _rows_before(sorted_workloads, cursor, f"matrix {slug}")
    shown = sorted_workloads[first : first + ROWS_A_PAGE]
    axis, constants = _row_axis(list(workloads.values()))
    return Matrix(
        columns=tuple(_column(keys[key], units.get(key)) for key in ordered),
        spans=_spans([keys[key] for key in ordered]),
        rows=tuple(
            MatrixRow(
                Ref(
                    digest,
                    f"{workloads[digest]['workload__axes'][axis]:,}" if axis else workloads[digest]["workload__label"],
                    addresses.workload(digest),
                ),
                tuple(tuple(_cell(c, units.get(key), series) for c in cells[digest][key]) for key in ordered),
            )
            for digest in shown
        ),
        total_rows=len(workloads),
        first_row=first + 1,
        next=keyset.write(shown[-1:], f"matrix {slug}") if first + ROWS_A_PAGE < len(workloads) else None,
        constants=constants,
        row_axis=axis,
    )


def _rows_before(digests: list[str], cursor: str | None, scope: str) -> int:
    """The cursor names the last workload shown; those that came since stand before or after it, as they sort."""
    if not cursor:
        return 0
    (last,) = keyset.read(cursor, scope, 1)
    if last not in digests:
        raise keyset.BadCursorError("the workload that the cursor names is not in this table")
    return digests.index(last) + 1


def _column_key(columns: Columns) -> tuple[Any, ...]:
    hardware, runner = columns["environment__hardware__slug"], columns["environment__runner"] or ""
    return (
        hardware,
        runner,
        columns["protocol__digest"],
        columns["metric"] or "",
        columns["statistic"] or "",
        columns["unit"] or "",
    )


def _column(columns: Columns, unit: str | None) -> MatrixColumn:
    told = summary(columns)
    label = told.timed_pass or told.protocol.name
    return MatrixColumn(
        told.hardware, told.runner, told.protocol, label, told.metric, told.statistic, told.direction, unit
    )


def _spans(ordered: list[Columns]) -> tuple[HardwareSpan, ...]:
    spans: list[HardwareSpan] = []
    for columns in ordered:
        told = summary(columns)
        if spans and (spans[-1].hardware.id, spans[-1].runner) == (told.hardware.id, told.runner):
            spans[-1] = HardwareSpan(told.hardware, told.runner, spans[-1].columns + 1)
        else:
            spans.append(HardwareSpan(told.hardware, told.runner, 1))
    return tuple(spans)


def _cell(columns: Columns, unit: str | None, series: dict[str, int]) -> MatrixCell:
    name, value = columns["standing__best__implementation__display_name"], columns["standing__best_value"]
    return MatrixCell(
        addresses.group(columns["key"]),
        None if value is None else quantity(value, columns["unit"], unit),
        name,
        series.get(name, 0),
        columns["standing__run_count"],
        columns["standing__ranked_count"],
        columns["standing__best_tied"],
        columns["standing__next_ratio"],
    )


def _workload_order(columns: Columns, order: tuple[str, ...]) -> tuple[Any, ...]:
    axes = columns["workload__axes"] or {}
    return (columns["workload__is_suite"], [axes.get(axis, 0) for axis in order], columns["workload__label"])


def _row_axis(found: list[Columns]) -> tuple[str | None, str]:
    """The one axis by which all workloads differ, and what they share; None where they differ by more than one."""
    axes = [columns["workload__axes"] for columns in found]
    if len({columns["workload__digest"] for columns in found}) < 2 or any(a is None for a in axes):
        return None, ""
    names = set(axes[0])
    if any(set(a) != names for a in axes):
        return None, ""
    varying = [name for name in names if len({a[name] for a in axes}) > 1]
    labels = [set(columns["workload__label"].split(naming.DOT)) for columns in found]
    shared = set.intersection(*labels)
    distinct = len({a[varying[0]] for a in axes}) if len(varying) == 1 else 0
    if distinct != len({columns["workload__digest"] for columns in found}):
        return None, ""
    return varying[0], naming.DOT.join(part for part in found[0]["workload__label"].split(naming.DOT) if part in shared)


# --- who holds the best values


def _holders(found: list[Columns], series: dict[str, int]) -> tuple[Holder, ...]:
    held: Counter[Any] = Counter()
    told: dict[Any, Columns] = {}
    for columns in found:
        made = columns["standing__best__implementation_id"]
        if made:
            held[made] += 1
            told[made] = columns
    return tuple(
        Holder(
            told[made]["standing__best__implementation__display_name"],
            series.get(told[made]["standing__best__implementation__display_name"], 0),
            told[made]["standing__best__implementation__is_baseline"],
            count,
            told[made]["standing__best__implementation__licence"],
            addresses.implementation(made),
        )
        for made, count in sorted(held.items(), key=lambda item: (-item[1], str(item[0])))
    )


# --- definition


def _summary(spec: dict[str, Any]) -> str:
    if not spec:
        return "The document was redacted."
    told = []
    for side, word in (("inputs", "Input"), ("outputs", "output")):
        arguments = spec[side]
        shown = ", ".join(_argument(argument) for argument in arguments[:4])
        more = f" and {len(arguments) - 4} more" if len(arguments) > 4 else ""
        told.append(f"{word}{'s' * (len(arguments) > 1)} {shown}{more}")
    semantics = spec["semantics"]
    mutation = {"none": "Nothing is mutated", "in_place": "Works in place", "destination": "Writes to a destination"}
    determinism = (
        "determinism is not specified" if semantics["determinism"] == "unspecified" else semantics["determinism"]
    )
    return f"{', '.join(told)}. {mutation[semantics['mutation']]}; {determinism}."


def _argument(argument: dict[str, Any]) -> str:
    if "tensor" in argument:
        return f"{argument['name']} [{', '.join(map(str, argument['tensor']['shape']))}]"
    return f"{argument['name']} ({argument['scalar']['dtype']})"


def _facts(spec: dict[str, Any], family: str) -> tuple[Fact, ...]:
    if not spec:
        return (Fact("definition", "spec", absent="redacted"),)
    facts = [Fact("family", "family", family, url=f"/operations/?family={family}")]
    for name in naming.axis_order(spec):
        axis = spec["axes"][name]
        told = {
            "variable": "variable",
            "constant": f"constant {axis.get('value', 0):,}",
            "derived": f"derived: {axis.get('expression')}",
        }[axis["role"]]
        bounds = [f"{word} {axis[key]:,}" for key, word in (("minimum", "from"), ("maximum", "to")) if key in axis]
        facts.append(Fact(f"axis {name}", f"axes.{name}", " ".join([told, *bounds])))
    for side, word in (("inputs", "input"), ("outputs", "output")):
        for argument in spec[side]:
            told = tensor_text(argument["tensor"]) if "tensor" in argument else f"{argument['scalar']['dtype']} scalar"
            facts.append(Fact(f"{word} {argument['name']}", side, told))
    semantics = spec["semantics"]
    facts += [
        Fact("mutation", "semantics.mutation", semantics["mutation"].replace("_", " ")),
        Fact("determinism", "semantics.determinism", semantics["determinism"]),
    ]
    if "expression" in semantics:
        facts.append(Fact("expression", "semantics.expression", semantics["expression"]))
    if "reference" in spec:
        facts.append(Fact("reference", "reference", f"in {spec['reference']['language']}"))
    return tuple(facts)
