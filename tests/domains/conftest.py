"""A DNS server and a web server on loopback."""

from collections.abc import Iterator
from socket import AF_INET, SOCK_DGRAM, socket
from threading import Thread

import dns.flags
import dns.message
import dns.rcode
import dns.resolver
import dns.rrset
import pytest

from tests.support.https_servers import LOOPBACK, authority, loopback_allowed
from tests.support.https_servers import dns as fake_dns

__all__ = ["authority", "fake_dns", "loopback_allowed", "name_server"]
END = b"end"


class NameServer:
    """Answers questions for TXT records over UDP; a name that is in `broken` gets SERVFAIL."""

    def __init__(self) -> None:
        self.records: dict[str, list[str]] = {}
        self.broken: set[str] = set()
        self.socket = socket(AF_INET, SOCK_DGRAM)
        self.socket.bind((LOOPBACK, 0))
        self.port: int = self.socket.getsockname()[1]
        self.thread = Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        while True:
            wire, client = self.socket.recvfrom(4096)
            if wire == END:
                return
            self.socket.sendto(self._answer(dns.message.from_wire(wire)).to_wire(), client)

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.RA
        name = query.question[0].name
        known = name.to_text(omit_final_dot=True)
        if known in self.broken:
            answer.set_rcode(dns.rcode.SERVFAIL)
        elif known in self.records:
            if texts := self.records[known]:
                answer.answer.append(dns.rrset.from_text(name, 60, "IN", "TXT", *texts))
        else:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer

    def stop(self) -> None:
        self.socket.sendto(END, (LOOPBACK, self.port))
        self.thread.join(60)
        self.socket.close()


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    """The name server that the registry asks."""
    server = NameServer()
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = [LOOPBACK], server.port
    monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
    server.thread.start()
    yield server
    server.stop()
