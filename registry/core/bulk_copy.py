"""Many rows at once, by COPY: what `bulk_create` and `bulk_update` do, at ten times their pace."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from django.db import connection
from django.db.models import (
    BooleanField,
    CharField,
    DateTimeField,
    Field,
    ForeignKey,
    IntegerField,
    Model,
    TextField,
)
from django.db.models.expressions import DatabaseDefault

T = TypeVar("T")


def batches(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists of `size`."""
    waiting = iter(values)
    while batch := list(islice(waiting, size)):
        yield batch


@contextmanager
def copy_from_stdin(cursor: Any, statement: str) -> Iterator[Any]:
    """A COPY whose refusals are Django's, as those of other statements are."""
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        yield copy


def spare_subtransactions() -> None:
    """Let each trigger that asks whether it is switched off get an answer, which is no, until the transaction ends.

    A trigger of pgtrigger's asks for every row, and where nothing was said it catches an exception. With it goes
    a subtransaction, and PostgreSQL looks through all rows of the transaction whose foreign keys are still to be
    asked for: many rows would cost their square.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('pgtrigger.ignore', '{}', true)")


def copy_insert(model: type[Model], rows: Iterable[Model]) -> None:
    """Insert rows as they come, in one COPY, all constraints and triggers in place.

    Meanwhile the connection answers nothing else: whatever makes the rows asks no database. Their primary
    keys are the database's to give, unless they have some, and are not read back.
    """
    iterator = iter(rows)
    first = next(iterator, None)
    if first is None:
        return
    columns = [field for field in model._meta.concrete_fields if _is_given(first, field)]
    spare_subtransactions()
    with (
        connection.cursor() as cursor,
        copy_from_stdin(cursor, _statement(model._meta.db_table, columns)) as copy,
    ):
        prepare = _preparer(columns)
        copy.write_row(prepare(first))
        for row in iterator:
            copy.write_row(prepare(row))


def copy_update(model: type[Model], rows: Sequence[Model], fields: Sequence[str]) -> None:
    """Write `fields` of rows that are there already: COPY to the side, then one UPDATE."""
    if not rows:
        return
    spare_subtransactions()
    names = connection.ops.quote_name
    key = model._meta.pk
    changed = [_field(model, name) for name in fields]
    table, aside = names(model._meta.db_table), "copied_aside"
    selected = ", ".join(names(str(field.column)) for field in (key, *changed))
    assigned = ", ".join(
        f"{names(str(field.column))} = {aside}.{names(str(field.column))}" for field in changed
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TEMPORARY TABLE {aside} ON COMMIT DROP AS SELECT {selected} FROM {table} WITH NO DATA"  # noqa: S608
        )
        with copy_from_stdin(cursor, _statement(aside, [key, *changed])) as copy:
            prepare = _preparer([key, *changed])
            for row in rows:
                copy.write_row(prepare(row))
        where = f"{table}.{names(str(key.column))} = {aside}.{names(str(key.column))}"
        cursor.execute(f"UPDATE {table} SET {assigned} FROM {aside} WHERE {where}")  # noqa: S608
        cursor.execute(f"DROP TABLE {aside}")


def _field(model: type[Model], name: str) -> "Field[Any, Any]":
    field = model._meta.get_field(name)
    if not isinstance(field, Field):
        raise TypeError(f"{model.__name__}.{name} is no column.")
    return field


def _is_given(row: Model, field: "Field[Any, Any]") -> bool:
    """Whether the row, and not the database, says what stands in this column."""
    value = getattr(row, field.attname)
    if field.primary_key and value is None:
        return False
    return not field.generated and not isinstance(value, DatabaseDefault)


def _statement(table: str, columns: Sequence["Field[Any, Any]"]) -> str:
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in columns)
    return f"COPY {connection.ops.quote_name(table)} ({names}) FROM STDIN"


# Fields whose values the driver takes as they are.
PLAIN = (CharField, TextField, IntegerField, BooleanField, DateTimeField, ForeignKey)


def _preparer(columns: Sequence["Field[Any, Any]"]) -> Callable[[Model], list[Any]]:
    """Makes the values of a row ready for the columns."""
    steps = [(each.attname, None if isinstance(each, PLAIN) else each.get_db_prep_save) for each in columns]

    def prepare(row: Model) -> list[Any]:
        return [step(getattr(row, name), connection) if step else getattr(row, name) for name, step in steps]

    return prepare
