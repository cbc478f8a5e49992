"""Bulk COPY: constraints and triggers apply as to single rows."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from registry.core.database.bulk_copy import copy_insert, copy_update
from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.databases import in_sql


def namespaces(*nids: str) -> list[Namespace]:
    return [Namespace(nid=nid, kind=Kind.FORMAL, origin=Origin.IANA) for nid in nids]


@pytest.mark.django_db
@pytest.mark.parametrize("nid", ["UPPER", "a", "example_a", "exämple", "example-a\n", "x" * 33, ""])
def test_a_row_that_no_table_may_hold_is_refused(nid: str) -> None:
    with pytest.raises(DatabaseError, match=r"violates check|value too long"), transaction.atomic():
        copy_insert(Namespace, namespaces("example-a", nid))
    assert not Namespace.objects.exists()


@pytest.mark.django_db
def test_triggers_hold_in_the_transaction_in_which_many_rows_were_written() -> None:
    copy_insert(Namespace, namespaces("example-a", "example-b"))
    for statement in (
        "UPDATE namespaces_namespace SET nid = 'example-c' WHERE nid = 'example-a'",
        "DELETE FROM namespaces_namespace",
    ):
        with pytest.raises(DatabaseError, match=r"keep their NID|never deleted"):
            in_sql(statement)
    assert Namespace.objects.count() == 2


@pytest.mark.django_db
def test_rows_are_written_over_by_their_keys() -> None:
    copy_insert(Namespace, namespaces("example-a", "example-b"))
    rows = list(Namespace.objects.order_by("nid"))
    rows[0].holder = 'one "holder"\t\\'
    copy_update(Namespace, rows[:1], ["holder"])
    assert list(Namespace.objects.order_by("nid").values_list("holder", flat=True)) == [
        'one "holder"\t\\',
        "",
    ]
    copy_update(Namespace, [], ["holder"])
    copy_insert(Namespace, [])
    with pytest.raises(IntegrityError):
        copy_insert(Namespace, namespaces("example-a"))
