"""Errors of a database that can't answer a request now, and may answer it later."""

from django.db import InterfaceError, InternalError, OperationalError
from psycopg.errors import ReadOnlySqlTransaction


def is_unavailable(error: BaseException | None) -> bool:
    """Whether the database is away, did not respond in time, or is a standby that can't write."""
    return isinstance(error, (OperationalError, InterfaceError)) or is_read_only(error)


def is_read_only(error: BaseException | None) -> bool:
    """Whether the error is that of a write to a standby, or in a transaction that is read-only."""
    return isinstance(error, InternalError) and isinstance(error.__cause__, ReadOnlySqlTransaction)
