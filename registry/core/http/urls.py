"""URLs: the public addresses of the registry, and the https URLs of other servers to which it sends requests."""

import http.client
import re
from collections.abc import Collection
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse

from registry.core.exceptions import RegistryError
from urnsyntax.profiles.services.hosts import fault_of_host


class TargetNotAllowed(RegistryError):
    """The URL is not an https URL of a host whose name is public."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This address is not allowed"


def absolute_url(path: str) -> str:
    """The public address of a path, which does not depend on the host that a request names."""
    return f"{settings.PUBLIC_ORIGIN}{path}"


def public_url(name: str, **arguments: Any) -> str:
    """The public address of a page or a resource, by the name of its URL pattern."""
    return absolute_url(reverse(name, kwargs=arguments))


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of an allowed URL."""

    host: str
    port: int
    path: str


def parse_url(url: str, trusted_hosts: Collection[str] = ()) -> Target:
    """The parts of a URL, whose host has a public name unless it is trusted. Raises TargetNotAllowed."""
    if not re.fullmatch("[!-~]+", url):
        raise TargetNotAllowed("The URL contains characters other than visible ASCII.")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or http.client.HTTPS_PORT
    except ValueError as fault:
        raise TargetNotAllowed(f"The URL is malformed: {fault}.") from fault
    if parts.scheme != "https":
        raise TargetNotAllowed(f"The URL begins with “{parts.scheme}:”; only https is allowed.")
    if "@" in parts.netloc:
        raise TargetNotAllowed("The URL has a user name or a password.")
    if host not in trusted_hosts and (fault_in_host := fault_of_host(host)):
        raise TargetNotAllowed(f"The host of the URL is not allowed. {fault_in_host}")
    return Target(host, port, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))
