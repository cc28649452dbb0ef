"""What may stand in a mail, and when it is tried again."""

from datetime import timedelta

import pytest

from attestations.core.letters import LONGEST_SUBJECT, pause_after, plain, split


@pytest.mark.parametrize(("attempts", "minutes"), [(1, 1), (2, 5), (3, 30), (4, 120), (5, 720), (6, None), (7, None)])
def test_each_attempt_that_fails_is_followed_by_a_longer_pause(attempts: int, minutes: int | None) -> None:
    assert pause_after(attempts) == (None if minutes is None else timedelta(minutes=minutes))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a run of Acme", "a run of Acme"),
        ("two\twords", "two words"),
        ("nul\x00", "nul[U+0000]"),
        ("bell\x07 and escape\x1b[31m", "bell[U+0007] and escape[U+001B][31m"),
        ("right to left \u202eevil\u202c", "right to left [U+202E]evil[U+202C]"),
        ("zero\u200bwidth", "zero[U+200B]width"),
        ("lone \ud800 surrogate", "lone [U+D800] surrogate"),
        ("no character \ufffe\uffff", "no character [U+FFFE][U+FFFF]"),
        ("half\ra line", "half[U+000D]a line"),
        ("tag \U000e0041", "tag [U+E0041]"),
        ("Größe ≥ 4 µs 量", "Größe ≥ 4 µs 量"),
    ],
)
def test_what_acts_on_a_reader_is_shown(line: str, shown: str) -> None:
    assert plain(line) == shown


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n", "\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_a_subject_is_one_line(end: str) -> None:
    subject, body = split(f"Run{end}Bcc: all@example.org\n\nText")
    assert not any(one in subject for one in "\r\n\x0b\x0c\x1c\x85\u2028\u2029")
    assert not any(line.startswith("Bcc") for line in subject.splitlines())
    assert body.endswith("Text\n")


def test_the_first_line_is_the_subject_and_the_rest_the_body() -> None:
    assert split("\nA subject\n\nOne\n  two \n\n") == ("A subject", "One\n  two\n")


def test_a_subject_ends_somewhere() -> None:
    assert len(split("x" * 1000)[0]) == LONGEST_SUBJECT
