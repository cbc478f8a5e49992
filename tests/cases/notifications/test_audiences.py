"""The people in the audiences of mails: how much it takes to find them."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.cases.audiences import editors
from registry.cases.models import Case, CoEditor
from tests.support.factories import a_draft, a_person


@pytest.mark.parametrize(("is_prefetched", "queries"), [(True, 0), (False, 2)])
def test_the_number_of_queries_for_editors_does_not_depend_on_their_number(
    registrant: User, is_prefetched: bool, queries: int
) -> None:
    case = a_draft(by=registrant)
    co_editors = [a_person(email=f"editor-{number}@example.org") for number in range(3)]
    for count, person in enumerate(co_editors, start=1):
        CoEditor.objects.create(case=case, user=person)
        cases = Case.objects.select_related("registrant")
        read = (cases.prefetch_related("co_editors__user") if is_prefetched else cases).get(pk=case.pk)
        with CaptureQueriesContext(connection) as asked:
            found = editors(read)
        assert found[0] == registrant
        assert set(found[1:]) == set(co_editors[:count])
        assert len(asked) == queries
