"""Answers: every open question at once, what an answer is read as, and what makes no sense."""

import pytest

from registry.importers import answers
from registry.importers.answers import Answers
from registry.importers.base import MissingFacts, Question, Unreadable

COLOUR = Question("colour", "Which colour", ("red", "blue"), "red")
NAME = Question("name", "Which name", example="ada")


def test_open_questions_come_all_at_once() -> None:
    asked = Answers({})
    assert (asked.ask(COLOUR), asked.read(NAME, answers.slug), asked.maybe(Question("age", "How old"))) == (
        "",
        None,
        None,
    )
    with pytest.raises(MissingFacts) as missing:
        asked.settle()
    assert missing.value.questions == (COLOUR, NAME)


@pytest.mark.parametrize(
    ("given", "answer"),
    [("ada", "ada"), (" ada ", "ada"), (3, "3"), (2.5, "2.5"), (["M", "N"], "M, N"), (["a", 1], "a, 1")],
)
def test_an_answer_is_text_a_number_or_a_list(given: object, answer: str) -> None:
    asked = Answers({"name": given})
    assert asked.ask(NAME) == answer
    asked.settle()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"name": True}, "fact name: must be text of at most 2,000 characters, got True"),
        ({"name": {"a": 1}}, "fact name: must be text of at most 2,000 characters, got {'a': 1}"),
        ({"name": " "}, "fact name: must be text of at most 2,000 characters, got ' '"),
        ({"name": "x" * 2_001}, "fact name: must be text of at most 2,000 characters, got 'xxx"),
        ({"colour": "green", "name": "a"}, "fact colour: must be one of red, blue, got 'green'"),
        ({"naem": "ada", "colour": "red"}, "fact naem: answers no question here; asked are colour, name"),
    ],
)
def test_an_answer_that_makes_no_sense_is_named(given: dict[str, object], message: str) -> None:
    asked = Answers(given)
    with pytest.raises(Unreadable) as refused:
        asked.ask(NAME), asked.ask(COLOUR), asked.settle()
    assert str(refused.value).startswith(message)


@pytest.mark.parametrize(
    ("reader", "text", "expected"),
    [
        (answers.token, "bf16", "bf16"),
        (answers.slug, "vector-add", "vector-add"),
        (answers.commit, "a" * 40, "a" * 40),
        (answers.https, "https://example.org/a", "https://example.org/a"),
        (answers.instant, "2026-08-01", ("2026-08-01T00:00:00Z", False)),
        (answers.instant, "2026-08-01T14:00:00Z", ("2026-08-01T14:00:00.000Z", True)),
        (answers.instant, "2026-08-01 14:00:00.5+02:00", ("2026-08-01T12:00:00.500Z", True)),
    ],
)
def test_an_answer_is_read_as_what_it_is(reader: object, text: str, expected: object) -> None:
    assert reader(text) == expected  # type: ignore[operator]


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (answers.token, "BF16", "must be small letters, digits and _, got 'BF16'"),
        (answers.slug, "Vector add", "must be small letters, digits and hyphens, at most 100, got 'Vector add'"),
        (answers.commit, "abc", "must be 40 hex digits in lower case, got 'abc'"),
        (answers.https, "http://a", "must be an https address, got 'http://a'"),
        (answers.instant, "2026-13-01", "must be a date or a time with its zone, got '2026-13-01'"),
        (answers.instant, "2026-08-01T14:00",
         "must be a date or a time with its zone, of this age, got '2026-08-01T14:00'"),
        (answers.instant, "noon", "must be a date or a time with its zone, got 'noon'"),
    ],
)  # fmt: skip
def test_what_an_answer_can_t_be_is_said(reader: object, text: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        reader(text)  # type: ignore[operator]
    assert str(refused.value) == message
