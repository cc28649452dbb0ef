"""What a row was measured on: the axes, float type and scalars of its case, from the swept value and configuration."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from registry.importers.base import Known
from registry.importers.liger.kernels import KERNELS
from registry.importers.liger.rows import SHOWN, Refusal, Row, configuration
from registry.importers.liger.signatures import Kernel, Reading, by

DTYPES = {"torch.bfloat16": "bf16", "torch.float32": "fp32", "torch.float16": "fp16"}
MODEL_SWEEP = "model_config"
MODELS = {  # the sizes that upstream's scripts take from a model's name
    "llama_2_7b": {"vocab_size": 32_000, "hidden_size": 4_096},
    "llama_3_8b": {"vocab_size": 128_256, "hidden_size": 4_096},
    "qwen2.5_7b": {"vocab_size": 152_064, "hidden_size": 3_584},
    "qwen2.5_14b": {"vocab_size": 152_064, "hidden_size": 5_120},
    "qwen2.5_72b": {"vocab_size": 152_064, "hidden_size": 8_192},
    "deepseek_v2_lite": {"vocab_size": 102_400, "hidden_size": 2_048},
    "deepseek_v3": {"vocab_size": 129_280, "hidden_size": 7_168},
}
CONFIGURATION = "extra_benchmark_config_str"
_SIZE = re.compile(r"[1-9][0-9]{0,14}")
LARGEST = 10**15 - 1


class Unknown(ValueError):
    """A name that no table and no person has settled. `kind` is one of NAME_KINDS."""

    def __init__(self, kind: str, name: str, column: str, message: str) -> None:
        super().__init__(message)
        self.kind, self.name, self.column = kind, name, column


@dataclass(frozen=True, slots=True)
class Case:
    """The size of one measurement. `key` is unique among the rows of a sweep, also where their cases are equal."""

    kernel_name: str
    axes: Mapping[str, int]
    sizes: Mapping[str, int]  # of every axis, derived ones too
    dtype: str
    scalars: Mapping[str, float]
    key: str

    @property
    def kernel(self) -> Kernel:
        return KERNELS[self.kernel_name]


def kernel_name(row: Row, known: Known) -> str:
    """The table's name of a row's kernel. Raises Unknown."""
    settled = known.names.get(("kernel", row.kernel), row.kernel)
    if not isinstance(settled, str) or settled not in KERNELS:
        raise Unknown("kernel", row.kernel, "kernel_name", f"no mapping for kernel {row.kernel[:SHOWN]!r}")
    return settled


def case(row: Row, name: str, known: Known) -> Case:
    """The case of a row of this kernel. Raises Unknown where it is stated in a way that nobody has read yet."""
    kernel = KERNELS[name]
    members = dict(configuration(row.configuration))
    if row.swept == MODEL_SWEEP:
        members |= _model(row.x, known)
    _check_mathematics(kernel, name, members)
    axes = _axes(row, members, _reading(kernel, name, row.swept, members, known))
    dtype = kernel.dtype or _dtype(name, members, known)
    model = f"-{row.x}" if row.swept == MODEL_SWEEP else ""
    key = "-".join(f"{axis}{axes[axis]}" for axis in sorted(axes)) + f"-{dtype}{model}"
    return Case(name, axes, _derived(kernel, axes), dtype, _scalars(kernel, members), key)


def _model(name: str, known: Known) -> Mapping[str, int]:
    settled = known.names.get(("configuration", name), name)
    if not isinstance(settled, str) or settled not in MODELS:
        raise Unknown("configuration", name, "x_value", f"no sizes for model {name[:SHOWN]!r}")
    return MODELS[settled]


def _check_mathematics(kernel: Kernel, name: str, members: Mapping[str, object]) -> None:
    for member, value in kernel.fixed.items():
        stated = members.get(member)
        if stated != value or isinstance(stated, bool) is not isinstance(value, bool):
            told = f"{name} with {member} {stated!r}"[:200]
            raise Unknown("configuration", told, CONFIGURATION, f"{member} is {value!r} in the rows that are known")


def _reading(kernel: Kernel, name: str, swept: str, members: Mapping[str, object], known: Known) -> Reading:
    stated = {member: value for member, value in members.items() if value is not None}
    for reading in kernel.readings:
        if reading.fits(swept, stated):
            return reading
    told = f"{name} by {swept}: {', '.join(sorted(stated))}"[:200]
    if answer := _settled(kernel, swept, stated, known.names.get(("configuration", told))):
        return answer
    ways = "; ".join(f"by {' or '.join(way.swept)}: {', '.join(sorted(way.members))}" for way in kernel.readings)
    raise Unknown("configuration", told, CONFIGURATION, f"{name} is read {ways}")


def _settled(
    kernel: Kernel, swept: str, stated: Mapping[str, object], answer: str | Mapping[str, str] | None
) -> Reading | None:
    """The reading that a person gave, as `rows=bsz*x hidden=hidden_size` or by axis; None where it gives no case."""
    if not answer:
        return None
    axes = answer if isinstance(answer, str) else " ".join(f"{axis}={value}" for axis, value in answer.items())
    try:
        reading = by(swept, axes)
    except ValueError:
        return None
    is_whole = reading.axes.keys() == kernel.readings[0].axes.keys()
    return reading if is_whole and reading.members <= stated.keys() else None


def _axes(row: Row, members: Mapping[str, object], reading: Reading) -> dict[str, int]:
    axes = {}
    for axis, factors in reading.axes.items():
        size = 1
        for member in factors:
            size *= _swept(row.x) if member == "x" else _size(member, members[member])
        if size > LARGEST:
            raise Refusal("SIZE", CONFIGURATION, f"axis {axis} is over {LARGEST:,}")
        axes[axis] = size
    return axes


def _swept(text: str) -> int:
    if not _SIZE.fullmatch(text):
        raise Refusal("SIZE", "x_value", f"must be a positive whole number, got {text[:SHOWN]!r}")
    return int(text)


def _size(member: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= LARGEST:
        raise Refusal("SIZE", CONFIGURATION, f"{member} must be a positive whole number, got {value!r}"[:200])
    return value


def _derived(kernel: Kernel, axes: Mapping[str, int]) -> dict[str, int]:
    sizes = dict(axes)
    for axis, expression in kernel.expressions.items():
        whole, divides, part = kernel.derived[axis].partition(" // ")
        if divides and axes[whole] % (int(part) if part.isdigit() else axes[part]):
            raise Refusal("SIZE", CONFIGURATION, f"{axis} is {kernel.derived[axis]}, which leaves a rest")
        sizes[axis] = expression.evaluate(axes)
    return sizes


def _dtype(name: str, members: Mapping[str, object], known: Known) -> str:
    stated = members.get("dtype")
    told = stated[:200] if isinstance(stated, str) else f"{name} with dtype {stated!r}"[:200]
    settled = known.names.get(("configuration", told), told)
    if not isinstance(settled, str) or settled not in DTYPES:
        raise Unknown("configuration", told, CONFIGURATION, f"the dtype is one of {', '.join(DTYPES)}")
    return DTYPES[settled]


def _scalars(kernel: Kernel, members: Mapping[str, object]) -> dict[str, float]:
    scalars = {}
    for scalar, stated in kernel.scalars.items():
        value = members.get(stated) if isinstance(stated, str) else stated
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise Refusal("CONFIG", CONFIGURATION, f"{scalar} must be a number, got {value!r}"[:200])
        scalars[scalar] = value
    return scalars
