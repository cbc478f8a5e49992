"""Reading what is known of namespaces: the number of queries."""

from collections import OrderedDict
from typing import Any

import pytest

from registry.namespaces import profile_cache
from registry.resolution.namespace_data import namespace_data_of
from tests.resolution.conftest import a_namespace_with
from tests.support.factories import a_profile

pytestmark = pytest.mark.django_db


def test_the_profiles_of_many_namespaces_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    nids = [f"example-{number}" for number in range(10)]
    for nid in nids:
        a_namespace_with(a_profile(nid))
    monkeypatch.setattr(profile_cache, "_entries", OrderedDict())
    for queries in (2, 1):
        with django_assert_num_queries(queries):
            found = namespace_data_of([*nids, "nobody"])
        assert {nid: each.profile and each.profile.nid for nid, each in found.items()} == dict(
            zip(nids, nids, strict=True)
        )


def test_profiles_that_evict_each_other_are_all_found(monkeypatch: pytest.MonkeyPatch) -> None:
    nids = [f"example-{number}" for number in range(3)]
    for nid in nids:
        a_namespace_with(a_profile(nid))
    monkeypatch.setattr(profile_cache, "MAX_ENTRIES", 1)
    monkeypatch.setattr(profile_cache, "_entries", OrderedDict())
    for nid in nids:
        namespace_data_of([nid])
        found = namespace_data_of(nids)
        assert [found[each].profile.nid for each in nids if found[each].profile] == nids
    assert len(profile_cache._entries) == 1
