"""Errors of a database that can't answer a request now, and may answer it later."""

from django.db import InterfaceError, InternalError, NotSupportedError, OperationalError
from psycopg import Error
from psycopg.errors import FeatureNotSupported, ProgramLimitExceeded, ReadOnlySqlTransaction

# Classes of SQLSTATE: connection exceptions, and those of a server that ends or starts.
_OUTAGES = ("08", "57P")


def is_unavailable(error: BaseException | None) -> bool:
    """Whether the database is away, did not respond in time, or is a standby that can't write."""
    if isinstance(error, OperationalError):
        return not isinstance(error.__cause__, ProgramLimitExceeded)
    return isinstance(error, InterfaceError) or is_read_only(error)


def is_outage(error: BaseException | None) -> bool:
    """Whether the database is away: no statement of any request would succeed."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return False
    state = error.__cause__.sqlstate if isinstance(error.__cause__, Error) else None
    return state is None or state.startswith(_OUTAGES)


def is_read_only(error: BaseException | None) -> bool:
    """Whether the error is that of a write to a standby, or in a transaction that is read-only.

    A standby refuses to read unlogged tables, too, such as that of Django's cache.
    """
    if isinstance(error, NotSupportedError):
        return isinstance(error.__cause__, FeatureNotSupported) and "recovery" in str(error)
    return isinstance(error, InternalError) and isinstance(error.__cause__, ReadOnlySqlTransaction)


def first_line(error: BaseException) -> str:
    """The message of an error of the database, without its details."""
    return str(error).strip().partition("\n")[0]
