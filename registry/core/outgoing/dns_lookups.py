"""TXT records and addresses, asked of the name servers of this machine, each within a limited time.

`getaddrinfo` of the C library can't be interrupted, and a name whose servers are silent would hold its thread.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import chain, zip_longest

import dns.exception
import dns.resolver

from registry.core.exceptions import RegistryError

IPAddress = IPv4Address | IPv6Address
SECONDS = 10.0
MAX_RECORDS = 50
LOOPBACK: list[IPAddress] = [IPv4Address("127.0.0.1"), IPv6Address("::1")]


class LookupFailed(RegistryError):
    """No name server gave an answer."""

    title = "The DNS look-up failed"


def txt_records(name: str) -> list[str]:
    """The TXT records of a name, each in one piece; none if there is no such name. Raises LookupFailed."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=SECONDS, search=False)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except dns.exception.DNSException as failure:
        raise LookupFailed(f"No name server answered for {name}.") from failure
    return [b"".join(each.strings).decode(errors="replace") for each in list(answer)[:MAX_RECORDS]]


def addresses_of(host: str, seconds: float) -> list[IPAddress]:
    """The addresses of a host, IPv6 and IPv4 in turn (RFC 8305, Section 4); none if there are none within the seconds.

    An address stands for itself, and `localhost` for the loopback addresses (RFC 6761, Section 6.3). The file of hosts of
    this machine is not read.
    """
    with suppress(ValueError):
        return [ip_address(host)]
    if host.lower().rstrip(".") == "localhost":
        return LOOPBACK
    until = time.monotonic() + seconds
    # The first question leaves half of the time to the second.
    ipv4 = list(_addresses(host, "A", seconds / 2))
    ipv6 = list(_addresses(host, "AAAA", until - time.monotonic()))
    in_turn = chain.from_iterable(zip_longest(ipv6, ipv4))
    return list(dict.fromkeys(each for each in in_turn if each is not None))


def _addresses(host: str, record: str, seconds: float) -> Iterator[IPAddress]:
    # A UnicodeError is that of a name that can't be written in the DNS.
    with suppress(dns.exception.DNSException, UnicodeError):
        for each in dns.resolver.resolve(host, record, lifetime=seconds, search=False):
            yield ip_address(each.address)
