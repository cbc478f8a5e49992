"""Queries that are compiled once: each key gets its own rows."""

from typing import Any

import pytest
from django.db.models import Exists, OuterRef, QuerySet

from registry.accounts.models import Role, RoleName, User
from registry.core.database.prepared_reader import PLACEHOLDER, prepared
from tests.support.factories import a_person

pytestmark = pytest.mark.django_db


def test_it_is_built_once_and_returns_the_rows_of_each_key(django_assert_num_queries: Any) -> None:
    built = []

    @prepared
    def holders(key: int) -> QuerySet[User]:
        built.append(key)
        held = Role.objects.filter(user=OuterRef("pk"), user__pk=key)
        return User.objects.filter(pk=key).annotate(has_role=Exists(held)).only("pk")

    people = [a_person(email="a@example.org"), a_person(email="b@example.org", roles=(RoleName.EXPERT,))]
    with django_assert_num_queries(2):
        found = [list(User.objects.raw(*holders(each.pk))) for each in people]
    assert found == [[each] for each in people]
    assert [each.has_role for (each,) in found] == [False, True]
    assert built == [PLACEHOLDER]
    assert list(User.objects.raw(*holders(0))) == []
