"""Protocol notes: what is known of how a protocol measures, sentence by sentence, each with where it can be read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NOT_STATED = "not stated"
TOPICS = {
    "timed": "what is timed",
    "launch": "launch overhead",
    "l2": "L2 cache",
    "clocks": "clocks",
    "warmup": "warm-up",
    "samples": "n and stopping rule",
    "inputs": "inputs",
    "bias": "known bias",
}
CHIPS = 3  # shown beside a protocol's name
MAX_TEXT, MAX_CHIP, MAX_URL = 1000, 40, 2000
SUBJECT = re.compile(r"sha256:[0-9a-f]{64}|family:[a-z0-9][a-z0-9_.-]{0,100}")
MEMBERS = frozenset({"topic", "text", "url", "chip"})
PERMALINK = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/blob/([0-9a-f]{40})/([^#?]+)")


class NoteError(ValueError):
    """A note that can't be kept as it is. `faults` says each thing that is wrong."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__(" ".join(faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Sentence:
    """`url`: the file and commit that it rests on; None of what is not stated. `chip`: the same in few words."""

    topic: str
    text: str
    url: str | None
    chip: str | None

    def as_json(self) -> dict[str, str | None]:
        return {"topic": self.topic, "text": self.text, "url": self.url, "chip": self.chip}


def family_subject(family: str) -> str:
    """The subject of a note for all protocols of a comparability family that have none of their own."""
    return f"family:{family}"


def sentences(written: Any) -> tuple[Sentence, ...]:
    """Read the sentences of a note, in the order of the topics. Raises NoteError with every fault.

    Each topic has a sentence; one rests on a link, or is exactly "not stated".
    """
    if not isinstance(written, list | tuple):
        raise NoteError(["Sentences are a list."])
    faults: list[str] = []
    read = [sentence for item in written if (sentence := _sentence(item, faults))]
    for topic, name in TOPICS.items():
        told = [sentence.text for sentence in read if sentence.topic == topic]
        if not told and not faults:
            faults.append(f"Nothing is said of {name}; where nothing is known, it is “{NOT_STATED}”.")
        if NOT_STATED in told and len(told) > 1:
            faults.append(f"{name} is not stated, and stated.")
    if sum(sentence.chip is not None for sentence in read) > CHIPS:
        faults.append(f"At most {CHIPS} sentences have a chip.")
    if faults:
        raise NoteError(faults)
    order = list(TOPICS)
    return tuple(sorted(read, key=lambda sentence: order.index(sentence.topic)))


def _sentence(item: Any, faults: list[str]) -> Sentence | None:
    if not isinstance(item, Mapping) or not {"topic", "text"} <= item.keys() <= MEMBERS:
        faults.append("A sentence has topic and text, and may have url and chip.")
        return None
    topic, text, url, chip = (item.get(name) for name in ("topic", "text", "url", "chip"))
    if topic not in TOPICS:
        faults.append(f"Unknown topic {topic!r}; known are {', '.join(TOPICS)}.")
    elif not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_TEXT:
        faults.append(f"{TOPICS[topic]}: a text has 1 to {MAX_TEXT} characters.")
    elif text == NOT_STATED and url is not None:
        faults.append(f"{TOPICS[topic]}: what is not stated can't be read anywhere.")
    elif text != NOT_STATED and not (
        isinstance(url, str) and url.startswith("https://") and len(url) <= MAX_URL and not re.search(r"\s", url)
    ):
        faults.append(f"{TOPICS[topic]}: a sentence rests on an https link, or is exactly “{NOT_STATED}”.")
    elif chip is not None and not (isinstance(chip, str) and 0 < len(chip.strip()) <= MAX_CHIP):
        faults.append(f"{TOPICS[topic]}: a chip has 1 to {MAX_CHIP} characters.")
    else:
        return Sentence(topic, text, url, chip)
    return None


def read_at(url: str) -> str:
    """What a link leads to, in words: repository, file and commit of a permalink, else the address."""
    if found := PERMALINK.match(url):
        repository, commit, path = found.groups()
        return f"{repository} {path} at {commit[:12]}"
    return url.removeprefix("https://")
