"""Units as people write them, and exact conversion between units of one dimension.

Tokens are those of documents (`us`, `gib`, `gb_s`). A token without a row is a dimension of its own: it converts to
itself only. "KB" and "Gb/s" have no row, because what their writers mean differs.
"""

from collections.abc import Mapping
from decimal import Decimal

from registry.core.measurement import DURATIONS

_ONE = Decimal(1)
DIMENSIONS: Mapping[str, Mapping[str, Decimal]] = {
    "a duration": DURATIONS,
    "an amount of memory": {
        "b": _ONE,
        "bytes": _ONE,
        "mb": Decimal(10**6),
        "gb": Decimal(10**9),
        "kib": Decimal(2**10),
        "mib": Decimal(2**20),
        "gib": Decimal(2**30),
    },
    "a bandwidth": {"gb_s": Decimal(10**9), "tb_s": Decimal(10**12), "gib_s": Decimal(2**30)},
    "an arithmetic rate": {"gflops": _ONE, "tflops": Decimal(1000)},
    "a token rate": {"tokens_s": _ONE},
    "an item rate": {"items_s": _ONE},
    "a request rate": {"requests_s": _ONE},
    "a share": {"percent": _ONE},
}
_DIMENSION_OF = {token: dimension for dimension, tokens in DIMENSIONS.items() for token in tokens}
_SPELLINGS = {
    "ns": "nsec nanosecond nanoseconds",
    "us": "µs μs usec microsecond microseconds",  # U+00B5, then U+03BC
    "ms": "msec millisecond milliseconds",
    "s": "sec second seconds",
    "b": "B byte",
    "mb": "MB",
    "gb": "GB",
    "kib": "KiB",
    "mib": "MiB",
    "gib": "GiB",
    "gb_s": "GB/s gb/s",
    "tb_s": "TB/s tb/s",
    "gib_s": "GiB/s gib/s",
    "gflops": "GFLOP/s GFLOPS GFLOPs GFlops GFlop/s gflop/s",
    "tflops": "TFLOP/s TFLOPS TFLOPs TFlops TFlop/s tflop/s",
    "tokens_s": "tokens/s tok/s",
    "items_s": "items/s",
    "requests_s": "requests/s req/s",
    "percent": "%",
}
_TOKENS = {spelling: token for token, spellings in _SPELLINGS.items() for spelling in spellings.split()}


class UnitError(ValueError):
    """Two units of different dimensions."""


def unit_token(written: str) -> str | None:
    """The token of a unit as somebody wrote it; None for one that is not known here."""
    written = written.strip()
    return written if written in _DIMENSION_OF else _TOKENS.get(written)


def dimension(token: str) -> str:
    return _DIMENSION_OF.get(token, f"in {token}")


def converted(value: Decimal, unit: str, to: str) -> Decimal:
    """The value in another unit. Raises UnitError where the two are not of one dimension."""
    if unit == to:
        return value
    tokens = DIMENSIONS.get(_DIMENSION_OF.get(unit, ""), {})
    if to not in tokens:
        raise UnitError(f"{dimension(unit)} is not {dimension(to)}")
    return value * tokens[unit] / tokens[to]
