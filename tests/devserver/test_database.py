"""Selection of the database, with and without DATABASE_URL."""

from pathlib import Path

import psycopg
import pytest

from registry.devserver import database
from registry.devserver.embedded_postgres import EmbeddedPostgreSQL

SECRET = "hunter2"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgres://db.example.org/urns", {"HOST": "db.example.org", "NAME": "urns"}),
        ("postgresql://db.example.org/urns", {"HOST": "db.example.org", "NAME": "urns"}),
        ("postgres://db.example.org:6543/urns", {"HOST": "db.example.org", "PORT": "6543", "NAME": "urns"}),
        ("postgres://me@localhost/urns", {"USER": "me", "HOST": "localhost", "NAME": "urns"}),
        ("postgres://me:pw@h/urns", {"USER": "me", "PASSWORD": "pw", "HOST": "h", "NAME": "urns"}),
        ("postgres://me:@localhost/urns", {"USER": "me", "HOST": "localhost", "NAME": "urns"}),
        (
            "postgres://m%40e:p%2F%3A%23w@h/u%20s",
            {"USER": "m@e", "PASSWORD": "p/:#w", "HOST": "h", "NAME": "u s"},
        ),
        ("postgres://m%C3%BC:%C3%B1@h/urns", {"USER": "mü", "PASSWORD": "ñ", "HOST": "h", "NAME": "urns"}),
        ("postgres://[::1]:5433/urns", {"HOST": "::1", "PORT": "5433", "NAME": "urns"}),
        ("postgres:///urns", {"NAME": "urns"}),
        ("postgres:///urns?host=/run/postgresql", {"HOST": "/run/postgresql", "NAME": "urns"}),
        ("postgres://%2Frun%2Fpostgresql/urns", {"HOST": "/run/postgresql", "NAME": "urns"}),
        (
            "postgres://a,b:5433/urns",
            {
                "HOST": "a,b",
                "PORT": ",5433",
                "NAME": "urns",
                "OPTIONS": {"target_session_attrs": "read-write"},
            },
        ),
        (
            "postgres://a,b/urns?target_session_attrs=any",
            {"HOST": "a,b", "PORT": ",", "NAME": "urns", "OPTIONS": {"target_session_attrs": "any"}},
        ),
        (
            "postgres://h/urns?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=3",
            {
                "HOST": "h",
                "NAME": "urns",
                "OPTIONS": {"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem", "connect_timeout": "3"},
            },
        ),
    ],
)
def test_a_url_becomes_what_django_wants_to_know(url: str, expected: dict[str, object]) -> None:
    nothing = {"NAME": "", "USER": "", "PASSWORD": "", "HOST": "", "PORT": "", "OPTIONS": {}}
    assert database.parse_url(url) == nothing | expected


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        (f"mysql://me:{SECRET}@h/urns", "starts with neither"),
        (f"POSTGRES://me:{SECRET}@h/urns", "starts with neither"),
        (f" postgres://me:{SECRET}@h/urns", "starts with neither"),
        (f"host=h password={SECRET} dbname=urns", "starts with neither"),
        (f"postgres:/me:{SECRET}@h/urns", "starts with neither"),
        ("postgres://", "names no database"),
        (f"postgres://me:{SECRET}@h", "names no database"),
        (f"postgres://me:{SECRET}@h/", "names no database"),
        (f"postgres://me:{SECRET}@h/urns\n", "line break"),
        (f"postgres://me:{SECRET}@h/ur ns", "space"),
        (f"postgres://mü:{SECRET}@h/urns", "non-ASCII"),
        (f"postgres://me:{SECRET}@h:５432/urns", "non-ASCII"),
        (f"postgres://me:{SECRET}%@h/urns", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}%zz@h/urns", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}%00@h/urns", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}%ff@h/urns", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}@[::1/urns", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}@h/urns?sslmod=require", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}@h/urns?sslmode", "PostgreSQL understands"),
        (f"postgres://me:{SECRET}@h:0/urns", "port"),
        (f"postgres://me:{SECRET}@h:65536/urns", "port"),
        (f"postgres://me:{SECRET}@h:5432x/urns", "port"),
    ],
)
def test_a_url_that_cannot_be_right_is_refused_without_telling_its_password(url: str, reason: str) -> None:
    with pytest.raises(database.MalformedDatabaseURL, match=reason) as refused:
        database.parse_url(url)
    assert SECRET not in str(refused.value)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None


def test_database_url_is_taken_before_the_embedded_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me@db.example.org/urns")
    chosen = database.configuration()
    assert (chosen["HOST"], chosen["NAME"], chosen["CONN_HEALTH_CHECKS"]) == ("db.example.org", "urns", True)
    assert chosen["CONN_MAX_AGE"] > 0


@pytest.mark.parametrize("url", [None, ""])
def test_without_database_url_the_embedded_server_is_named_and_not_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str | None
) -> None:
    embedded = EmbeddedPostgreSQL(tmp_path)
    monkeypatch.setattr(database, "EMBEDDED", embedded)
    monkeypatch.delenv("DATABASE_URL", raising=False)
    if url is not None:
        monkeypatch.setenv("DATABASE_URL", url)
    assert database.configuration()["HOST"] == str(embedded.socket_folder)
    assert list(tmp_path.iterdir()) == []


def test_with_database_url_no_server_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(database, "EMBEDDED", EmbeddedPostgreSQL(tmp_path))
    monkeypatch.setenv("DATABASE_URL", "postgres://me@db.example.org/urns")
    with database.running():
        assert list(tmp_path.iterdir()) == []


def test_a_refused_connection_is_explained_by_what_to_type(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(database, "EMBEDDED", EmbeddedPostgreSQL(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    refused = psycopg.OperationalError("connection failed: No such file or directory\nmore")
    explanation = database.explain(refused)
    assert explanation is not None
    assert "python3 run.py manage" in explanation
    assert "DATABASE_URL" in explanation
    assert "No such file or directory" in explanation


def test_a_named_servers_refusal_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://me@db.example.org/urns")
    assert database.explain(psycopg.OperationalError("no route")) is None
