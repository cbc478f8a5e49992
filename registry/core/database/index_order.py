"""Reading in the order of an index, whatever PostgreSQL expects of a table."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def without_sorting() -> Iterator[None]:
    """Let PostgreSQL read in the order of an index what a query inside asks for in that order.

    A plan depends on statistics. After many rows were taken back, or before they are counted, PostgreSQL expects a few, and would
    rather read and sort all of them for each of many ranges.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_sort = off")
        yield
        cursor.execute("SET LOCAL enable_sort TO DEFAULT")
