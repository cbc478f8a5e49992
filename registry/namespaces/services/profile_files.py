"""Loading profiles from files into the registry."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.db import transaction
from django.dispatch import Signal

from registry.core.digests import digest_of
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace, ProfileVersion
from registry.namespaces.services.profiles import set_profile
from urnsyntax.profiles import Profile
from urnsyntax.profiles.examples import Verification

BASIS = "From the files of the registry, which state the source of each fact."
profile_loaded = Signal()
"""Sent in the transaction that sets a loaded profile, with `namespace` and `profile`."""


class LoadOutcome(StrEnum):
    SET = "set"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    NOT_REGISTERED = "not registered"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class LoadResult:
    """What was done with one file. `message` says why nothing was set."""

    nid: str
    outcome: LoadOutcome
    message: str = ""


def load_profiles(files: Iterable[Verification]) -> list[LoadResult]:
    """Set the profiles of registered namespaces that have none, or a loaded one that differs.

    A version that a person set, or with which a person removed the profile, is kept.
    """
    verified = {each.nid: each for each in files}
    namespaces = {each.nid: each for each in Namespace.objects.filter(nid__in=verified)}
    versions = ProfileVersion.objects.filter(namespace__nid__in=verified).defer("content")
    newest = (
        versions.order_by("namespace_id", "-version").distinct("namespace_id").select_related("namespace")
    )
    last = {each.namespace.nid: each for each in newest}
    return [_load(each, namespaces.get(nid), last.get(nid)) for nid, each in verified.items()]


def _load(file: Verification, namespace: Namespace | None, last: ProfileVersion | None) -> LoadResult:
    if file.profile is None or file.failures:
        return LoadResult(file.nid, LoadOutcome.REFUSED, " ".join(file.failures))
    if namespace is None:
        return LoadResult(file.nid, LoadOutcome.NOT_REGISTERED, "The namespace is not registered.")
    if last and last.digest == digest_of(file.profile.to_dict()):
        return LoadResult(file.nid, LoadOutcome.UNCHANGED)
    if last and last.set_by_id is not None:
        return LoadResult(file.nid, LoadOutcome.KEPT, f"A person set version {last.version}.")
    return _set(namespace, file.profile, last.version if last else 0)


def _set(namespace: Namespace, profile: Profile, replaces: int) -> LoadResult:
    try:
        with transaction.atomic():
            set_profile(namespace, by=None, profile=profile, basis=BASIS, replaces=replaces)
            profile_loaded.send(sender=Profile, namespace=namespace, profile=profile)
    except RegistryError as refusal:
        return LoadResult(profile.nid, LoadOutcome.REFUSED, str(refusal))
    return LoadResult(profile.nid, LoadOutcome.SET)
