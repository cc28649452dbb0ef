"""Public names: which are allowed, and how text of strangers is shown so that nothing in it is invisible.

A handle is 2 to 40 characters of letters, digits, "-", "_" and ".", stored in NFC. By UTS 39's level "highly
restrictive" its letters are of one script, or of one of the sets that Japanese, Chinese and Korean are written in, each
with Latin; of scripts that are in modern use (UAX 31 table 5), without letters that only phonetic writing has. Digits
are ASCII's or the script's own, of one kind. Characters that another spelling stands for (ligatures, full-width forms),
marks piled up on one letter and everything invisible are refused, each by its code point. Joiners are among these,
though some scripts write with them: a name that differs by a joiner alone could not be told apart.
Refused are also names that look like a reserved word; whether one looks like a name that is taken is for who holds the
names: equal `skeleton`s look alike.

Free text is never refused for its characters. `shown_safely` writes what can't be seen or reorders its neighbours as
[U+202E]. Joiners between letters or signs that are written with them stay, as variation selectors do behind signs.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from confusable_homoglyphs.categories import alias

from attestations.core.lookalikes import skeleton
from registry.core.located import shown

MINIMUM, MAXIMUM = 2, 40
SEPARATORS = "-_."
_SCRIPTS = frozenset(
    (
        "LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "THAANA", "DEVANAGARI", "BENGALI", "GURMUKHI",
        "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR",
        "GEORGIAN", "HANGUL", "ETHIOPIC", "KHMER", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HAN",
    )
)  # fmt: skip
_TOGETHER = (
    frozenset({"LATIN", "HAN", "HIRAGANA", "KATAKANA"}),
    frozenset({"LATIN", "HAN", "BOPOMOFO"}),
    frozenset({"LATIN", "HAN", "HANGUL"}),
)
_SHARED = ("COMMON", "INHERITED")
_LONG_VOWEL = "\u30fc"  # of Hiragana and Katakana, counted as common
_EVERYDAY = "\u0e33\u0eb3\u0587"  # Thai and Lao am, Armenian ev: compatibility characters that everybody types
_PHONETIC = (
    (0x0250, 0x02AF), (0x1D00, 0x1DBF), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xAB30, 0xAB6F),
    (0x1C80, 0x1C8F), (0x2DE0, 0x2DFF), (0xA640, 0xA69F),
)  # fmt: skip
_LETTERS_OF_LANGUAGES = frozenset("ɓɔɖɗəɛɣɨɩɲʉʊʋʒ")  # of those blocks, what living orthographies write
_MOST_MARKS = 3

RESERVED = (
    "admin", "administrator", "anonymous", "claimant", "curator", "deleted", "deleted-user", "everyone", "kernelindex",
    "me", "mod", "moderator", "moderators", "nobody", "none", "noreply", "null", "official", "operator", "postmaster",
    "redacted", "rerunner", "root", "runner", "security", "somebody", "staff", "superuser", "support", "sysadmin",
    "system", "undefined", "unknown", "user", "verified", "webmaster", "you",
)  # fmt: skip
_RESERVED = frozenset(map(skeleton, RESERVED))
_SITE = skeleton("kernelindex")


class HandleError(ValueError):
    """Why a public name is refused, in a sentence for who chose it."""


@dataclass(frozen=True, slots=True)
class Handle:
    """A public name as it is shown, and what it has in common with names that look like it."""

    text: str
    skeleton: str


def check_handle(text: str) -> Handle:
    """Take a public name. Raises HandleError; whether a name that looks like it is taken, the caller asks."""
    if len(text) > 4 * MAXIMUM:
        raise HandleError(f"A public name has at most {MAXIMUM} characters.")
    name = unicodedata.normalize("NFC", text.strip(" "))
    for character in name:
        _check_character(character)
    if not MINIMUM <= len(name) <= MAXIMUM:
        raise HandleError(f"A public name has {MINIMUM} to {MAXIMUM} characters.")
    _check_form(name)
    _check_scripts(name)
    found = skeleton(name)
    if found in _RESERVED or _SITE in found or not found:
        raise HandleError("This name, or one that looks like it, is kept for the site. Choose another.")
    return Handle(name, found)


def _check_character(character: str) -> None:
    category = unicodedata.category(character)
    is_letter = category[0] == "L" or category in ("Mn", "Mc", "Nd")
    if character in SEPARATORS or (is_letter and not _is_blank(character)):
        plain = unicodedata.normalize("NFKC", character)
        if plain != character and character not in _EVERYDAY:
            raise HandleError(f"{_named(character)} is another spelling of {shown(plain)}: write that.")
        code = ord(character)
        if any(low <= code <= high for low, high in _PHONETIC) and character not in _LETTERS_OF_LANGUAGES:
            raise HandleError(f"{_named(character)} is a letter of phonetic writing, which looks like others.")
        return
    if _is_hidden(character):
        raise HandleError(f"{_named(character)} can't be seen. Leave it out.")
    raise HandleError(f'{_named(character)} can\'t stand in a public name: use letters, digits, "-", "_" and ".".')


def _check_form(name: str) -> None:
    ends = (name[0], name[-1])
    if any(end in SEPARATORS for end in ends) or unicodedata.category(name[0])[0] == "M":
        raise HandleError("A public name starts and ends with a letter or a digit.")
    if re.search(r"[-_.]{2}", name):
        raise HandleError('Between letters or digits stands one "-", "_" or ".", not two.')
    if not any(unicodedata.category(character)[0] == "L" for character in name):
        raise HandleError("A public name holds at least one letter.")
    run = ""
    for character in name:
        run = run + character if unicodedata.category(character) == "Mn" else ""
        if len(run) > _MOST_MARKS or run[-2:] == 2 * character:
            raise HandleError("Too many marks stand on one letter.")


def _check_scripts(name: str) -> None:
    """Letters and marks of one script, or of a set that a language is written in; digits that fit them."""
    scripts = {alias(one) for one in name if unicodedata.category(one)[0] in "LM"} - set(_SHARED)
    for one in name:
        if unicodedata.category(one)[0] == "L" and alias(one) in _SHARED and one != _LONG_VOWEL:
            raise HandleError(f"{_named(one)} belongs to no script, and can't be told from others. Leave it out.")
    if _LONG_VOWEL in name and not scripts & {"HIRAGANA", "KATAKANA"}:
        raise HandleError(f"{_named(_LONG_VOWEL)} stands in names with kana only.")
    if foreign := sorted(scripts - _SCRIPTS):
        raise HandleError(
            f"Letters of {_words(foreign)} are not taken: few fonts have them, and they look like others."
        )
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        raise HandleError(f"The letters are of several scripts ({_words(sorted(scripts))}). Use one.")
    digits = [one for one in name if unicodedata.category(one) == "Nd"]
    zeros = {ord(one) - unicodedata.digit(one) for one in digits}
    own = all(one.isascii() or any(script in unicodedata.name(one) for script in scripts) for one in digits)
    if len(zeros) > 1 or not own:
        raise HandleError("The digits are not of one kind with the letters. Use 0 to 9.")


def _words(scripts: list[str]) -> str:
    return ", ".join(script.replace("_", " ").title() for script in scripts)


def _named(character: str) -> str:
    """Quoted where it can be seen, and by its code point."""
    code = f"U+{ord(character):04X}"
    return code if _is_hidden(character) else f"{shown(character)} ({code})"


# Free text

_KEPT_CONTROLS = "\n\r\t"
_JOINERS = "\u200c\u200d"
_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")  # letters, signs and marks that show nothing
_SELECTORS = ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
_SIGN_SELECTORS = "\ufe0e\ufe0f"  # text or picture: what emoji are written with
_SUSPECT = re.compile(r"[^\x20-\x7e\n\r\t\u00a1-\u00ac\u00ae-\u02ff]")


def shown_safely(text: str) -> str:
    """Text of a stranger with each invisible or reordering character written as [U+202E]. Not HTML: escape as ever."""
    return _written(text, lambda character: f"[U+{ord(character):04X}]")


def json_shown_safely(text: str) -> str:
    """The same JSON document, such characters in its strings written as JSON's own escapes: who copies it, has it."""
    return _written(text, lambda character: json.dumps(character)[1:-1])


def _written(text: str, write: Callable[[str], str]) -> str:
    if text.isascii() and text.isprintable():
        return text  # nearly all names
    return _SUSPECT.sub(
        lambda match: write(match[0]) if _is_hidden(match[0]) and not _is_in_use(text, match.start()) else match[0],
        text,
    )


def _is_hidden(character: str) -> bool:
    """Whether nothing is seen of it, or it has no meaning that all agree on."""
    category = unicodedata.category(character)
    if category == "Cc":
        return character not in _KEPT_CONTROLS
    if category in ("Cf", "Cs", "Co", "Zl", "Zp") or _is_blank(character):
        return True
    code = ord(character)
    return category == "Cn" and (code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF or 0xE0000 <= code <= 0xE0FFF)


def _is_blank(character: str) -> bool:
    return character in _BLANKS or any(low <= ord(character) <= high for low, high in _SELECTORS)


def _is_in_use(text: str, at: int) -> bool:
    """Joiners between letters without case or signs, and selectors behind a sign, are how these are written."""
    before = text[at - 1] if at else ""
    after = text[at + 1 : at + 2]
    if text[at] in _SIGN_SELECTORS:
        return bool(before) and (unicodedata.category(before) in ("So", "Sm", "Po") or before in "0123456789#*")
    return text[at] in _JOINERS and _takes_joiners(before) and _takes_joiners(after)


def _takes_joiners(character: str) -> bool:
    return bool(character) and (
        unicodedata.category(character) in ("Lo", "Mn", "Mc", "So", "Sk") and character not in _BLANKS
    )
