"""Which addresses are asked. The forms that are refused stand in tests/registry/fetching/test_forgery.py too."""

import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import Url

from registry.core.web_addresses import AddressRefusedError, host_names, is_public, read_url

READ = {
    "https://example.org": ("example.org", "/"),
    "https://example.org/": ("example.org", "/"),
    "https://EXAMPLE.org/A/b": ("example.org", "/A/b"),
    "HTTPS://example.org:443/x": ("example.org", "/x"),
    "https://example.org?x=1": ("example.org", "/?x=1"),
    "https://example.org/a?b=https://c/@d:e&f=[g]": ("example.org", "/a?b=https://c/@d:e&f=[g]"),
    "https://example.org/a#L10-L20": ("example.org", "/a"),
    "https://example.org#x": ("example.org", "/"),
    "https://example.org/@user/../x": ("example.org", "/@user/../x"),
    "https://example.org/%7Ea%20b": ("example.org", "/%7Ea%20b"),
    "https://a.b-c.xn--p1ai/": ("a.b-c.xn--p1ai", "/"),
    "https://xn--mller-kva.example/": ("xn--mller-kva.example", "/"),
    "https://1and1.example/": ("1and1.example", "/"),
    "https://127.0.0.1.example.org/": ("127.0.0.1.example.org", "/"),  # a name; what it resolves to is checked
}


@pytest.mark.parametrize("text", READ)
def test_a_url_is_read_into_host_and_target(text: str) -> None:
    address = read_url(text)
    assert (address.host, address.target) == READ[text]
    assert str(read_url(str(address))) == str(address)


PIECES = st.sampled_from(
    ["https://", "HTTPS:", "//", "/", "\\", "@", ":", ":443", "#", "?", ".", "..", "%2f", "[", "]", "127.0.0.1", "0x7f",
     "example", "org", "localhost", "-", "xn--p1ai", " ", "\t", "\x00", "。", "a", "1", "&", ";", "~"]
)  # fmt: skip


@given(
    st.sampled_from(["https://", "https://example.org", "https://a.example.org/", "https://example.org:443", ""]),
    st.lists(PIECES, max_size=12),
)
def test_what_is_read_is_read_alike_by_every_reader(start: str, rest: list[str]) -> None:
    """A URL that two readers understand differently is how a check of one host becomes a request to another."""
    text = start + "".join(rest)
    try:
        address = read_url(text)
    except AddressRefusedError:
        return
    assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", address.host)
    for written in (text, str(address)):
        assert urlsplit(written).hostname == Url(written).host == address.host
        assert urlsplit(written).username is None
        assert (urlsplit(written).port or 443) == (Url(written).port or 443) == 443


def test_a_listed_host_is_listed_in_any_case_and_nothing_near_it_is() -> None:
    assert read_url("https://Data.Example.org/x", ["dATA.example.org"]).host == "data.example.org"
    for near in ("example.org", "x.data.example.org", "data.example.org.example.net", "data-example.org"):
        with pytest.raises(AddressRefusedError, match="none of the hosts that may be asked"):
            read_url(f"https://{near}/", ["data.example.org"])
    with pytest.raises(AddressRefusedError):
        read_url("https://data.example.org/", [])


def test_the_hosts_of_a_source_are_full_names() -> None:
    assert host_names(" Huggingface.co \n\nraw.githubusercontent.com\r\nhuggingface.co") == (
        "huggingface.co",
        "raw.githubusercontent.com",
    )
    assert host_names("") == ()
    for wrong in (
        "https://huggingface.co",
        "huggingface.co/x",
        "*.hf.co",
        "localhost",
        "10.0.0.1",
        "hf.co:443",
        "hf.co.",
    ):
        with pytest.raises(AddressRefusedError, match="no full host name"):
            host_names(f"example.org\n{wrong}")


PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "185.199.108.133", "191.255.255.255",
    "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700::1111", "2a00:1450:4001::1", "3ffe::1",
]  # fmt: skip
NOT_PUBLIC = [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "127.0.0.1",  # noqa: S104
    "127.255.255.255", "169.254.0.0", "169.254.255.255", "172.16.0.0", "172.31.255.255", "192.0.0.1", "192.0.0.170",
    "192.0.2.255", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7",
    "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.0", "255.255.255.255",
    "::", "::1", "::2", "::7f00:1", "::ffff:1.1.1.1", "::ffff:7f00:1", "::ffff:0:1.1.1.1", "64:ff9b::1.1.1.1",
    "64:ff9b:1::1", "100::1", "2001::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2002::1", "2002:101:101::1",
    "3fff::1", "4000::1", "5f00::1", "fc00::1", "fdff::1", "fe80::1", "fe80::1%eth0", "2606:4700::1111%eth0",
    "febf::1", "fec0::1", "feff::1", "ff00::1", "ff0e::1",
    "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "1.1.1.1 ", "1.1.1.1/32", "[::1]", "localhost", "", "1.1.1.01",
]  # fmt: skip


def test_an_address_of_the_whole_internet_is_public() -> None:
    assert [text for text in PUBLIC if not is_public(text)] == []


def test_every_other_address_is_not() -> None:
    assert [text for text in NOT_PUBLIC if is_public(text)] == []
