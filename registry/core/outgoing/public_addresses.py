"""Public IP addresses: a guard against requests to this machine, its network and its cloud provider (SSRF).

Callers connect to the addresses that `public_addresses` returns, not to the name: a second look-up could have another
answer. The networks are those of the IANA special-purpose address registries (RFC 6890).
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Network

from django.conf import settings

from registry.core.exceptions import RegistryError
from registry.core.outgoing.dns_lookups import SECONDS, IPAddress, addresses_of

MAX_ADDRESSES = 4

NOT_PUBLIC_IPV4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # shared by the customers of a provider
            "127.0.0.0/8",  # loopback
            "169.254.0.0/16",  # link-local, with the metadata of cloud providers
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",  # private
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, and broadcast
        ),
    )
)
# All other IPv6 addresses are loopback, link-local, unique local, multicast, mapped IPv4 addresses or unassigned.
GLOBAL_UNICAST = IPv6Network("2000::/3")
NOT_PUBLIC_IPV6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, with Teredo, which contains an IPv4 address
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which contains an IPv4 address
            "3fff::/20",  # documentation
        ),
    )
)
# Networks without IPv4 reach public IPv4 addresses by these (RFC 6052, Section 2.1).
NAT64 = IPv6Network("64:ff9b::/96")


class HostNotFound(RegistryError):
    """The name has no IP address."""

    title = "The host was not found"


class AddressNotPublic(RegistryError):
    """An address of the host is one of this machine or of a private network, so no request is sent to the host."""

    title = "The host has no public address"


def is_public(address: IPAddress) -> bool:
    """Whether an address can only belong to a server on the public Internet.

    >>> is_public(ip_address("192.0.34.43")), is_public(ip_address("169.254.169.254"))
    (True, False)
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_IPV4)
    if address in NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFF_FFFF))
    return address in GLOBAL_UNICAST and not any(address in network for network in NOT_PUBLIC_IPV6)


def public_addresses(host: str, seconds: float = SECONDS, *, is_trusted: bool = False) -> list[IPAddress]:
    """The addresses of a host, in the order in which to try them, looked up within so many seconds.

    Raises HostNotFound, or AddressNotPublic if even one of them is not public. A trusted host, which the operator named,
    may be in a private network.
    """
    addresses = addresses_of(host, seconds)
    if not addresses:
        raise HostNotFound(f"{host} was not found in the DNS.")
    if not is_trusted and not all(map(_is_allowed, addresses)):
        # The message may be published, so it does not tell the address.
        raise AddressNotPublic(f"{host} has an address that is not public.")
    return addresses[:MAX_ADDRESSES]


def _is_allowed(address: IPAddress) -> bool:
    return is_public(address) or (settings.ALLOW_REQUESTS_TO_LOOPBACK and address.is_loopback)
