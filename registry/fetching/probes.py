"""Ask whether an address answers, without taking what it holds."""

from collections.abc import Callable

from registry.core.links import answers
from registry.fetching.errors import FetchError
from registry.fetching.exchange import ask
from registry.fetching.network import THE_INTERNET, Clock, Limits, Network

BRIEF = Limits(connect=10, silence=10, total=20)


def probe(
    url: str,
    *,
    limits: Limits = BRIEF,
    network: Network = THE_INTERNET,
    before: Callable[[str], None] = lambda host: None,
) -> int:
    """The status that any public https address answers with. Raises FetchError where there is none.

    HEAD first; GET where HEAD gave no good answer, since not every server knows it. No body is read.
    """
    try:
        status = _status("HEAD", url, limits, network, before)
    except FetchError as error:
        if error.reason != "broken-off":
            raise
    else:
        if answers(status):
            return status
    return _status("GET", url, limits, network, before)


def _status(method: str, url: str, limits: Limits, network: Network, before: Callable[[str], None]) -> int:
    clock = Clock(limits, network)
    with ask(method, url, hosts=None, network=network, clock=clock, headers={}, before=before) as answer:
        return answer.status
