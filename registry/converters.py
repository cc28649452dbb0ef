"""Path converters: what a digest, a digest's prefix and a row's reference look like in a URL."""


class Digest:
    regex = "sha256:[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class Prefix:
    """Twelve to sixty-four hex digits, with or without `sha256:`."""

    regex = "(?:sha256:)?[0-9a-f]{12,64}"

    def to_python(self, value: str) -> str:
        return value.removeprefix("sha256:")

    def to_url(self, value: str) -> str:
        return value
