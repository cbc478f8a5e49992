"""Queries that the ORM compiles once in a process: those of many parts that run with each write."""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.db.models import QuerySet

PLACEHOLDER = 2**31 - 3  # fits each integer column, and is no number in a query
Prepared = Callable[[int], tuple[str, list[Any]]]


def prepared(build: Callable[[int], QuerySet[Any, Any]]) -> Prepared:
    """Decorate a function that builds a queryset for a key, to return its SQL and parameters for `Manager.raw`.

    It is called once, with a placeholder, so it must use nothing else that changes, such as settings or the time.
    """

    @cache
    def compiled() -> tuple[str, tuple[Any, ...]]:
        sql, parameters = build(PLACEHOLDER).query.sql_with_params()
        return sql, parameters

    @wraps(build)
    def for_key(key: int) -> tuple[str, list[Any]]:
        sql, parameters = compiled()
        return sql, [key if each == PLACEHOLDER else each for each in parameters]

    return for_key
