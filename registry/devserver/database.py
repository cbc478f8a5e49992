"""Selection of the PostgreSQL server: DATABASE_URL, or else the embedded server of this checkout."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

from registry.devserver.embedded_postgres import PORT, ROLE, EmbeddedPostgreSQL, PostgreSQLUnavailable
from registry.environment import read

# Persistent connections: a new connection for each request would make requests ten times slower.
CONNECTION: dict[str, Any] = {
    "ENGINE": "django.db.backends.postgresql",
    "CONN_MAX_AGE": 600,
    "CONN_HEALTH_CHECKS": True,
}

# Report an unreachable server soon, not after the timeouts of TCP, which are a quarter of an hour for a statement that was
# sent to a host that is gone. In seconds, the last one in milliseconds. DATABASE_URL can override them.
CONNECT_OPTIONS = {
    "connect_timeout": "5",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "5000",
}

# The replica is given up sooner: the primary answers instead of it.
REPLICA_OPTIONS = CONNECT_OPTIONS | {"connect_timeout": "2"}

EMBEDDED = EmbeddedPostgreSQL(Path(__file__).resolve().parents[2])


class MalformedDatabaseURL(ImproperlyConfigured):
    """A variable is not the URL of a PostgreSQL database. The message never contains the password."""

    def __init__(self, reason: str, variable: str = "DATABASE_URL") -> None:
        super().__init__(
            f"{variable} {reason}. The form is postgres://user:password@host:port/name, with options as a "
            "query (?sslmode=require). Percent-encode special characters."
        )


def configurations() -> dict[str, dict[str, Any]]:
    """Return Django's DATABASES, without starting a server. Tests that do not use the replica do not create it."""
    if not (url := read("DATABASE_REPLICA_URL")):
        return {"default": configuration()}
    named = parse_url(url, "DATABASE_REPLICA_URL", session="any")
    options = REPLICA_OPTIONS | named["OPTIONS"]
    return {
        "default": configuration(),
        "replica": CONNECTION | named | {"OPTIONS": options, "TEST": {"MIRROR": "default"}},
    }


def configuration() -> dict[str, Any]:
    """Return the entry for the primary."""
    if url := _database_url():
        named = parse_url(url)
        return CONNECTION | named | {"OPTIONS": CONNECT_OPTIONS | named["OPTIONS"]}
    return CONNECTION | {
        "NAME": ROLE,
        "USER": ROLE,
        "HOST": str(EMBEDDED.socket_folder),
        "PORT": PORT,
    }


def pooler() -> dict[str, Any]:
    """Return what differs in the entry for DATABASES in web processes; nothing without DATABASE_POOLER_URL."""
    url: str = read("DATABASE_POOLER_URL")
    if not url:
        return {}
    named = parse_url(url, "DATABASE_POOLER_URL")
    return named | {"OPTIONS": CONNECT_OPTIONS | named["OPTIONS"], "DISABLE_SERVER_SIDE_CURSORS": True}


def parse_url(url: str, variable: str = "DATABASE_URL", session: str = "read-write") -> dict[str, Any]:
    """Convert a libpq URL to Django's settings; parameters that Django does not know become OPTIONS.

    Of several hosts, the first one that allows such a session is used.
    """
    malformed = partial(MalformedDatabaseURL, variable=variable)
    if not url.startswith(("postgres://", "postgresql://")):
        raise malformed("starts with neither postgres:// nor postgresql://")
    if not re.fullmatch("[!-~]+", url):
        raise malformed("contains a space, a line break or a non-ASCII character")
    try:
        options: dict[str, Any] = conninfo_to_dict(url)
    except (psycopg.ProgrammingError, UnicodeError):
        # The message of libpq may quote a part of the URL, which may be the password.
        raise malformed("is not a URL that PostgreSQL understands") from None
    if not options.get("dbname"):
        raise malformed("names no database")
    for port in filter(None, str(options.get("port", "")).split(",")):
        if not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 65536:
            raise malformed("names a port that is not a number from 1 to 65535")
    if "," in str(options.get("host", "")):
        options.setdefault("target_session_attrs", session)
    return {
        "NAME": options.pop("dbname"),
        "USER": options.pop("user", ""),
        "PASSWORD": options.pop("password", ""),
        "HOST": options.pop("host", ""),
        "PORT": options.pop("port", ""),
        "OPTIONS": options,
    }


@contextmanager
def running(**settings: str) -> Iterator[None]:
    """Provide a database inside the block; the embedded server is started if it is not running, with `settings`."""
    if _database_url():
        yield
        return
    with EMBEDDED.running(**settings):
        yield


def explain(error: Exception) -> str | None:
    """Return advice for a refused connection if the embedded server is not running, otherwise None."""
    if _database_url() or EMBEDDED.is_answering():
        return None
    return (
        f"The database is not running: {str(error).splitlines()[0]}\n"
        "To start it for one command, use `python3 run.py manage …`. To start the whole registry, use "
        "`python3 run.py`. To use another PostgreSQL server, set DATABASE_URL."
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
    "pooler",
    "running",
]
