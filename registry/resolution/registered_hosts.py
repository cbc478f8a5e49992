"""The hosts that the registration of a namespace names.

A loaded profile states for each service where its address comes from. If that is the registration, the host of the
service is confirmed with the profile. An administrator decides on all others; the registry proposes those that stand in
the registered text or in the references.
"""

import re
from collections.abc import Iterator
from typing import Any

from registry.namespaces.models import Namespace
from registry.namespaces.services.profile_files import profile_loaded
from registry.resolution.models import Basis
from registry.resolution.services.hosts import confirm_host, was_withdrawn
from urnsyntax.profiles import Profile, Service

PROFILE_EVIDENCE = "The profile states the address of “{service.title}” from the registration: {source.document}, {source.url}"


def connect() -> None:
    """Confirm hosts with each loaded profile."""
    profile_loaded.connect(_confirm_registered, dispatch_uid="confirm registered hosts")


def _confirm_registered(*, namespace: Namespace, profile: Profile, **_: Any) -> None:
    known = set(namespace.confirmed_hosts.values_list("host", flat=True))
    for service in profile.services:
        host = service.host
        if host in known or not is_from_registration(service, profile) or was_withdrawn(namespace, host):
            continue
        evidence = PROFILE_EVIDENCE.format(service=service, source=service.source)
        confirm_host(namespace, by=None, host=host, basis=Basis.REGISTERED_TEXT, evidence=evidence)
        known.add(host)


def is_from_registration(service: Service, profile: Profile) -> bool:
    """Whether the address of a service is stated in a document that the profile calls the registration."""
    stated = {each.url for each in profile.sources if each.kind == "registration" and each.url}
    return service.source.url in stated


def evidence_in_registration(namespace: Namespace, host: str) -> str:
    """Where the registration names a host, as a sentence; "" if it does not."""
    return next(_mentions(namespace, host), "")


def _mentions(namespace: Namespace, host: str) -> Iterator[str]:
    named = re.compile(rf"(?<![a-z0-9.-]){re.escape(host)}(?![a-z0-9-]|\.[a-z0-9])", re.IGNORECASE)
    if namespace.latest and named.search(namespace.latest.text):
        yield f"Version {namespace.latest.version} of the registration names {host}."
    for each in namespace.references:
        if named.search(each.get("target", "")):
            yield f"The registration refers to {each['target']}."
