"""Namespaces with the profiles of the fixtures."""

from pathlib import Path

import pytest
from django.conf import settings

from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from tests.support.factories import an_imported_namespace
from urnsyntax.profiles import Profile, load_profile

FIXTURES = Path(settings.BASE_DIR) / "fixtures" / "profiles"
NIDS = ("isbn", "issn", "uuid", "lei", "oid", "nbn", "example")


def with_profile(nid: str) -> Namespace:
    """Register a namespace with the profile of its fixture."""
    namespace = an_imported_namespace(nid=nid)
    set_profile(namespace, by=None, profile=load_profile(FIXTURES / f"{nid}.toml"), basis="It.", replaces=0)
    return namespace


@pytest.fixture
def profiles(db: None) -> list[Profile]:
    """Namespaces with a profile, one of which states no grammar."""
    for nid in NIDS:
        with_profile(nid)
    return [load_profile(FIXTURES / f"{nid}.toml") for nid in NIDS]
