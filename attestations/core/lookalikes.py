"""Which characters look alike: one prototype for all that are taken for each other (Unicode TR39's table).

The table is that of confusable-homoglyphs (Unicode 15), which names for each prototype all characters that look like it
and for each of these its prototype. TR39's table holds few pairs within ASCII and none that only differ by case, so
`skeleton` adds a fold as PyPI does: i, l and 1 are one, o and 0 too, and hyphen, dot and underscore count for nothing;
and vv is w, as rn is m in the table. (cl is not d: with i and l as one, Lucia would be Luda.)
Two names with an equal skeleton may be taken for each other; one skeleton stands for a name, whoever came first has it.
"""

import unicodedata
from functools import cache

from confusable_homoglyphs.confusables import confusables_data

SKELETON_LENGTH = 120
_LEFT_TO_RIGHT_MARK = "\u200e"  # the table sets right-to-left characters between two of these
_SEPARATORS = dict.fromkeys(map(ord, "-_."))
_ONE_AND_ZERO = str.maketrans({"i": "1", "l": "1", "|": "1", "o": "0"})


def skeleton(text: str) -> str:
    """What two names that can be taken for each other have in common; of at most 120 characters.

    A name that reads as ASCII in the case in which it is written stands for that reading (Cyrillic "Вера", Greek
    "ΝΙΚ"); any other is folded by case first, so that a name and its capitals are one.
    """
    written = _mapped(text)
    if not written.isascii():
        written = _mapped(unicodedata.normalize("NFKC", text).casefold())
    folded = _mapped(written.casefold()).translate(_SEPARATORS).replace("vv", "w")
    return unicodedata.normalize("NFC", folded.translate(_ONE_AND_ZERO))[:SKELETON_LENGTH]


def _mapped(text: str) -> str:
    prototypes = _prototypes()
    decomposed = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    return unicodedata.normalize("NFD", "".join(prototypes.get(character, character) for character in decomposed))


@cache
def _prototypes() -> dict[str, str]:
    """Each character that has another prototype than itself. Prototypes of prototypes are followed to the end."""
    nearest: dict[str, str] = {}
    for key, others in confusables_data.items():
        character = key.replace(_LEFT_TO_RIGHT_MARK, "")
        alike = [other["c"].replace(_LEFT_TO_RIGHT_MARK, "") for other in others]
        if len(character) == 1 and len(alike) == 1:  # several: it is the prototype of all of these
            nearest[character] = alike[0]
    prototypes = {}
    for character in nearest:
        chain = [character]
        while (following := nearest.get(chain[-1])) and following not in chain:
            chain.append(following)
        if following:  # two characters that name each other: the simpler one stands for both
            chain.append(min(chain[chain.index(following) :], key=lambda one: (not one.isascii(), len(one), one)))
        if chain[-1] != character:
            prototypes[character] = chain[-1]
    return prototypes
