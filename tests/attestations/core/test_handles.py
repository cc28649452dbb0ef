"""Public names: honest ones are taken, look-alikes are not; and texts in which nothing is invisible."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attestations.core.handles import RESERVED, Handle, HandleError, check_handle, shown_safely

DATA = Path(__file__).resolve().parents[2] / "data" / "handles"


def rows(name: str) -> list[str]:
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return [line for line in lines if line and not line.startswith("#")]


HONEST = rows("honest.txt")
CONFUSABLE = [tuple(row.split("\t")) for row in rows("confusable.tsv")]


def outcome(text: str) -> Handle | HandleError:
    try:
        return check_handle(text)
    except HandleError as error:
        return error


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_name_is_taken_as_it_is(name: str) -> None:
    assert check_handle(name).text == unicodedata.normalize("NFC", name)


def test_two_hundred_honest_names_are_told_apart() -> None:
    assert len(HONEST) >= 200
    assert len({check_handle(name).skeleton for name in HONEST}) == len(HONEST)


@pytest.mark.parametrize(("kind", "name", "escaped"), CONFUSABLE)
def test_a_look_alike_is_refused_or_counts_as_the_name_that_it_looks_like(kind: str, name: str, escaped: str) -> None:
    alike = outcome(escaped.encode().decode("unicode_escape"))
    if kind == "reserved":
        assert isinstance(alike, HandleError)
    else:
        taken = check_handle(name)
        assert isinstance(alike, HandleError) or alike.skeleton == taken.skeleton


def test_there_are_two_hundred_pairs_of_every_kind() -> None:
    assert len(set(CONFUSABLE)) >= 200
    assert {kind for kind, _, _ in CONFUSABLE} == {
        *("ascii", "cyrillic", "direction", "greek", "invisible", "kana", "latin", "reserved", "script"),
        *("separators", "spelling", "whole script"),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", "A public name has 2 to 40 characters."),
        ("", "A public name has 2 to 40 characters."),
        ("a" * 41, "A public name has 2 to 40 characters."),
        ("a" * 161, "A public name has at most 40 characters."),
        ("al ice", '" " (U+0020) can\'t stand in a public name: use letters, digits, "-", "_" and ".".'),
        ("al@ice", '"@" (U+0040) can\'t stand in a public name: use letters, digits, "-", "_" and ".".'),
        ("<b>", '"<" (U+003C) can\'t stand in a public name: use letters, digits, "-", "_" and ".".'),
        ("a/b", '"/" (U+002F) can\'t stand in a public name: use letters, digits, "-", "_" and ".".'),
        ("al\nice", '"\\n" (U+000A) can\'t stand in a public name: use letters, digits, "-", "_" and ".".'),
        ("ok🚀", '"🚀" (U+1F680) can\'t stand in a public name: use letters, digits, "-", "_" and ".".'),
        ("al\u200bice", "U+200B can't be seen. Leave it out."),
        ("\u202ealice", "U+202E can't be seen. Leave it out."),
        ("a\ud800b", "U+D800 can't be seen. Leave it out."),
        ("ﬂash", '"ﬂ" (U+FB02) is another spelling of "fl": write that.'),
        ("ɡina", '"ɡ" (U+0261) is a letter of phonetic writing, which looks like others.'),
        ("oʼbrien", '"ʼ" (U+02BC) belongs to no script, and can\'t be told from others. Leave it out.'),
        (".alice", "A public name starts and ends with a letter or a digit."),
        ("alice-", "A public name starts and ends with a letter or a digit."),
        ("\u0301ab", "A public name starts and ends with a letter or a digit."),
        ("..", "A public name starts and ends with a letter or a digit."),
        ("a--b", 'Between letters or digits stands one "-", "_" or ".", not two.'),
        ("a.-b", 'Between letters or digits stands one "-", "_" or ".", not two.'),
        ("1234", "A public name holds at least one letter."),
        ("q\u0307\u0307a", "Too many marks stand on one letter."),
        ("q\u0307\u0323\u0331\u0330a", "Too many marks stand on one letter."),
        ("aliсe", "The letters are of several scripts (Cyrillic, Latin). Use one."),
        ("王δ", "The letters are of several scripts (Greek, Han). Use one."),
        ("ᏴᎤᏴ", "Letters of Cherokee are not taken: few fonts have them, and they look like others."),
        ("ーab", '"ー" (U+30FC) stands in names with kana only.'),
        ("abc٣", "The digits are not of one kind with the letters. Use 0 to 9."),
        ("محمد٢3", "The digits are not of one kind with the letters. Use 0 to 9."),
        ("Moderator", "This name, or one that looks like it, is kept for the site. Choose another."),
        ("my-kernel1ndex", "This name, or one that looks like it, is kept for the site. Choose another."),
    ],
)
def test_a_refusal_says_what_to_do(text: str, message: str) -> None:
    assert str(outcome(text)) == message


def test_no_reserved_word_is_taken() -> None:
    assert [word for word in RESERVED if isinstance(outcome(word), Handle)] == []


def test_a_name_is_stored_composed_and_without_spaces_around_it() -> None:
    assert check_handle("  rene\u0301 ").text == "rené"


@settings(deadline=None)
@given(st.one_of(st.text(max_size=50), st.text("aiI1lO0-_. \u0301\u200bаесоα王ー٣", max_size=12)))
def test_any_text_is_a_name_or_a_refusal(text: str) -> None:
    found = outcome(text)
    if isinstance(found, Handle):
        assert 2 <= len(found.text) <= 40
        assert found.text.isprintable()
        assert 0 < len(found.skeleton) <= 120
        assert check_handle(found.text) == found
    else:
        assert str(found).isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ASCII, 100 %\nand\ttabs\r\n", "plain ASCII, 100 %\nand\ttabs\r\n"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),  # escaping is not its work
        ("209.8 µs × 2 – naïve Größe", "209.8 µs × 2 – naïve Größe"),
        ("rate \u202e8.902", "rate [U+202E]8.902"),
        ("a\u2066b\u2069c\u200ed\u200fe\u061cf", "a[U+2066]b[U+2069]c[U+200E]d[U+200F]e[U+061C]f"),
        ("ad\u200bmin\u2060\ufeff\u00ad", "ad[U+200B]min[U+2060][U+FEFF][U+00AD]"),
        ("tags \U000e0061\U000e007f", "tags [U+E0061][U+E007F]"),
        ("nul\x00 bell\x07 esc\x1b del\x7f c1\x85", "nul[U+0000] bell[U+0007] esc[U+001B] del[U+007F] c1[U+0085]"),
        ("lines\u2028and\u2029paragraphs", "lines[U+2028]and[U+2029]paragraphs"),
        ("fillers \u115f\u1160\u3164\uffa0\u2800\u034f", "fillers [U+115F][U+1160][U+3164][U+FFA0][U+2800][U+034F]"),
        ("private \ue000, none \ufdd0\uffff", "private [U+E000], none [U+FDD0][U+FFFF]"),
        ("half \ud83d", "half [U+D83D]"),
        ("a\ufe0fb \U000e0100", "a[U+FE0F]b [U+E0100]"),
        ("a\u200db \u200d", "a[U+200D]b [U+200D]"),
        ("می\u200cخواهم", "می\u200cخواهم"),  # Persian is written with it
        ("क्\u200dष", "क्\u200dष"),
        ("👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3", "👩\u200d💻 ❤\ufe0f 1\ufe0f\u20e3"),
        ("王伟 ドラえもん 한글 עברית ไทย", "王伟 ドラえもん 한글 עברית ไทย"),
        ("wide\u3000space\u00a0fixed", "wide\u3000space\u00a0fixed"),
        ("", ""),
    ],
)
def test_what_can_not_be_seen_is_shown(text: str, expected: str) -> None:
    assert shown_safely(text) == expected


@pytest.mark.parametrize(
    "code",
    [
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
        *range(0x200E, 0x2010),
        0x61C,
        *range(0xE0000, 0xE0080, 8),
        0xFFF9,
    ],
)
def test_no_control_of_direction_and_no_tag_comes_through_anywhere(code: int) -> None:
    character = chr(code)
    for around in ("a{}b", "{}", "م{}م", "👩{}👩", "क{}क"):
        assert character not in shown_safely(around.format(character))


@settings(deadline=None)
@given(st.text(max_size=80))
def test_a_text_that_was_shown_safely_stays_as_it_is(text: str) -> None:
    once = shown_safely(text)
    assert shown_safely(once) == once
