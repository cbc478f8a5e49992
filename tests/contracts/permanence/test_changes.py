"""Permanence: the database rejects changes of immutable rows, from the ORM and from SQL."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, models, transaction
from django.db.models import ProtectedError

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.models import State
from registry.cases.workflow import functions
from registry.namespaces.models import Kind, Namespace, Origin
from tests.contracts.permanence.rows import CHANGE, IMMUTABLE, PERMANENT, rows_of
from tests.support.databases import in_sql
from tests.support.factories import a_draft, an_approved_case


def check_refused(model: type[models.Model], attempt: Callable[[], object]) -> None:
    before = rows_of(model)
    assert before, "there is nothing to change"
    with pytest.raises((IntegrityError, ProtectedError)), transaction.atomic():
        attempt()
    assert rows_of(model) == before


@pytest.mark.parametrize("model", IMMUTABLE, ids=lambda model: model.__name__)
@pytest.mark.parametrize("way", ["save", "save one field", "update", "bulk_update"])
def test_what_is_written_once_is_not_changed_by_the_orm(
    way: str, model: type[models.Model], registered: Namespace
) -> None:
    name, value = CHANGE[model]
    row = model._default_manager.order_by("pk")[0]
    setattr(row, name, value)
    ways: dict[str, Callable[[], object]] = {
        "save": row.save,
        "save one field": lambda: row.save(update_fields=[name]),
        "update": lambda: model._default_manager.update(**{name: value}),
        "bulk_update": lambda: model._default_manager.bulk_update([row], [name]),
    }
    check_refused(model, ways[way])


@pytest.mark.parametrize("model", IMMUTABLE + PERMANENT, ids=lambda model: model.__name__)
@pytest.mark.parametrize("way", ["delete", "delete all", "raw delete"])
def test_nothing_is_deleted_by_the_orm(way: str, model: type[models.Model], registered: Namespace) -> None:
    rows = model._default_manager.order_by("pk")
    ways: dict[str, Callable[[], object]] = {
        "delete": rows[0].delete,
        "delete all": rows.delete,
        "raw delete": lambda: rows._raw_delete(rows.db),  # type: ignore[attr-defined]
    }
    check_refused(model, ways[way])


@pytest.mark.parametrize("model", IMMUTABLE + PERMANENT, ids=lambda model: model.__name__)
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE", "DELETE FROM {} WHERE false"])
def test_nothing_is_removed_in_sql(statement: str, model: type[models.Model], registered: Namespace) -> None:
    check_refused(model, lambda: in_sql(statement.format(model._meta.db_table)))


@pytest.mark.parametrize("model", IMMUTABLE, ids=lambda model: model.__name__)
def test_what_is_written_once_is_not_changed_in_sql(model: type[models.Model], registered: Namespace) -> None:
    name, _ = CHANGE[model]
    check_refused(model, lambda: in_sql(f"UPDATE {model._meta.db_table} SET {name} = 'Another'"))


@pytest.mark.parametrize("model", IMMUTABLE, ids=lambda model: model.__name__)
def test_an_upsert_cannot_bypass_the_triggers(model: type[models.Model], registered: Namespace) -> None:
    table, key, (name, _) = model._meta.db_table, model._meta.pk.column, CHANGE[model]  # type: ignore[union-attr]
    upsert = f"INSERT INTO {table} SELECT * FROM {table} ON CONFLICT ({key}) DO UPDATE SET {name} = 'Another'"
    check_refused(model, lambda: in_sql(upsert))


# A namespace


@pytest.mark.parametrize(
    "change",
    [
        "nid = 'example-other'",
        "kind = 'informal'",
        "number = 7",
        "nid = 'urn-7', kind = 'informal', number = 7",
    ],
)
def test_a_namespace_keeps_its_nid_its_kind_and_its_number(change: str, registered: Namespace) -> None:
    before = rows_of(Namespace)
    with pytest.raises(DatabaseError, match="rows of namespaces_namespace keep their NID, kind and number"):
        in_sql(f"UPDATE namespaces_namespace SET {change}")
    assert rows_of(Namespace) == before


@pytest.mark.parametrize("fields", [{"nid": "example-other"}, {"kind": "informal"}, {"number": 7}])
def test_the_orm_does_not_rename_a_namespace(fields: dict[str, Any], registered: Namespace) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        Namespace.objects.filter(pk=registered.pk).update(**fields)
    for name, value in fields.items():
        setattr(registered, name, value)
    with pytest.raises(DatabaseError), transaction.atomic():
        registered.save()


def test_a_user_with_a_namespace_can_not_be_deleted(registered: Namespace) -> None:
    assert registered.registrant
    with pytest.raises(ProtectedError):
        registered.registrant.delete()


def test_a_number_is_not_given_again_when_the_counter_is_set_back(
    registrant: User, expert: User, administrator: User
) -> None:
    cases = [an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL) for _ in range(2)]
    functions.assign(cases[0], by=administrator)
    in_sql("ALTER TABLE namespaces_informalcounter DISABLE TRIGGER informal_counter_only_advances")
    in_sql("UPDATE namespaces_informalcounter SET last = 0")
    events = Event.objects.count()
    with pytest.raises(IntegrityError, match=r"one_namespace_per_nid|one_namespace_per_number"):
        functions.assign(cases[1], by=administrator)
    assert list(Namespace.objects.values_list("nid", flat=True)) == ["urn-1"]
    assert Event.objects.count() == events
    cases[1].refresh_from_db()
    assert cases[1].state == State.APPROVED


def test_an_imported_namespace_is_kept_like_any_other(db: None) -> None:
    Namespace.objects.create(nid="example-old", kind=Kind.FORMAL, origin=Origin.IANA)
    with pytest.raises(IntegrityError), transaction.atomic():
        Namespace.objects.all().delete()


def test_a_draft_is_kept_too(registrant: User) -> None:
    draft = a_draft(by=registrant)
    with pytest.raises(IntegrityError), transaction.atomic():
        draft.delete()


@pytest.mark.parametrize("change", [{"profile": None}, {"has_grammar": False}])
def test_the_profile_of_a_namespace_follows_from_its_versions_alone(
    registered: Namespace, change: dict[str, Any]
) -> None:
    before = rows_of(Namespace)
    assert before[0]["profile_id"]
    assert before[0]["has_grammar"]
    with pytest.raises(IntegrityError, match="follows from its versions"), transaction.atomic():
        Namespace.objects.update(**change)
    with pytest.raises(IntegrityError, match="follows from its versions"):
        in_sql("UPDATE namespaces_namespace SET profile_id = NULL, has_grammar = false")
    assert rows_of(Namespace) == before
