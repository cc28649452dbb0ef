"""Why something was not fetched."""

from registry.core.answers import PASSING

_MAY_PASS = frozenset({"no-address", "no-connection", "too-slow", "broken-off"})


class FetchError(Exception):
    """Nothing was taken. `reason` is a stable code; the text names the address and says what happened.

    `status` is the HTTP status where there was one, `wait` the seconds after which the server asked to be tried again.
    """

    def __init__(self, reason: str, text: str, *, status: int | None = None, wait: float | None = None) -> None:
        super().__init__(text)
        self.reason = reason
        self.status = status
        self.wait = wait

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be answered another time: a later try is worth it."""
        return self.reason in _MAY_PASS or self.status in PASSING
