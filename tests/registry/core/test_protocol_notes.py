"""Sentences of protocol notes: each rests on a link or says that nothing is stated, and each topic has one."""

import pytest

from registry.core.protocol_notes import NOT_STATED, TOPICS, NoteError, Sentence, read_at, sentences

URL = "https://github.com/acme/bench/blob/" + "0" * 40 + "/bench.py"


def note(**told: object) -> list[dict[str, object]]:
    """A whole note in which every topic but those told is not stated."""
    return [
        {"topic": topic, "text": NOT_STATED} if topic not in told else {"topic": topic, **told[topic]}  # type: ignore[dict-item]
        for topic in TOPICS
    ]


def test_sentences_come_in_the_order_of_the_topics() -> None:
    written = [*reversed(note()[1:]), {"topic": "timed", "text": "One call.", "url": URL, "chip": "one call"}]
    read = sentences(written)
    assert [sentence.topic for sentence in read] == list(TOPICS)
    assert read[0] == Sentence("timed", "One call.", URL, "one call")
    assert sentences([sentence.as_json() for sentence in read]) == read


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("text", "Sentences are a list."),
        ([], "Nothing is said of what is timed; where nothing is known, it is “not stated”."),
        (note()[1:], "Nothing is said of what is timed"),
        ([*note(), {"topic": "l2", "text": "Flushed.", "url": URL}], "L2 cache is not stated, and stated."),
        (note(l2={"text": "Flushed."}), "L2 cache: a sentence rests on an https link, or is exactly “not stated”."),
        (note(l2={"text": "Flushed.", "url": "http://example.org/"}), "L2 cache: a sentence rests on an https link"),
        (note(l2={"text": "Flushed.", "url": "https://example.org/a b"}), "L2 cache: a sentence rests"),
        (note(l2={"text": NOT_STATED, "url": URL}), "L2 cache: what is not stated can't be read anywhere."),
        (note(l2={"text": " ", "url": URL}), "L2 cache: a text has 1 to 1000 characters."),
        (note(l2={"text": "x" * 1001, "url": URL}), "L2 cache: a text has 1 to 1000 characters."),
        (note(l2={"text": "Flushed.", "url": URL, "chip": "x" * 41}), "L2 cache: a chip has 1 to 40 characters."),
        ([*note(), {"topic": "weather", "text": NOT_STATED}], "Unknown topic 'weather'; known are timed, launch,"),
        ([*note(), {"topic": "l2"}], "A sentence has topic and text, and may have url and chip."),
        ([*note(), {"topic": "l2", "text": NOT_STATED, "by": "me"}], "A sentence has topic and text"),
        ([*note(), "not stated"], "A sentence has topic and text"),
        (
            note(**{topic: {"text": NOT_STATED, "chip": topic} for topic in list(TOPICS)[:4]}),
            "At most 3 sentences have a chip.",
        ),
    ],
)  # fmt: skip
def test_a_note_that_says_too_little_or_without_a_source_is_refused(written: object, fault: str) -> None:
    with pytest.raises(NoteError) as refused:
        sentences(written)
    assert fault in str(refused.value)


def test_a_link_reads_as_repository_file_and_commit() -> None:
    assert read_at(URL + "#L3") == "acme/bench bench.py at 000000000000"
    assert read_at("https://example.org/docs/") == "example.org/docs/"
