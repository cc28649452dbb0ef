"""Which addresses outside this site may be asked for something: the text of a URL, then what its name resolves to."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

LONGEST_URL = 2000

_URL = re.compile(r"https://(?P<authority>[^/?#]*)(?P<target>[^#]*)(?:#.*)?", re.IGNORECASE)
_PLAIN = re.compile(r"[!-~]+")  # ASCII without space and control
_BROKEN = re.compile(r"[\\\"<>^`{|}]")  # never in a URL that is written as it should be; readers differ on them
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
# The last label starts with a letter: what a resolver would take for a number (1, 0x7f) is no name.
_HOST = re.compile(rf"(?=.{{1,253}}$)(?:{_LABEL}\.)+[a-z](?:[a-z0-9-]{{0,61}}[a-z0-9])")

# IANA's special-purpose registries: everything there that is not for the whole internet.
_NOT_PUBLIC_4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
    )
)  # fmt: skip
# Of IPv6 only global unicast is public, which leaves out ::1, v4-mapped, NAT64, unique local, link-local, multicast.
_GLOBAL_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23",  # protocol assignments: Teredo carries an IPv4 address
        "2001:db8::/32", "3fff::/20",  # for documentation
        "2002::/16",  # 6to4 carries an IPv4 address
    )
)  # fmt: skip


class AddressRefusedError(ValueError):
    """An address is not asked. `reason` is a stable code; the text is for the one who gave the address."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A URL that was read once: what is asked is made of these two and of nothing else of its text."""

    host: str
    target: str

    def __str__(self) -> str:
        return f"https://{self.host}{self.target}"


def read_url(text: str, hosts: Collection[str] | None = None) -> WebAddress:
    """Read an https URL whose host is one of `hosts` (None: any name). Raises AddressRefusedError."""
    if len(text) > LONGEST_URL:
        raise AddressRefusedError("url-unreadable", f"a URL of {len(text)} characters; {LONGEST_URL} are the most")
    if not _PLAIN.fullmatch(text) or _BROKEN.search(text):
        raise AddressRefusedError(
            "url-unreadable",
            f"{text!r}: a URL is plain ASCII; write a name as xn--…, anything else as %…",
        )
    found = _URL.fullmatch(text)
    if found is None:
        raise AddressRefusedError("not-https", f"{text!r}: only https:// is fetched")
    host = _host(found["authority"], text)
    if hosts is not None and host not in {name.lower() for name in hosts}:
        raise AddressRefusedError("host-not-listed", f"{text!r}: {host} is none of the hosts that may be asked")
    target = found["target"]
    return WebAddress(host, target if target.startswith("/") else f"/{target}")


def _host(authority: str, text: str) -> str:
    if "@" in authority:
        raise AddressRefusedError("user-in-url", f"{text!r}: a URL names no user and no password")
    name, colon, port = authority.partition(":")
    host = name.lower()
    if not _HOST.fullmatch(host):
        raise AddressRefusedError("no-host-name", f"{text!r}: {authority!r} is no full host name; a number is none")
    if colon and port != "443":
        raise AddressRefusedError("odd-port", f"{text!r}: only port 443 is asked")
    return host


def host_names(lines: str) -> tuple[str, ...]:
    """The hosts of a source as written, one a line. Raises AddressRefusedError for what is no host name."""
    names = [line.strip() for line in lines.splitlines() if line.strip()]
    return tuple(dict.fromkeys(_host_name(name) for name in names))


def _host_name(name: str) -> str:
    if not _HOST.fullmatch(name.lower()):
        raise AddressRefusedError("no-host-name", f"{name!r} is no full host name in ASCII (xn--… for other letters)")
    return name.lower()


def is_public(text: str) -> bool:
    """Whether a resolved address is one of the whole internet's, as written in full (no scope, no short forms)."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _NOT_PUBLIC_4)
    return _is_public_6(address)


def _is_public_6(address: IPv6Address) -> bool:
    if address.scope_id is not None or address not in _GLOBAL_6:
        return False
    return not any(address in network for network in _NOT_PUBLIC_6)
