"""Durations as documents write them, turned into whole nanoseconds by decimal arithmetic.

Binary floats refuse honest values: 1.001 * 1000 is 1000.9999999999999, so the original could not read "1.001 us".
"""

import re

from registry.core.located import shown, type_name

MAX_NS = 2**53 - 1

_NS_PER_UNIT = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9}  # U+00B5, then U+03BC
_DURATION = re.compile(r"([0-9]+)(?:\.([0-9]+))? ?(ns|us|µs|μs|ms|s)")
_MAX_CHARACTERS = 64  # MAX_NS has 16 digits; a longer spelling is a mistake or an attack


class DurationError(ValueError):
    """A duration that is not a whole number of nanoseconds within 0 to 2^53−1."""


def nanoseconds(value: int | str) -> int:
    """Read integer nanoseconds, or text such as "0.008 ms", as nanoseconds; never round. Raises DurationError."""
    if isinstance(value, str):
        ns = _from_text(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        ns = value
    else:
        raise DurationError(f'must be integer nanoseconds or a duration such as "1.5 ms", got {type_name(value)}')
    if ns < 0:
        raise DurationError("a duration can't be negative")
    if ns > MAX_NS:
        raise DurationError("a duration can't exceed 2^53−1 ns (about 104 days)")
    return ns


def _from_text(text: str) -> int:
    match = _DURATION.fullmatch(text) if len(text) <= _MAX_CHARACTERS else None
    if match is None:
        raise DurationError(f'{shown(text)} is not a duration: write digits and a unit of ns, us, µs, ms, s ("1.5 ms")')
    whole, fraction, unit = match.groups(default="")
    scale: int = 10 ** len(fraction)
    ns, remainder = divmod(int(whole + fraction) * _NS_PER_UNIT[unit], scale)
    if remainder:
        raise DurationError(f"{shown(text)} is not a whole number of nanoseconds")
    return ns
