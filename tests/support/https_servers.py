"""HTTPS servers on loopback under names of the DNS, and certificates for them."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from registry.core.outgoing import public_addresses
from registry.core.outgoing.dns_lookups import IPAddress

LOOPBACK = "127.0.0.1"
DAY = timedelta(days=1)


class Authority:
    """A certificate authority whose certificate is in the file `ca`."""

    def __init__(self, folder: Path, name: str = "authority") -> None:
        self.folder, self.ca = folder, folder / f"{name}.pem"
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = self._builder(self._name, self._key, DAY).add_extension(x509.BasicConstraints(True, 0), True)
        self.ca.write_bytes(self._signed(made))

    def certificate(self, *hosts: str, lasts: timedelta = DAY) -> Path:
        """A file with a certificate for these hosts, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")])
        made = self._builder(subject, key, lasts).add_extension(names, False)
        file = self.folder / f"{key.private_numbers().private_value}.pem"
        plain = serialization.NoEncryption()
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
        file.write_bytes(self._signed(made) + key.private_bytes(*form))
        return file

    def time_stamping(self, *usages: x509.ObjectIdentifier) -> tuple[x509.Certificate, Any]:
        """A certificate for these usages, and its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "time stamps")])
        made = self._builder(subject, key, DAY).add_extension(x509.ExtendedKeyUsage(usages), True)
        return made.sign(self._key, hashes.SHA256()), key

    def _builder(self, subject: x509.Name, key: Any, lasts: timedelta) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 2 * DAY)
            .not_valid_after(now + lasts)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False)
            .add_extension(identifier, False)
        )

    def _signed(self, builder: x509.CertificateBuilder) -> bytes:
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


@dataclass
class Exchange:
    """One request that a server received, and the connection that it replies on."""

    method: str
    path: str
    headers: dict[str, str]
    connection: ssl.SSLSocket
    ended: Event
    body: bytes = b""

    def reply(self, status: str = "200 OK", body: bytes = b"", **headers: str) -> None:
        fields = {"Content-Length": str(len(body))} | {
            name.replace("_", "-"): headers[name] for name in headers
        }
        lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
        self.send("\r\n".join(lines).encode("utf-8") + (b"" if self.method == "HEAD" else body))

    def redirect(self, location: str, status: str = "302 Found") -> None:
        self.reply(status, Location=location)

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def trickle(self, data: bytes, pause: float = 0.05) -> None:
        """Send byte after byte until the client leaves."""
        for byte in data:
            self.send(bytes([byte]))
            if self.ended.wait(pause):
                return


Respond = Callable[[Exchange], None]


@dataclass
class Server:
    """A running server, and the requests that it received."""

    port: int
    received: list[Exchange] = field(default_factory=list)

    @property
    def paths(self) -> list[tuple[str, str]]:
        return [(each.method, each.path) for each in self.received]


@contextmanager
def https_server(certificate: Path, respond: Respond, address: str = LOOPBACK) -> Iterator[Server]:
    """Serve during the block; each connection in a thread of its own."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    ended, threads = Event(), []
    with socket.create_server((address, 0)) as listener:
        server = Server(listener.getsockname()[1])

        def accept() -> None:
            while not ended.is_set():
                with suppress(OSError):
                    plain, _ = listener.accept()
                    thread = Thread(target=_serve, args=(context, plain, server, respond, ended), daemon=True)
                    thread.start()
                    threads.append(thread)

        acceptor = Thread(target=accept, daemon=True)
        acceptor.start()
        try:
            yield server
        finally:
            ended.set()
            with suppress(OSError):
                socket.create_connection((address, server.port), timeout=1).close()
            acceptor.join(5)
    for thread in threads:
        thread.join(5)


def _serve(
    context: ssl.SSLContext, plain: socket.socket, server: Server, respond: Respond, ended: Event
) -> None:
    # A client that leaves early, or that refuses the certificate.
    with suppress(OSError), plain, context.wrap_socket(plain, server_side=True) as connection:
        head = b""
        while b"\r\n\r\n" not in head:
            received = connection.recv(4096)
            if not received:
                return
            head += received
        head, _, body = head.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = dict(line.split(": ", 1) for line in lines)
        while len(body) < int(headers.get("Content-Length", 0)):
            received = connection.recv(4096)
            if not received:
                return
            body += received
        exchange = Exchange(method, path, headers, connection, ended, body)
        server.received.append(exchange)
        respond(exchange)


class FakeDNS:
    """Answers of the DNS: for each host a list of answers, which are used in turn; the last one stays."""

    def __init__(self) -> None:
        self.answers: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []

    def __setitem__(self, host: str, *answers: Any) -> None:
        self.answers[host] = [each if isinstance(each, list) else [each] for each in answers]

    def in_turn(self, host: str, *answers: str) -> None:
        self.answers[host] = [[each] for each in answers]

    def addresses_of(self, host: str, _seconds: float) -> list[IPAddress]:
        with suppress(ValueError):
            return [ip_address(host)]
        self.asked.append(host)
        if host not in self.answers:
            return []
        waiting = self.answers[host]
        answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return [ip_address(each) for each in answer]


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Authority:
    """An authority that the registry trusts."""
    made = Authority(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.ca))
    return made


@pytest.fixture
def dns(monkeypatch: pytest.MonkeyPatch) -> FakeDNS:
    """Answers for names; all other names are not found."""
    fake = FakeDNS()
    monkeypatch.setattr(public_addresses, "addresses_of", fake.addresses_of)
    return fake


@pytest.fixture
def loopback_allowed(settings: Any) -> None:
    settings.ALLOW_REQUESTS_TO_LOOPBACK = True
