"""Servers on loopback that stand for the internet: reached through the `dial` of a test's own Network alone."""

import socket
import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpcore
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from registry.fetching.network import Network

HOST = "data.example.org"
OTHER = "cdn.example.net"
PUBLIC = "8.8.8.8"  # what names resolve to: public, so that every rule stays in force
PORT = 443


@dataclass(frozen=True)
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    server_name: str | None


Script = Callable[[socket.socket, Asked], None]


def answer(body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """An answer written out, its length stated unless a header says otherwise."""
    named = {"Content-Length": str(len(body))} | {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + body


class Upstream:
    """A TLS server whose answers are scripts by path: bytes to send, a function, or a list of these, one a request."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.scripts: dict[str, bytes | Script | list[bytes | Script]] = {}
        self.asked: list[Asked] = []
        self.stopping = threading.Event()
        self._names: dict[int, str | None] = {}
        self._context = context
        self._context.sni_callback = lambda conn, name, _: self._names.__setitem__(threading.get_ident(), name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def close(self) -> None:
        self.stopping.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in (self._accepting, *self._threads):
            thread.join(10)

    def _accept(self) -> None:
        while not self.stopping.is_set():
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(plain,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, plain: socket.socket) -> None:
        plain.settimeout(10)
        try:
            with self._context.wrap_socket(plain, server_side=True) as conn:
                asked = self._read(conn)
                self.asked.append(asked)
                script = self.scripts[asked.target]
                if isinstance(script, list):
                    script = script.pop(0)
                if isinstance(script, bytes):
                    conn.sendall(script)
                else:
                    script(conn, asked)
        except OSError:
            pass  # the other side hung up, as it should on most of these scripts
        finally:
            plain.close()

    def _read(self, conn: ssl.SSLSocket) -> Asked:
        head = b""
        while b"\r\n\r\n" not in head:
            more = conn.recv(4096)
            if not more:
                raise OSError("nothing was asked")
            head += more
        first, *lines = head.decode().split("\r\n\r\n")[0].split("\r\n")
        method, target, _ = first.split(" ")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        return Asked(method, target, headers, self._names.get(threading.get_ident()))


@dataclass
class Reached:
    """What a Network was used for, in order."""

    resolved: list[str] = field(default_factory=list)
    dialled: list[str] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    time: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.time += seconds


def network(
    port: int, trust: ssl.SSLContext, reached: Reached, addresses: dict[str, list[str]] | None = None
) -> Network:
    """A Network whose every connection, whatever its address, ends at a loopback port."""

    def resolve(host: str) -> list[str]:
        reached.resolved.append(host)
        return (addresses or {}).get(host, [PUBLIC])

    def dial(address: str, asked_port: int, timeout: float) -> httpcore.NetworkStream:
        reached.dialled.append(f"{address}:{asked_port}")
        return httpcore.SyncBackend().connect_tcp("127.0.0.1", port, timeout=timeout)

    return Network(resolve=resolve, dial=dial, trust=lambda: trust, sleep=reached.sleep)


def certificates(folder: Path, *hosts: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context for these hosts, and a client's that trusts it: made for one test run, kept nowhere."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "for a test only")])
    start = datetime.now(UTC) - timedelta(minutes=5)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(hours=6))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    held = folder / "server.pem"
    held.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ) + pem
    )  # fmt: skip
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(held)
    return server, ssl.create_default_context(cadata=pem.decode())
