"""The interface of a resolver, for programs that work with any of them."""

from typing import Protocol, TypeVar

from ..urn import URN

Resource_co = TypeVar("Resource_co", covariant=True)


class Resolver(Protocol[Resource_co]):
    """Leads from a URN to what it names (RFC 8141, Section 1.1, "resolution").

    What it returns depends on the resolver: an address, several, a description or the resource itself, the services
    I2L, I2Ls, I2C and I2R of RFC 2483. The r-component is for the resolver, the q-component for the resource, and the
    f-component is left to the client (RFC 8141, Section 2.3). A profile of `urnsyntax.profiles` is a resolver.

    >>> class Example:
    ...     def resolve(self, urn: URN) -> str:
    ...         return f"https://example.org/{urn.nss}"
    >>> resolver: Resolver[str] = Example()
    >>> resolver.resolve(URN.parse("urn:example:a"))
    'https://example.org/a'
    """

    def resolve(self, urn: URN, /) -> Resource_co:
        """Return what the URN leads to. The resolver documents its errors."""
        ...
