"""Row ids that can be made again: a UUIDv7 from an instant and a seed, not from a clock and chance."""

import hashlib
import uuid
from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RANDOM_BITS = 74


def uuid7(at: datetime, seed: str) -> uuid.UUID:
    """Make the UUIDv7 (RFC 9562) of an instant whose random bits are the sha256 of a seed.

    An import that is run twice, or on two machines, must give its rows the same URLs; the seed is what makes the row
    itself, such as its digest. Raises ValueError for an instant without time zone or before 1970.
    """
    ms = _milliseconds(at)
    random = int.from_bytes(hashlib.sha256(seed.encode()).digest()) >> (256 - _RANDOM_BITS)
    version, variant = 0b0111, 0b10
    return uuid.UUID(int=ms << 80 | version << 76 | (random >> 62) << 64 | variant << 62 | random & (2**62 - 1))


@lru_cache(maxsize=1024)  # an import has one instant for most of its rows
def _milliseconds(at: datetime) -> int:
    if at.tzinfo is None:
        raise ValueError("an id needs an instant with its time zone")
    ms = (at - _EPOCH) // timedelta(milliseconds=1)
    if not 0 <= ms < 2**48:
        raise ValueError(f"{at.isoformat()} does not fit the 48 bits of a UUIDv7's clock")
    return ms
