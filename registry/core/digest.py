"""Identity of documents: canonical text (RFC 8785, JCS) and the sha256 digest of it."""

import hashlib
import re

import rfc8785

from registry.core.json_writing import writer

API_VERSION = "kernelindex.dev/v1alpha1"

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")

SAFE = 2**53  # from here on JCS refuses whole numbers
_HIGH = re.compile("[\ud800-\U0010ffff]")
_write = writer(item_separator=",", key_separator=":")


def canonical(value: object) -> str:
    """Write a value (dicts with string keys, lists, strings, numbers, booleans) as RFC 8785 text.

    Raises rfc8785.CanonicalizationError for what JSON can't say: NaN, integers of 2^53 and above, lone surrogates.
    """
    try:
        text = _write(value)
    except (TypeError, ValueError):
        return rfc8785.dumps(value).decode()  # type: ignore[arg-type]  # which names what it can't write
    # Below U+D800, code points order as UTF-16 units do and the short escapes are the same: only numbers differ.
    if _is_spelt_alike(value) and (text.isascii() or not _HIGH.search(text)):
        return text
    return rfc8785.dumps(value).decode()  # type: ignore[arg-type]


def _is_spelt_alike(value: object) -> bool:
    """Whether json and JCS spell each number of a value alike: no exponent, no `14150.0`, none that JCS refuses.

    Most of a document is strings, so they are passed over first.
    """
    if isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            if item.__class__ is not str and not _is_spelt_alike(item):
                return False
        return True
    if isinstance(value, float):
        return 1e-4 <= abs(value) < 1e15 and not value.is_integer()
    if isinstance(value, int):  # and so true and false
        return -SAFE < value < SAFE
    return value is None or isinstance(value, str)


def sha256(text: str | bytes) -> str:
    """Give `sha256:` and the hex digest of the text's UTF-8 bytes."""
    data = text.encode() if isinstance(text, str) else text
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def document_text(kind: str, spec: object) -> str:
    """Write what a document's digest is taken of; metadata is not part of it.

    `spec` must be normalised (`kinds.parse`): durations in nanoseconds, set-like lists sorted.
    """
    return canonical({"apiVersion": API_VERSION, "kind": kind, "spec": spec})


def is_digest(text: str) -> bool:
    """Whether the text is a whole digest, in lower case."""
    return _DIGEST.fullmatch(text) is not None
