"""Figures as upstreams write them: rounding, instants, names and keys that have to fit."""

import pytest

from registry.importers.figures import bounded_key, cut, instant, nanoseconds, slug
from registry.importers.trace_files.case_keys import case_key, collation


@pytest.mark.parametrize(
    ("milliseconds", "ns"),
    [
        (0.209838, 209838),
        (0.01415, 14150),
        (0.0000005, 1),  # half a nanosecond rounds up
        (0.0000015, 2),
        (0.0000025, 3),  # Python's own round gives 2
        (7, 7_000_000),
    ],
)
def test_milliseconds_round_half_up(milliseconds: float, ns: int) -> None:
    assert nanoseconds(milliseconds) == ns


@pytest.mark.parametrize("milliseconds", [0, -1, 0.0000004, 1e300])
def test_what_is_no_time_is_refused(milliseconds: float) -> None:
    with pytest.raises(ValueError, match="must be a time of a nanosecond or more"):
        nanoseconds(milliseconds)


@pytest.mark.parametrize(
    ("written", "told", "has_zone"),
    [
        ("2026-07-03T03:55:35.544987", "2026-07-03T03:55:35.544Z", False),  # cut, not rounded
        ("2026-07-03T03:55:35.999999Z", "2026-07-03T03:55:35.999Z", True),
        ("2025-06-27T12:45:00Z", "2025-06-27T12:45:00.000Z", True),
        ("2025-06-27 12:45:00", "2025-06-27T12:45:00.000Z", False),
        ("2025-06-27T12:45:00.1+02:00", "2025-06-27T10:45:00.100Z", True),
    ],
)
def test_an_instant_is_cut_to_milliseconds_of_utc(written: str, told: str, has_zone: bool) -> None:
    assert instant(written) == (told, has_zone)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("", "must be a time such as"),
        ("2025-06-27", "must be a time such as"),
        ("1751028300", "must be a time such as"),
        ("2025-13-01T00:00:00", "names a time that does not exist"),
        ("2025-06-27T24:00:01", "names a time that does not exist"),
        ("0001-01-01T00:00:00+14:00", "names a time that does not exist"),
        ("1970-01-01T00:00:00", "is not a time of this century"),
    ],
)
def test_what_is_no_instant_is_refused(written: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        instant(written)


def test_names_and_keys_fit_and_stay_apart() -> None:
    assert cut("abcdef", 6) == "abcdef"
    assert cut("abcdefg", 6) == "abcde…"
    assert slug("Amir M. Mir | SF Tensor") == "amir-m-mir-sf-tensor"
    assert slug("東京") != slug("京都")
    assert slug("東京").isalnum()
    assert bounded_key(["a", "b"]) == "a/b"
    long, other = bounded_key(["x" * 600]), bounded_key(["x" * 601])
    assert len(long) == len(other) == 500
    assert long != other


# Case keys. The order is that of ICU's root collation, which upstream's localeCompare has.


@pytest.mark.parametrize(
    "names",
    [
        ["_a", "1a", "a", "A", "a_b", "a1", "ab", "aB", "Ab", "AB", "B"],
        ["batch", "head_dim", "Head_dim", "head_dim2", "headdim", "seq"],
        ["M", "N", "N_half", "n1", "nn"],
    ],
)
def test_names_stand_in_the_order_of_a_collation(names: list[str]) -> None:
    assert sorted(set(names), key=collation) == names


@pytest.mark.parametrize(
    ("axes", "key"),
    [
        ({"N": 8, "C": 32, "H": 480, "W": 640}, "612ab31ce301"),  # as published; the first of the seed's suite
        ({"c": 32, "h": 480, "n": 8, "w": 640}, "7b86a6c084cf"),  # the hash is of upstream's own spelling
    ],
)
def test_a_case_without_id_has_the_hash_of_its_axes(axes: dict[str, int], key: str) -> None:
    assert case_key(axes) == key
