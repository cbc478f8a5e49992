"""The reasons for which an action on a domain of an organisation is refused."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError


class InvalidDomain(RegistryError):
    """The text is not the name of a public host in ASCII, such as `example.org`."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not a domain"


class DomainPresent(RegistryError):
    """The organisation has named this domain already."""

    title = "Already added"


class TooManyDomains(RegistryError):
    """The organisation has named as many domains as it may."""

    title = "Too many domains"


class CheckedJustNow(RegistryError):
    """A domain is checked at most once a minute."""

    title = "Checked just now"
