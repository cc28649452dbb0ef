"""An upstream on loopback for the tests that fetch, its certificate made anew for each module."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.fetching.network import Network
from tests.registry.upstreams import HOST, OTHER, Reached, Upstream, certificates, network


@pytest.fixture(scope="module")
def trusted(tmp_path_factory: Any) -> tuple[Path, ssl.SSLContext]:
    folder = tmp_path_factory.mktemp("certificate")
    certificates_of = certificates(folder, HOST, OTHER)
    return folder / "server.pem", certificates_of[1]


@pytest.fixture
def upstream(trusted: tuple[Path, ssl.SSLContext]) -> Iterator[Upstream]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted[0])
    server = Upstream(context)
    yield server
    server.close()


@pytest.fixture
def reached() -> Reached:
    return Reached()


@pytest.fixture
def outside(upstream: Upstream, trusted: tuple[Path, ssl.SSLContext], reached: Reached) -> Network:
    """The internet as this test has it: every address is the upstream."""
    return network(upstream.port, trusted[1], reached)
