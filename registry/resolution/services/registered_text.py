"""What the registration of a namespace says of a host."""

import re
from collections.abc import Iterator

from registry.namespaces.models import Namespace
from urnsyntax.profiles import Profile, Service


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
    return f"The address of “{service.title}” is from the registration: {source.document}, {source.url}"


def _mentions(namespace: Namespace, host: str) -> Iterator[str]:
    named = re.compile(rf"(?<![a-z0-9.-]){re.escape(host)}(?![a-z0-9-]|\.[a-z0-9])", re.IGNORECASE)
    if namespace.latest and named.search(namespace.latest.text):
        yield f"Version {namespace.latest.version} of the registration names {host}."
    for each in namespace.references:
        if named.search(each.get("target", "")):
            yield f"The registration refers to {each['target']}."
