"""Mentions of a host in the registration of a namespace."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from registry.namespaces.models import Namespace
from urnsyntax.profiles import Profile, Service

WEB_SCHEMES = ("http", "https")
# An address in a text starts after white space, brackets or quotation marks, as in <URL:https://example.org/>.
BEFORE_ADDRESS = r"""(?<!\S)[<("'\[]{0,2}(?:URL:)?"""
# The host ends before a path, a query, a fragment, or the end of the address. User information ends with "@".
AFTER_HOST = r"""(?::\d+)?(?=[/?#\s"'<>]|[.,;:)\]]+(?:[\s"'<>]|\Z)|\Z)"""


def evidence_in_registration(namespace: Namespace, host: str) -> str:
    """Where the registration names a host, as a sentence; "" if it does not."""
    profile = namespace.current_profile
    return next(_mentions(namespace, host), "") or (evidence_in_profile(profile, host) if profile else "")


def evidence_in_profile(profile: Profile, host: str) -> str:
    """For which service on a host the profile names the registration as the source of the address; "" for none."""
    stated = {each.url for each in profile.sources if each.kind == "registration" and each.url}
    of_host = (each for each in profile.services if each.host == host and each.source.url in stated)
    return next(map(_stated, of_host), "")


def _stated(service: Service) -> str:
    source = service.source
    return f"The address of “{service.title}” is from {source.document}: {source.url}"


def _mentions(namespace: Namespace, host: str) -> Iterator[str]:
    if namespace.latest and _has_address_on(host, namespace.latest.text):
        yield f"Version {namespace.latest.version} of the registration names {host}."
    for each in namespace.references:
        if _is_address_on(host, each.get("target", "")):
            yield f"The registration refers to {each['target']}."


def _is_address_on(host: str, target: str) -> bool:
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return parts.scheme in WEB_SCHEMES and parts.hostname == host


def _has_address_on(host: str, text: str) -> bool:
    """Whether a text contains a web address on the host. The host in another part of an address does not count."""
    address = rf"{BEFORE_ADDRESS}(?:{'|'.join(WEB_SCHEMES)})://{re.escape(host)}{AFTER_HOST}"
    return re.search(address, text, re.IGNORECASE) is not None
