"""Namespaces with services: those of the fixtures, and small ones."""

from typing import Any

import pytest

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from registry.resolution.actions import confirm_host, hosts_of
from registry.resolution.models import Basis
from tests.support.factories import a_profile
from tests.urnsyntax.profiles.samples import PROFILES
from urnsyntax.profiles import Profile


def fixture_profile(nid: str) -> Profile:
    return next(each for each in PROFILES if each.nid == nid)


def fixture_profiles() -> tuple[Profile, ...]:
    """The profiles of the fixtures that have services."""
    return tuple(each for each in PROFILES if each.services)


def a_service(template: str = "https://trees.example/{nss}", **changes: Any) -> dict[str, Any]:
    """Return a service as in a profile."""
    source = {"document": "Trees", "url": "https://trees.example/numbers", "stated_on": "2026-11"}
    service = {"title": "Page of the tree", "kind": "I2C", "template": template, "source": source}
    return {**service, "examples": ["urn:example-trees:12:4711"], **changes}


def a_profile_with(*services: dict[str, Any], **changes: Any) -> Profile:
    return a_profile(services=list(services), **changes)


def a_namespace_with(profile: Profile, *, kind: Kind = Kind.FORMAL) -> Namespace:
    """Register a namespace with this profile, without a confirmed host."""
    number = int(profile.nid.removeprefix("urn-")) if profile.nid.startswith("urn-") else None
    kind = Kind.INFORMAL if number else kind
    namespace = Namespace.objects.create(nid=profile.nid, kind=kind, number=number, holder="Example Holder")
    set_profile(namespace, by=None, profile=profile, basis="Loaded", replaces=0)
    return namespace


def confirm_all(namespace: Namespace, *, by: User) -> Namespace:
    namespace.refresh_from_db()
    for host in hosts_of(namespace):
        confirm_host(namespace, by=by, host=host, basis=Basis.ADMINISTRATOR, evidence="It was read.")
    return namespace


@pytest.fixture
def trees(administrator: User) -> Namespace:
    """A namespace with one service on a confirmed host."""
    return confirm_all(a_namespace_with(a_profile_with(a_service())), by=administrator)


@pytest.fixture
def ietf(administrator: User) -> Namespace:
    return confirm_all(a_namespace_with(fixture_profile("ietf")), by=administrator)


@pytest.fixture
def isbn(administrator: User) -> Namespace:
    return confirm_all(a_namespace_with(fixture_profile("isbn")), by=administrator)
