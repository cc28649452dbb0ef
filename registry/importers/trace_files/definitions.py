"""Definitions and workloads as SOL-ExecBench and FlashInfer-Bench write them, made into operations and cases."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from registry.core.axis_expressions import Expression, ExpressionError
from registry.core.axis_expressions import parse as parse_expression
from registry.core.digest import sha256
from registry.core.located import MAX_INTEGER, shown
from registry.importers.documents import TITLE_CHARACTERS, Spec, digest_of, document
from registry.importers.figures import cut, slug
from registry.importers.json_files import Item
from registry.importers.trace_files.case_keys import case_key

DTYPES = {
    "bfloat16": "bf16",
    "float16": "fp16",
    "float32": "fp32",
    "float64": "fp64",
    "float8_e4m3": "fp8_e4m3",
    "float8_e4m3fn": "fp8_e4m3",
    "float8_e5m2": "fp8_e5m2",
    "float4_e2m1": "fp4_e2m1",
}
LEVELS = {"L1", "L2", "Quant", "FlashInfer-Bench"}  # tags that name a part of the benchmark, no family of operations
UNCATEGORISED = "uncategorized"
_ROLES = {"const": "constant", "var": "variable", "expr": "derived"}
_TOKEN = re.compile(r"[a-z][a-z0-9_]*")
_FILE_KEY_DIGITS = 12  # hex: 48 bits, which every reader of JSON keeps
_DEEPEST_DERIVATION = 64  # axes derived from derived axes; a circle is cut off here, and refused with its operation


def token(name: str) -> str:
    """A name as documents may write it: small letters, digits and _, starting with a letter."""
    spelt = re.sub(r"[^a-z0-9_]", "_", name.lower())
    return spelt if _TOKEN.fullmatch(spelt) else f"x_{spelt}"


def dtype(name: str) -> str:
    return DTYPES.get(name, token(name))


@dataclass(frozen=True, slots=True)
class Argument:
    """An input or output: a tensor with its shape, or a scalar, whose shape is None."""

    upstream: str
    name: str
    dtype: str
    shape: tuple[int | str, ...] | None

    def as_document(self) -> Spec:
        if self.shape is None:
            return {"name": self.name, "scalar": {"dtype": self.dtype}}
        return {"name": self.name, "tensor": {"shape": list(self.shape), "dtype": self.dtype}}


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition as upstream names it, and the operation that it is here."""

    name: str
    operation: Spec
    digest: str
    inputs: tuple[Argument, ...]
    constants: Mapping[str, int]
    derived: Mapping[str, Expression]

    @property
    def dtypes(self) -> list[str]:
        return sorted({argument.dtype for argument in self.inputs})


def read_definition(item: Item, *, source_url: str, is_described: bool) -> Definition:
    """Make the operation of a definition; `is_described`: its licence lets the description be kept. Raises Refusal."""
    name = item.text("name")
    axes, constants, derived = _axes(item.item("axes"))
    inputs, outputs = (_arguments(item.item(side), axes) for side in ("inputs", "outputs"))
    spec: Spec = {
        "family": _family(item),
        "axes": axes,
        "inputs": [argument.as_document() for argument in inputs],
        "outputs": [argument.as_document() for argument in outputs],
        "semantics": {"mutation": "none", "determinism": "unspecified"},
    }
    if item.text_or_none("reference"):
        spec["reference"] = {"language": "python"}
    metadata: Spec = {"name": slug(name), "title": cut(name, TITLE_CHARACTERS), "sourceRefs": [{"url": source_url}]}
    if is_described and (description := item.text_or_none("description")):
        metadata["description"] = cut(description, 2000)
    operation = document("OperationSpec", spec, metadata)
    return Definition(name, operation, digest_of(operation), inputs, constants, derived)


def _family(item: Item) -> str:
    if op_type := item.text_or_none("op_type"):
        return slug(op_type)
    tags = item.value.get("tags") or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise item.refusal("SHAPE", "must be a list of texts", "tags")
    families = [tag for tag in tags if tag not in LEVELS and not tag.startswith("model:")]
    return slug(families[0]) if families else UNCATEGORISED


def _axes(item: Item) -> tuple[Spec, dict[str, int], dict[str, Expression]]:
    axes: Spec = {}
    constants: dict[str, int] = {}
    derived: dict[str, Expression] = {}
    for upstream in item.value:
        name, axis = token(upstream), item.item(upstream)
        if name in axes:
            raise axis.refusal("AXIS_NAMES", f"{upstream} and another axis are both {name} in small letters")
        role = _ROLES.get(axis.text("type"))
        if role is None:
            raise axis.refusal("AXIS_TYPE", f"an axis is const, var or expr, got {shown(axis.text('type'))}", "type")
        stated: Spec = {"role": role, "type": "integer"}
        if role == "constant":
            stated["value"] = constants[name] = _whole(axis, "value")
        elif role == "derived":
            expression = axis.text("expression").lower()
            try:
                derived[name] = parse_expression(expression)
            except ExpressionError as error:
                raise axis.refusal("EXPRESSION", str(error), "expression") from error
            stated["expression"] = expression
        axes[name] = stated
    return axes, constants, derived


def _whole(item: Item, key: str) -> int:
    value = item.integer(key)
    if abs(value) > MAX_INTEGER:
        raise item.refusal("INTEGER_RANGE", f"{value} is outside ±(2^53−1)", key)
    return value


def _arguments(item: Item, axes: Spec) -> tuple[Argument, ...]:
    arguments = tuple(_argument(upstream, item.item(upstream), axes) for upstream in item.value)
    if not arguments:
        raise item.refusal("SHAPE", "an operation has at least one input and one output")
    return arguments


def _argument(upstream: str, item: Item, axes: Spec) -> Argument:
    shape = item.value.get("shape")
    if shape is None or shape == []:  # Python's own number, or a tensor without dimensions: a scalar either way
        return Argument(upstream, token(upstream), dtype(item.text("dtype")), None)
    if not isinstance(shape, list):
        raise item.refusal("SHAPE", "must be a list of axes", "shape")
    dimensions = tuple(_dimension(item, index, size, axes) for index, size in enumerate(shape))
    return Argument(upstream, token(upstream), dtype(item.text("dtype")), dimensions)


def _dimension(item: Item, index: int, size: object, axes: Spec) -> int | str:
    if isinstance(size, int) and not isinstance(size, bool) and 0 <= size <= MAX_INTEGER:
        return size
    if isinstance(size, str) and size.isascii() and size.isdigit() and int(size) <= MAX_INTEGER:
        return int(size)
    if isinstance(size, str) and token(size) in axes:
        return token(size)
    named = shown(size) if isinstance(size, str) else repr(size)
    raise item.refusal("UNDECLARED_AXIS", f"{named} is neither a size nor an axis of the definition", "shape", index)


# Workloads


@dataclass(frozen=True, slots=True)
class Case:
    """One workload: the key that upstream knows it by, and the case that it is here."""

    key: str
    workload: Spec
    digest: str


def read_axes(item: Item) -> dict[str, int]:
    """The axes of a workload in upstream's spelling."""
    return {name: _whole(item, name) for name in item.value}


def key_of(item: Item) -> str:
    """Upstream's id of a workload, else the key made of its axes."""
    return item.text_or_none("uuid") or case_key(read_axes(item.item("axes")))


def read_case(definition: Definition, item: Item, *, comparator: str) -> Case:
    """Make the case of a workload of this definition. Raises Refusal."""
    stated = read_axes(item.item("axes"))
    axes = {token(name): value for name, value in stated.items()}
    sizes = _Sizes(definition, axes)
    described = item.item("inputs") if item.has("inputs") else None
    tensors: Spec = {}
    scalars: Spec = {}
    for argument in definition.inputs:
        data = described.item(argument.upstream) if described and described.has(argument.upstream) else None
        if argument.shape is None:
            if data is not None and (value := _scalar(data)) is not None:
                scalars[argument.name] = {"dtype": argument.dtype, "value": value}
            continue
        tensor: Spec = {"shape": [sizes.of(item, size) for size in argument.shape], "dtype": argument.dtype}
        if data is not None:
            tensor["data"] = _data(data)
        tensors[argument.name] = tensor
    spec: Spec = {"operationSpecDigest": definition.digest, "axes": axes, "tensors": tensors}
    if scalars:
        spec["scalars"] = scalars
    spec["correctness"] = _correctness(item, comparator)
    key = key_of(item)
    listed = ", ".join(f"{name}={value}" for name, value in stated.items())
    metadata: Spec = {
        "name": f"{slug(definition.name)}-{slug(key)[:8]}",
        "title": cut(f"{definition.name} · {listed}" if listed else definition.name, TITLE_CHARACTERS),
    }
    workload = document("WorkloadCase", spec, metadata)
    return Case(key, workload, digest_of(workload))


class _Sizes:
    """Every axis that a workload settles: what it states, the constants, and what is computed of both."""

    def __init__(self, definition: Definition, stated: Mapping[str, int]) -> None:
        self.values = {**definition.constants, **stated}
        self.derived = definition.derived

    def of(self, item: Item, size: int | str, *, depth: int = 0) -> int:
        if isinstance(size, int):
            return size
        if size not in self.values:
            if size not in self.derived or depth > _DEEPEST_DERIVATION:
                raise item.refusal("MISSING_AXIS", f"axis {size} has no value", "axes")
            expression = self.derived[size]
            used = {name: self.of(item, name, depth=depth + 1) for name in sorted(expression.names)}
            try:
                self.values[size] = expression.evaluate(used)
            except ExpressionError as error:
                raise item.refusal("DERIVED_AXIS", f"{size}: {error}", "axes") from error
        if not 0 <= self.values[size] <= MAX_INTEGER:
            raise item.refusal("AXIS_BOUNDS", f"axis {size} is {self.values[size]}, which is no size", "axes")
        return self.values[size]


def _data(data: Item) -> Spec:
    """Where a tensor's values come from. Values of a file are told apart by its path: a case with others is another.

    Documents name files by digests, which upstream does not state here, so the path is told by a number made of it.
    """
    generated: Spec = {"generator": token(data.text("type"))}
    if path := data.text_or_none("path"):
        digest = sha256(f"{path}#{data.text_or_none('tensor_key') or ''}").removeprefix("sha256:")
        generated["parameters"] = {"file_key": int(digest[:_FILE_KEY_DIGITS], 16)}
    return generated


def _scalar(data: Item) -> int | float | None:
    """The value of a scalar input; True and False are 1 and 0 of a bool."""
    if data.text("type") != "scalar":
        return None
    value = data.value.get("value")
    return int(value) if isinstance(value, bool) else data.number_or_none("value")


def _correctness(item: Item, comparator: str) -> Spec:
    """How the workload wants results judged; a bound that is not finite is no bound."""
    correctness: Spec = {"comparator": comparator}
    if item.has("tolerance"):
        tolerance = item.item("tolerance")
        for key, member in (
            ("max_atol", "maxAbsoluteError"),
            ("max_rtol", "maxRelativeError"),
            ("required_matched_ratio", "requiredMatchedRatio"),
        ):
            if (bound := tolerance.number_or_none(key)) is not None:
                correctness[member] = bound
    return correctness
