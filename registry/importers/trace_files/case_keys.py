"""The key that SOL-ExecBench's cases get where upstream gives none: a hash of their axes in collation order."""

import json
from collections.abc import Mapping
from functools import lru_cache

from registry.core.digest import sha256

# The order of ASCII in the Unicode collation root: marks, then digits, then letters regardless of case.
_ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_WEIGHTS = {character: weight for weight, character in enumerate(_ORDER)}
_KEY_DIGITS = 12


@lru_cache(maxsize=4096)
def collation(name: str) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """A sort key: letters first regardless of case; of names equal but for case, small letters come first.

    Characters outside ASCII follow the letters by code point, which is no collation: axis names have none.
    """
    weights = tuple(_WEIGHTS.get(character.lower(), len(_ORDER) + ord(character)) for character in name)
    return weights, tuple(character.isupper() for character in name)


def case_key(axes: Mapping[str, int]) -> str:
    """The first 12 hex digits of the hash of `axes` as JSON, names in upstream's spelling."""
    ordered = {name: axes[name] for name in sorted(axes, key=collation)}
    return sha256(json.dumps(ordered, separators=(",", ":"), ensure_ascii=False)).removeprefix("sha256:")[:_KEY_DIGITS]
