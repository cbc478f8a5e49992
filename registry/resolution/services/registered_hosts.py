"""Confirmation of hosts by loaded profiles.

A loaded profile states for each service where its address comes from. If that is the registration, the host of the
service is confirmed with the profile. An administrator decides on all others.
"""

from typing import Any

from registry.namespaces.models import Namespace
from registry.namespaces.services.profile_files import profile_loaded
from registry.resolution.models import Basis
from registry.resolution.services.hosts import confirm_host, was_withdrawn
from registry.resolution.services.registered_text import evidence_in_profile
from urnsyntax.profiles import Profile


def connect() -> None:
    """Confirm hosts with each loaded profile."""
    profile_loaded.connect(_confirm_registered, dispatch_uid="confirm registered hosts")


def _confirm_registered(*, namespace: Namespace, profile: Profile, **_: Any) -> None:
    known = set(namespace.confirmed_hosts.values_list("host", flat=True))
    for host in dict.fromkeys(each.host for each in profile.services if each.host not in known):
        evidence = evidence_in_profile(profile, host)
        if evidence and not was_withdrawn(namespace, host):
            confirm_host(namespace, by=None, host=host, basis=Basis.REGISTERED_TEXT, evidence=evidence)
