"""Fetch what sources publish: the only code that asks anything of another machine, and never in the web process.

`fetch` takes a file, `fetch_input` all files of a source's input, `fetch_text` reads a small text; `probe` asks whether
a link answers. Which addresses may be asked at all is said in core.web_addresses.
"""

from registry.fetching.errors import FetchError
from registry.fetching.files import Fetched, fetch
from registry.fetching.inputs import Caps, InputFetched, fetch_input
from registry.fetching.network import Limits, Network
from registry.fetching.pace import Patience
from registry.fetching.probes import probe
from registry.fetching.texts import fetch_text

__all__ = [
    "Caps",
    "FetchError",
    "Fetched",
    "InputFetched",
    "Limits",
    "Network",
    "Patience",
    "fetch",
    "fetch_input",
    "fetch_text",
    "probe",
]
