"""Strict YAML 1.2 core schema over libyaml's events, so that YAML says what the same document in JSON would say.

PyYAML's own loaders speak YAML 1.1: `no` is false, `2026-03-27` a date, `0777` an octal, and a later key silently
replaces an earlier one. Here only the events are PyYAML's; what a scalar means is decided below.
"""

import copy
import re
from typing import Any, NoReturn

import yaml

from registry.core.located import MAX_DEPTH, Path, ReadingError, number_fault, shown

MAX_ALIASES = 100

Marks = tuple[int, "dict[str, Marks] | list[Marks] | None"]

_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0(?:o[0-7]+|x[0-9a-fA-F]+)\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_NOT_FINITE = re.compile(r"(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z")
_REASONS = {  # libyaml's words
    "exceeded maximum nesting depth": "TOO_DEEP",
    "found invalid Unicode character escape code": "LONE_SURROGATE",  # or beyond U+10FFFF
}
_CORE_TAG = "tag:yaml.org,2002:"
_CORE_TYPES: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
}


class YamlLines:
    """The line of each path of one YAML text, as libyaml's marks gave them."""

    def __init__(self, marks: Marks) -> None:
        self._marks = marks

    def line_of(self, path: Path) -> int:
        """Give the line of a path's key, or of its nearest ancestor that exists."""
        line, children = self._marks
        for step in path:
            child: Marks | None = None
            if isinstance(children, dict) and isinstance(step, str):
                child = children.get(step)
            elif isinstance(children, list) and isinstance(step, int) and step < len(children):
                child = children[step]
            if child is None:
                break
            line, children = child
        return line


def loads(text: str, *, limit: int) -> tuple[object, YamlLines]:
    """Build one document; aliases may add `limit` characters at most. Raises ReadingError naming path and line."""
    nul = text.find("\0")
    if nul >= 0:
        raise ReadingError("NUL_CHARACTER", "holds a NUL character", line=text.count("\n", 0, nul) + 1)
    builder = _Builder(text, limit)
    try:
        value, marks = builder.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line, text.count("\n")) + 1 if mark else None  # libyaml puts the end one line too far
        problem = error.problem or error.context or "unreadable"
        reason = _REASONS.get(problem, "SYNTAX")
        if reason == "TOO_DEEP":
            raise ReadingError(reason, f"nests deeper than {MAX_DEPTH} levels", line=line) from error
        path = tuple(builder.path)
        raise ReadingError(reason, f"is not YAML: {problem}", path=path, line=line) from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ReadingError("SYNTAX", f"is not YAML: {error.reason}", line=line) from error
    return value, YamlLines(marks)


class _Builder:
    """Turns events into plain values and, beside them, the line of each."""

    def __init__(self, text: str, limit: int) -> None:
        self.events: Any = yaml.CLoader(text)
        self.limit = limit
        self.path: list[str | int] = []
        self.anchors: dict[str, tuple[object, Marks]] = {}
        self.aliases = 0
        self.aliased_characters = 0

    def fail(self, reason: str, message: str, event: Any) -> NoReturn:
        raise ReadingError(reason, message, path=tuple(self.path), line=_line(event))

    def next(self) -> Any:
        return self.events.get_event()

    def document(self) -> tuple[object, Marks]:
        self.next()  # the start of the stream
        start = self.next()
        if not isinstance(start, yaml.DocumentStartEvent):
            self.fail("EMPTY", "is empty", start)
        if start.version not in (None, (1, 2)):
            self.fail("YAML_VERSION", "declares another version than YAML 1.2", start)
        built = self.node(self.next(), 1)
        self.next()  # the end of the document
        after = self.next()
        if not isinstance(after, yaml.StreamEndEvent):
            self.fail("MULTIPLE_DOCUMENTS", "holds a second document", after)
        return built

    def node(self, event: Any, depth: int) -> tuple[object, Marks]:
        built: tuple[object, Marks]
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            built = self.scalar(event), (_line(event), None)
        elif depth > MAX_DEPTH:
            self.path.clear()  # 64 steps of path would drown the message
            self.fail("TOO_DEEP", f"nests deeper than {MAX_DEPTH} levels", event)
        elif isinstance(event, yaml.MappingStartEvent):
            built = self.mapping(event, depth)
        else:
            built = self.sequence(event, depth)
        if event.anchor:
            self.anchors[event.anchor] = built
        return built

    def mapping(self, start: Any, depth: int) -> tuple[object, Marks]:
        self.require_tag(start, "map")
        members: dict[str, object] = {}
        marks: dict[str, Marks] = {}
        while not isinstance(event := self.next(), yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                self.fail("KEY_NOT_STRING", "has a key that is not a string but a collection", event)
            key, _ = self.node(event, depth)
            if not isinstance(key, str):
                self.fail("KEY_NOT_STRING", f"has a key that is not a string: {key!r} (put it in quotes)", event)
            self.path.append(key)
            if key in members:
                self.fail("DUPLICATE_KEY", "is written twice in one mapping", event)
            members[key], (_, children) = self.node(self.next(), depth + 1)
            marks[key] = (_line(event), children)
            self.path.pop()
        return members, (_line(start), marks)

    def sequence(self, start: Any, depth: int) -> tuple[object, Marks]:
        self.require_tag(start, "seq")
        items: list[object] = []
        marks: list[Marks] = []
        while not isinstance(event := self.next(), yaml.SequenceEndEvent):
            self.path.append(len(items))
            item, mark = self.node(event, depth + 1)
            items.append(item)
            marks.append(mark)
            self.path.pop()
        return items, (_line(start), marks)

    def require_tag(self, event: Any, kind: str) -> None:
        if event.tag not in (None, "!", _CORE_TAG + kind):
            self.fail("CUSTOM_TAG", f"carries the tag {shown(event.tag)}; only the core schema's are accepted", event)

    def alias(self, event: Any, depth: int) -> tuple[object, Marks]:
        """Copy what an anchor named, within the budgets that keep a small text from growing into a huge document."""
        if event.anchor not in self.anchors:
            self.fail("UNKNOWN_ALIAS", f"refers to an anchor that is not complete here: {shown(event.anchor)}", event)
        value, marks = self.anchors[event.anchor]
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            self.fail("TOO_MANY_ALIASES", f"uses more than {MAX_ALIASES} aliases", event)
        characters, height = _extent(value)
        self.aliased_characters += characters
        if self.aliased_characters > self.limit:
            self.fail("TOO_LARGE", f"grows by more than {self.limit} characters through aliases", event)
        if depth - 1 + height > MAX_DEPTH:
            self.fail("TOO_DEEP", f"nests deeper than {MAX_DEPTH} levels through an alias", event)
        return copy.deepcopy(value), marks

    def scalar(self, event: Any) -> object:
        text: str = event.value
        if "\0" in text:
            self.fail("NUL_CHARACTER", "holds a NUL character", event)
        if event.tag is None:
            return self.plain(event) if event.implicit[0] else text
        if event.tag in ("!", _CORE_TAG + "str"):
            return text
        wanted = _CORE_TYPES.get(event.tag.removeprefix(_CORE_TAG)) if event.tag.startswith(_CORE_TAG) else None
        if wanted is None:
            self.require_tag(event, "str")
        value = self.plain(event)
        if wanted and type(value) not in wanted:
            self.fail("SYNTAX", f"{shown(text)} is not what its tag {shown(event.tag)} says", event)
        return value

    def plain(self, event: Any) -> object:
        """Resolve an unquoted scalar by the core schema (YAML 1.2.2, section 10.3.2)."""
        text: str = event.value
        if text in _WORDS:
            return _WORDS[text]
        if _NOT_FINITE.match(text):
            self.fail("NOT_FINITE", f"{text} is not a finite number", event)
        is_integer = _INTEGER.match(text) is not None
        value: int | float
        if _BASED.match(text):
            is_integer, value = True, int(text[2:], 8 if text[1] == "o" else 16)
        elif is_integer or _FLOAT.match(text):
            value = float(text)
        else:
            return text
        if fault := number_fault(text, value, is_integer=is_integer):
            self.fail(*fault, event)
        return int(value) if is_integer else value  # exact: every integer below 2^53 is a float


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


def _extent(value: object) -> tuple[int, int]:
    """Measure a value: about how many characters it takes to write, and how many levels it nests."""
    if isinstance(value, dict):
        inner = [_extent(item) for item in value.values()]
        return sum(map(len, value)) + sum(size for size, _ in inner) + 2, 1 + max((h for _, h in inner), default=0)
    if isinstance(value, list):
        inner = [_extent(item) for item in value]
        return sum(size for size, _ in inner) + 2, 1 + max((h for _, h in inner), default=0)
    return len(value) + 2 if isinstance(value, str) else 4, 0
