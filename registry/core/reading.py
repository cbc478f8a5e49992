"""Who may read a row: pages, API, export of a person's data and the tables at /admin/ all ask the queryset of its model.

The queryset of such a model has the method `visible_to(person)`. Without it, a model says nothing about its readers: its rows can
be public, or private and read by a query of their own, such as the tokens of a person. Columns that fewer people may read have a
method of their own.
"""

from typing import Any, Protocol, cast

from django.db.models import Model, QuerySet


class _HasReaders(Protocol):
    def visible_to(self, person: Any) -> QuerySet[Any]: ...


def declares_readers(model: type[Model]) -> bool:
    return hasattr(model._default_manager.all(), "visible_to")


def readable_by(person: Any, model: type[Model]) -> QuerySet[Any]:
    """The rows of a model that a person may read. Only models with public pages take one who is not signed in.

    Raises TypeError if the model does not declare its readers.
    """
    if not declares_readers(model):
        raise TypeError(
            f"{model._meta.label} does not declare who may read a row: its queryset has no `visible_to`."
        )
    return cast("_HasReaders", model._default_manager.all()).visible_to(person)


def may_read(person: Any, row: Model) -> bool:
    return readable_by(person, type(row)).filter(pk=row.pk).exists()
