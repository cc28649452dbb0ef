"""The one error of reading samples."""


class SamplesError(ValueError):
    """Why samples can't be read; `place` is the line or path that is wrong, or None where it is the whole."""

    def __init__(self, message: str, *, place: str | None = None) -> None:
        super().__init__(f"{place}: {message}" if place else message)
        self.message = message
        self.place = place

    def at(self, place: str) -> "SamplesError":
        """The same fault, located."""
        return self if self.place else SamplesError(self.message, place=place)
