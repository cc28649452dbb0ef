"""JSON text as Python's own encoder writes it, without making that encoder anew for every text."""

import json
from collections.abc import Callable
from json import encoder
from typing import Any


def writer(
    *, item_separator: str, key_separator: str, default: Callable[[Any], Any] | None = None
) -> Callable[[object], str]:
    """What `json.dumps` does with sorted keys, no escapes beyond JSON's own and no NaN.

    `JSONEncoder.encode` builds the encoder behind it on each call, which takes as long as writing a small document.
    """
    slow = json.JSONEncoder(
        sort_keys=True, ensure_ascii=False, allow_nan=False, separators=(item_separator, key_separator), default=default
    )
    make: Any = getattr(encoder, "c_make_encoder", None)
    if make is None:  # an interpreter that has it in Python only
        return slow.encode
    write = make(
        None, slow.default, encoder.encode_basestring, None, key_separator, item_separator, True, False, False
    )  # fmt: skip
    return lambda value: "".join(write(value, 0))
