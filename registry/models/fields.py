"""Column types that several tables share."""

from typing import Any

from django.db import models

DIGEST_LENGTH = len("sha256:") + 64


class DigestField(models.CharField):
    """`sha256:` and 64 lower-case hex digits; text, so that a page, a query and the column say the same."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["max_length"] = DIGEST_LENGTH
        super().__init__(*args, **kwargs)
