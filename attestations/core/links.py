"""Links that strangers give: https, a host name, nothing that a browser would run."""

from registry.core.web_addresses import AddressRefusedError, read_url


class LinkError(ValueError):
    """The link is not taken; its text says what to write."""


def check_link(text: str) -> str:
    """The link as written, if it is an https address of a named host. Raises LinkError."""
    try:
        read_url(text)
    except AddressRefusedError as error:
        if error.reason in ("user-in-url", "odd-port"):
            raise LinkError("Use an https address without a user name and without a port.") from error
        raise LinkError("Use an https address, such as https://example.org/log.txt.") from error
    return text
