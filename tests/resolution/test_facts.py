"""Reading what is known of namespaces: the number of queries."""

from typing import Any

import pytest

from registry.namespaces import profile_cache
from registry.resolution.facts import facts_of
from tests.resolution.conftest import a_namespace_with
from tests.support.factories import a_profile

pytestmark = pytest.mark.django_db


def test_the_profiles_of_many_namespaces_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    nids = [f"example-{number}" for number in range(10)]
    for nid in nids:
        a_namespace_with(a_profile(nid))
    monkeypatch.setattr(profile_cache, "_entries", type(profile_cache._entries)())
    for queries in (2, 1):
        with django_assert_num_queries(queries):
            found = facts_of([*nids, "nobody"])
        assert {nid: each.profile and each.profile.nid for nid, each in found.items()} == dict(
            zip(nids, nids, strict=True)
        )
