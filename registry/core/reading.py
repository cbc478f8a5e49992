"""Who may read a row: pages, API, export of a person's data and the tables at /admin/ all ask the queryset of its model.

The queryset of a model with private rows has the method `visible_to(person)`. All rows of other models are public, or are
read only with the rows to which they belong. Columns that fewer people may read have a method of their own.
"""

from typing import Any

from django.db.models import Model, QuerySet


def readable_by(person: Any, model: type[Model]) -> QuerySet[Any]:
    """The rows of a model that a person may read. Only models with public pages take one who is not signed in."""
    rows = model._default_manager.all()
    visible: QuerySet[Any] = rows.visible_to(person) if hasattr(rows, "visible_to") else rows
    return visible


def may_read(person: Any, row: Model) -> bool:
    return readable_by(person, type(row)).filter(pk=row.pk).exists()
