"""Export of a person's data: the tables and columns that the apps declare, and of these the rows that the person may read now.

What is not declared is not exported. Apps declare it in their `personal_data` modules. Which rows a person may read, their models
decide (`registry.core.reading`), or the declaration: a row that names a person can contain what others wrote since.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import F, Model, Q, QuerySet

from registry.accounts.models import User
from registry.core.reading import declares_readers, readable_by

Condition = Callable[[User], Q]
Rows = Callable[[User], QuerySet[Any]]


@dataclass(frozen=True)
class Export:
    """Columns of a table that are data about a person: in the rows of `about`, and of these the `readable` ones.

    `references` are all columns that name an account, also those of people whose data it is not.
    """

    model: type[Model]
    columns: tuple[str, ...]
    about: Condition
    readable: Rows
    references: tuple[str, ...]


EXPORTS: list[Export] = []
# Why the rows of a table with references to accounts are not exported.
NOT_EXPORTED: dict[type[Model], str] = {}


def exports(
    model: type[Model],
    columns: str,
    *,
    of: str = "",
    not_of: str = "",
    about: Condition | None = None,
    readable: Rows | None = None,
) -> None:
    """Declare columns of a table as data about the people whom the column `of` names, or of the rows of `about`.

    `columns` and `not_of`, which names others, are separated by spaces. A table can be declared several times, with columns
    that are `readable` in fewer rows than the table is. By default, these are the rows that the model declares as readable. Of a
    model that declares nothing, they are all rows about the person, whether or not a page shows them to the person: their columns
    must be safe in the hands of a person who lost a role.
    """
    about = about or (lambda person: Q((of, person)))
    rows = readable or partial(_rows_for, model=model)
    EXPORTS.append(Export(model, tuple(columns.split()), about, rows, (*of.split(), *not_of.split())))


def _rows_for(person: User, model: type[Model]) -> QuerySet[Any]:
    return readable_by(person, model) if declares_readers(model) else model._default_manager.all()


def data_about(account: User) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table, by the name of the table."""
    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for each in EXPORTS:
        rows = each.readable(account).filter(each.about(account))
        for row in rows.order_by("pk").values(*each.columns, row_key=F("pk")):
            found.setdefault(each.model._meta.label, {}).setdefault(row.pop("row_key"), {}).update(row)
    return {label: list(rows.values()) for label, rows in found.items()}
