"""Namespaces with resolution services."""

from typing import Any

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.factories import a_profile
from urnsyntax.profiles import Profile


def a_service(nid: str = "trees", **changes: Any) -> dict[str, Any]:
    """A service of a profile."""
    return {
        "title": "Catalogue of trees",
        "kind": "I2C",
        "template": "https://trees.example/{nss}",
        "examples": [f"urn:{nid}:12:4711"],
        "source": {"document": "Numbers of trees", "url": "https://trees.example/", "stated_on": "2026"},
    } | changes


def with_profile(profile: Profile, registrant: User | None = None) -> Namespace:
    """The namespace of a profile, with that as its current one."""
    number = int(profile.nid.removeprefix("urn-")) if profile.nid.startswith("urn-") else None
    kind = Kind.INFORMAL if number else Kind.FORMAL
    namespace, _ = Namespace.objects.get_or_create(
        nid=profile.nid,
        defaults={"kind": kind, "number": number, "origin": Origin.IANA, "registrant": registrant},
    )
    replaces = namespace.profile_versions.count()
    set_profile(namespace, by=None, profile=profile, basis="Syntax.", replaces=replaces)
    namespace.refresh_from_db()
    return namespace


def with_services(nid: str, *services: dict[str, Any], registrant: User | None = None) -> Namespace:
    """A namespace with these services, whose examples get its NID."""
    own = [
        each | {"examples": [urn.replace("urn:trees:", f"urn:{nid}:") for urn in each["examples"]]}
        for each in services
    ]
    return with_profile(a_profile(nid, services=own), registrant)
