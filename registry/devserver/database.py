"""Which PostgreSQL serves: the one that DATABASE_URL names, else the embedded one of this checkout."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

from registry.devserver.embedded_postgres import PORT, ROLE, EmbeddedPostgreSQL, PostgreSQLUnavailable
from registry.environment import read

# A persistent connection costs nothing between requests; a new one for each costs a factor of ten.
CONNECTION = {
    "ENGINE": "django.db.backends.postgresql",
    "CONN_MAX_AGE": 600,
    "CONN_HEALTH_CHECKS": True,
}

# A server that is away is said to be soon, not when TCP gives up; DATABASE_URL may say otherwise.
CONNECT_OPTIONS = {"connect_timeout": "5"}

EMBEDDED = EmbeddedPostgreSQL(Path(__file__).resolve().parents[2])


class MalformedDatabaseURL(ImproperlyConfigured):
    """DATABASE_URL does not name a PostgreSQL database. The message never holds its password."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"DATABASE_URL {reason}. It reads postgres://user:password@host:port/name, with options as a "
            "query (?sslmode=require); percent-encode what is special in a part."
        )


def configuration() -> dict[str, Any]:
    """The entry of Django's DATABASES; starts nothing."""
    if url := _database_url():
        named = parse_url(url)
        return CONNECTION | named | {"OPTIONS": CONNECT_OPTIONS | named["OPTIONS"]}
    return CONNECTION | {
        "NAME": ROLE,
        "USER": ROLE,
        "HOST": str(EMBEDDED.socket_folder),
        "PORT": PORT,
    }


def parse_url(url: str) -> dict[str, Any]:
    """What Django wants to know of a URL that libpq understands; other parameters become OPTIONS."""
    if not url.startswith(("postgres://", "postgresql://")):
        raise MalformedDatabaseURL("starts with neither postgres:// nor postgresql://")
    if not re.fullmatch("[!-~]+", url):
        raise MalformedDatabaseURL("holds a space, a line break or a letter beyond ASCII")
    try:
        options: dict[str, Any] = conninfo_to_dict(url)
    except (psycopg.ProgrammingError, UnicodeError):
        # libpq's own words may quote the part that they complain of, and that may be the password.
        raise MalformedDatabaseURL("is not a URL that PostgreSQL understands") from None
    if not options.get("dbname"):
        raise MalformedDatabaseURL("names no database")
    for port in filter(None, str(options.get("port", "")).split(",")):
        if not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 65536:
            raise MalformedDatabaseURL("names a port that is not a number from 1 to 65535")
    return {
        "NAME": options.pop("dbname"),
        "USER": options.pop("user", ""),
        "PASSWORD": options.pop("password", ""),
        "HOST": options.pop("host", ""),
        "PORT": options.pop("port", ""),
        "OPTIONS": options,
    }


@contextmanager
def running() -> Iterator[None]:
    """A database to talk to while inside; the embedded server is started, or joined when it runs already."""
    if _database_url():
        yield
        return
    with EMBEDDED.running():
        yield


def explain(error: Exception) -> str | None:
    """What to do about a refused connection, when it is that the embedded server is not running."""
    if _database_url() or EMBEDDED.is_answering():
        return None
    return (
        f"The database is not running: {str(error).splitlines()[0]}\n"
        "Type `python3 run.py manage …`, which starts it for the command (`python3 run.py` does while the "
        "registry runs), or name a PostgreSQL server in DATABASE_URL."
    )


def _database_url() -> str:
    url: str = read("DATABASE_URL")
    return url


__all__ = [
    "MalformedDatabaseURL",
    "PostgreSQLUnavailable",
    "configuration",
    "explain",
    "parse_url",
    "running",
]
