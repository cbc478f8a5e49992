"""Export of a person's data: the tables and columns that the apps declare, and of these the rows that the person may read now.

What is not declared is not exported. Apps declare it in their `personal_data` modules. Which rows a person may read, their models
decide (`registry.core.reading`): a row that names a person can contain what others wrote since.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import F, Model, Q, QuerySet

from registry.accounts.models import User
from registry.core.reading import readable_by

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
    that are `readable` in fewer rows than the table is.
    """
    about = about or (lambda person: Q((of, person)))
    rows = readable or partial(readable_by, model=model)
    EXPORTS.append(Export(model, tuple(columns.split()), about, rows, (*of.split(), *not_of.split())))


def data_about(account: User) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table, by the name of the table."""
    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for each in EXPORTS:
        rows = each.readable(account).filter(each.about(account))
        for row in rows.order_by("pk").values(*each.columns, key=F("pk")):
            found.setdefault(each.model._meta.label, {}).setdefault(row.pop("key"), {}).update(row)
    return {label: list(rows.values()) for label, rows in found.items()}
