"""Export of a person's data: the tables and columns that the apps declare, and of these the rows that the person may read now.

What is not declared is not exported. Apps declare it in their `personal_data` modules, with the predicates by which their pages
decide what a person reads: a row that names a person can contain what others wrote since.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import F, Model, Q

from registry.accounts.models import User

Condition = Callable[[User], Q]


def always(person: User) -> Q:
    """The person may read every row that is theirs: they wrote all that is in it, or it is public."""
    return Q()


@dataclass(frozen=True)
class Export:
    """Columns of a table that are data about a person: in the rows of `about`, and of these the `readable` ones.

    `references` are all columns that name an account, also those of people whose data it is not.
    """

    model: type[Model]
    columns: tuple[str, ...]
    about: Condition
    readable: Condition
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
    readable: Condition = always,
) -> None:
    """Declare columns of a table as data about the people whom the column `of` names, or of the rows of `about`.

    `columns` and `not_of`, which names others, are separated by spaces. A table can be declared several times, with columns
    that are readable on other conditions.
    """
    about = about or (lambda person: Q((of, person)))
    EXPORTS.append(Export(model, tuple(columns.split()), about, readable, (*of.split(), *not_of.split())))


def data_about(account: User) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each table, by the name of the table."""
    found: dict[str, dict[Any, dict[str, Any]]] = {}
    for each in EXPORTS:
        rows = each.model._base_manager.filter(each.about(account)).filter(each.readable(account))
        for row in rows.order_by("pk").values(*each.columns, key=F("pk")):
            found.setdefault(each.model._meta.label, {}).setdefault(row.pop("key"), {}).update(row)
    return {label: list(rows.values()) for label, rows in found.items()}
