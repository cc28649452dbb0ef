"""How values are written on pages."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from registry.templatetags import measures


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (
            datetime(2026, 3, 27, 6, 9, 46, tzinfo=UTC),
            '<time datetime="2026-03-27T06:09:46Z">2026-03-27</time>',
        ),
        (
            datetime(2026, 7, 3, 3, 55, 35, 544000, tzinfo=UTC),
            '<time datetime="2026-07-03T03:55:35.544000Z">2026-07-03</time>',
        ),
        (None, "–"),
    ],
)
def test_an_instant_is_its_date_and_never_relative(value: datetime | None, written: str) -> None:
    assert measures.day(value) == written


def test_an_instant_of_another_zone_is_written_with_its_utc_date() -> None:
    value = datetime(2026, 1, 1, 1, 0, tzinfo=timezone(timedelta(hours=9)))
    assert measures.day(value) == '<time datetime="2025-12-31T16:00:00Z">2025-12-31</time>'


def test_an_instant_to_the_minute_is_utc_too() -> None:
    value = datetime(2026, 1, 1, 1, 5, 9, tzinfo=timezone(timedelta(hours=9)))
    assert measures.instant(value) == '<time datetime="2025-12-31T16:05:09Z">2025-12-31 16:05 UTC</time>'


@pytest.mark.parametrize(("value", "text"), [(0, "0"), (52, "52"), (7857, "7,857"), (1234567, "1,234,567")])
def test_counts_have_commas_at_thousands(value: int, text: str) -> None:
    assert measures.count(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1.00×"), (3.2045, "3.20×"), (0.6635, "0.66×"), (1.005, "1.01×"), (None, "–")]
)
def test_a_ratio_has_two_decimals_and_an_absent_one_a_dash(value: float | None, text: str) -> None:
    assert measures.times(value) == text


@pytest.mark.parametrize(("value", "text"), [(92.307, "92"), (0.0, "0"), (100.0, "100"), (3.846, "4")])
def test_a_share_is_a_whole_percent(value: float, text: str) -> None:
    assert measures.share(value) == text


def test_a_width_in_svg_is_a_percentage_of_two_decimals() -> None:
    assert measures.percent(92.3076) == "92.31%"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "size not stated"),
        (0, "0 B"),
        (1023, "1,023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (10 * 1024 * 1024, "10 MiB"),
        (3 * 1024**3, "3 GiB"),
    ],
)
def test_sizes_are_in_powers_of_1024_and_an_unstated_one_says_so(value: int | None, text: str) -> None:
    assert measures.size(value) == text


@pytest.mark.parametrize(("value", "text"), [(1023 * 1024, "1,023 KiB"), (1000 * 1024, "1,000 KiB")])
def test_a_size_just_below_the_next_unit_has_no_exponent(value: int, text: str) -> None:
    assert measures.size(value) == text


def test_a_digest_is_cut_to_twelve_hex_digits_and_the_comparison_key_to_sixteen() -> None:
    digest = "sha256:7331cf583fb6e7ee800b9067515bdecb60520bfdb78282d9a614a26710a28f7c"
    assert measures.head(digest) == "sha256:7331cf583fb6…"
    assert measures.head(digest, 16) == "sha256:7331cf583fb6e7ee…"


@pytest.mark.parametrize(("number", "name"), [("126.3", "pad1"), ("7.94", ""), ("1,234", "pad2")])
def test_figures_are_padded_so_that_decimal_points_align(number: str, name: str) -> None:
    assert measures.decimals_pad(number) == name


@pytest.mark.parametrize(
    ("items", "parts"),
    [([], []), ([1], [[1]]), ([1, 2], [[1], [2]]), ([1, 2, 3], [[1, 2], [3]]), ((1, 2, 3, 4, 5), [[1, 2, 3], [4, 5]])],
)
def test_a_list_is_halved_with_the_longer_half_first(items: object, parts: object) -> None:
    assert measures.halves(items) == parts


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [(0, "run", "0 runs"), (1, "run", "1 run"), (2, "group", "2 groups"), (1234, "run", "1,234 runs")],
)
def test_one_is_singular_and_everything_else_plural(number: int, word: str, text: str) -> None:
    assert measures.plural(number, word) == text
