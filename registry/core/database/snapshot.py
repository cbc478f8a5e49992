"""Reading from one state of the database, in one process or in several."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def database_snapshot(of: str = "") -> Iterator[None]:
    """Read from one state of the database inside the block, regardless of concurrent writes.

    An enclosing transaction provides its own state. `of` is the ID of a snapshot that another process still holds
    (see `export_database_snapshot`); it requires that there is no enclosing transaction.
    """
    if connection.in_atomic_block and not of:
        yield
        return
    with transaction.atomic(durable=True):
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            if of:
                cursor.execute("SET TRANSACTION SNAPSHOT %s", [of])
            # Optimize for the first rows, because results are streamed.
            cursor.execute("SET LOCAL cursor_tuple_fraction = 0.0001")
        yield


def export_database_snapshot() -> str:
    """Return the ID of the current snapshot, for other processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_export_snapshot()")
        (name,) = cursor.fetchone()
    return str(name)
