"""Web processes through PgBouncer: everything works, and nothing of theirs stays in connections of the server."""

import http.client
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.core import deployment_checks
from registry.core.database.connections import use_pooler
from registry.core.database.prepared_reader import PreparedReader, Statement
from registry.devserver import database
from tests.support.databases import environment_of_a_process
from tests.support.poolers import pooling
from tests.support.servers import a_free_port, serving

CLIENTS = 8
ROUNDS = 2
READ = {
    "/": "text/html",
    "/api/v1/namespaces/isbn/": "application/json",  # by the fast lookup
    "/api/v1/namespaces/": "application/json",
    "/resolve/urn:isbn:9780306406157": "",
    "/namespaces/isbn/": "text/html",
    "/registry/urn-namespaces.xml": "",  # with a cursor of the server, if there is no pooler
    "/audit-log/": "text/html",
}
# What a web process could leave behind in a connection of the server, and in the database.
LEFT = """
    SELECT current_setting('statement_timeout'), current_setting('lock_timeout'), current_setting('role'),
        (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE name <> ''),
        (
            SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
            WHERE locktype = 'advisory' AND datname = current_database()
        )
"""
ANSWER = Statement(b"answer", b"SELECT 'found' WHERE $1 = 'x'")


class Pooled:
    """A registry behind a pooler."""

    def __init__(self, port: int, pooler: str, secret: str) -> None:
        self.port, self.pooler, self.secret = port, pooler, secret

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = (
            {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"} if body else {}
        )
        client.request(method, path, json.dumps(body) if body else None, headers)
        response = client.getresponse()
        try:
            return response.status, response.read()
        finally:
            client.close()


@pytest.fixture(params=[("transaction", 3), ("session", 14)], ids=lambda mode: mode[0])
def pooled(request: pytest.FixtureRequest, demonstration_database: None, tmp_path: Path) -> Iterator[Pooled]:
    """In session mode, the pool needs a connection for each of those of the web worker, and one for the test."""
    _, secret = make_token(
        by=User.objects.get(email="registrant@example.org"), name="clients", scopes=list(Scope)
    )
    port = a_free_port()
    limits = {"API_READS_A_MINUTE": "100000", "API_WRITES_A_MINUTE": "100000", "DRAFTS_AN_HOUR": "100000"}
    limits |= {"LOCK_TIMEOUT": "7", "STATEMENT_TIMEOUT": "70"}
    with (
        pooling(tmp_path, *request.param) as pooler,
        serving(port, threads=None, DATABASE_POOLER_URL=pooler, PGOPTIONS="", **limits),
    ):
        yield Pooled(port, pooler, secret)


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_many_clients_share_few_connections_and_leave_nothing_in_them(pooled: Pooled) -> None:
    connection.close()

    def work(number: int) -> Counter[tuple[str, int]]:
        done = Counter[tuple[str, int]]()
        for _turn in range(ROUNDS):
            for path in READ:
                done[path, pooled.ask("GET", path)[0]] += 1
            status, body = pooled.ask("GET", "/api/v1/nids/isbn/")
            done["NID", status] += json.loads(body)["nid"] == "isbn"
            done["draft", pooled.ask("POST", "/api/v1/cases/", {"kind": "informal"})[0]] += 1
        return done

    with ThreadPoolExecutor(CLIENTS) as pool:
        done = sum(pool.map(work, range(CLIENTS)), Counter[tuple[str, int]]())
    expected = dict.fromkeys(READ, 200) | {"/resolve/urn:isbn:9780306406157": 303, "NID": 200, "draft": 201}
    assert done == dict.fromkeys(expected.items(), CLIENTS * ROUNDS)
    with psycopg.connect(pooled.pooler, options="", autocommit=True, prepare_threshold=None) as stranger:
        for _ in range(6):
            assert stranger.execute(LEFT).fetchone() == ("0", "0", "none", 0, 0, 0)


# One piece at a time


@contextmanager
def behind_a_pooler(directory: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[None]:
    """Let this process do as a web process does."""
    monkeypatch.setenv("PGOPTIONS", "")
    with pooling(directory, "transaction", 2) as pooler:
        monkeypatch.setenv("DATABASE_POOLER_URL", pooler)
        settings.DATABASE_POOLER = database.pooler()
        yield
        connections.close_all()


@pytest.fixture
def through_pooler(
    real_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> Iterator[None]:
    with behind_a_pooler(tmp_path, monkeypatch, settings):
        yield


@pytest.mark.processes
def test_lookups_are_not_prepared(through_pooler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(connection, "settings_dict", connection.settings_dict | settings.DATABASE_POOLER)
        readers = [PreparedReader(ANSWER) for _ in range(4)]
        for reader in readers * 3:
            found = reader.read(ANSWER, [b"x"])
            assert found is not None
            assert found.get_value(0, 0) == b"found"
            assert reader.read(ANSWER, [b"y"]) is None
        for reader in readers:
            reader.close()


@pytest.mark.processes
def test_doctor_reports_a_role_without_limits(
    real_database: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    with behind_a_pooler(tmp_path, monkeypatch, settings):
        assert [each.id for each in deployment_checks.check_pooler()] == ["deployment.W006"]
    name = connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER DATABASE \"{name}\" SET lock_timeout = '5s'")
        cursor.execute(f"ALTER DATABASE \"{name}\" SET statement_timeout = '20s'")
    # A pooler that was running would keep connections of before.
    with behind_a_pooler(tmp_path, monkeypatch, settings):
        assert deployment_checks.check_pooler() == []


def test_without_a_pooler_there_is_nothing_to_check() -> None:
    assert deployment_checks.check_pooler() == []


@pytest.mark.django_db
def test_connections_to_a_pooler_are_not_counted(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setenv("GRANIAN_WORKERS", "100000")
    assert [each.id for each in deployment_checks.check_connections()] == ["deployment.W002"]
    settings.DATABASE_POOLER = {"PORT": "6432"}
    assert deployment_checks.check_connections() == []
    with connection.cursor() as cursor:  # rolled back
        cursor.execute(f'ALTER DATABASE "{connection.settings_dict["NAME"]}" CONNECTION LIMIT 19')
    (finding,) = deployment_checks.check_connections()
    assert finding.msg == (
        "The database allows 19 connections, but a worker and two commands, which do not use the pooler, need 25."
    )
    assert "for the pool of the pooler" in finding.hint
    assert "GRANIAN_WORKERS" not in finding.hint


def test_the_url_replaces_that_of_the_database_in_web_processes_alone(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setenv("DATABASE_POOLER_URL", "postgres://web@127.0.0.1:6432/urns?sslmode=require")
    settings.DATABASE_POOLER = database.pooler()
    handler = type(connections)({"default": {"ENGINE": "x", "OPTIONS": {"options": "-c role=owner"}}})
    monkeypatch.setattr("registry.core.database.connections.connections", handler)
    assert handler.settings["default"].get("USER") == ""
    use_pooler()
    named = handler.settings["default"]
    assert (named["USER"], named["HOST"], named["PORT"], named["NAME"]) == (
        "web",
        "127.0.0.1",
        "6432",
        "urns",
    )
    assert named["OPTIONS"] == database.CONNECT_OPTIONS | {"sslmode": "require"}
    assert named["DISABLE_SERVER_SIDE_CURSORS"]


SETTINGS_OF_A_WEB_PROCESS = """
import json
import registry.wsgi
from django.db import connections
print(json.dumps({alias: each["OPTIONS"] for alias, each in connections.settings.items()}))
"""


@pytest.mark.exhaustive
def test_the_limits_apply_to_the_replica_which_has_no_pooler() -> None:
    urls = {
        "DATABASE_URL": "postgres://db.example.org/urns",
        "DATABASE_POOLER_URL": "postgres://pooler.example.org/urns",
        "DATABASE_REPLICA_URL": "postgres://replica.example.org/urns",
    }
    limits = {"LOCK_TIMEOUT": "3", "STATEMENT_TIMEOUT": "9", "PGOPTIONS": ""}
    options = json.loads(
        subprocess.run(
            [sys.executable, "-c", SETTINGS_OF_A_WEB_PROCESS],
            cwd=settings.BASE_DIR,
            env=environment_of_a_process() | urls | limits,
            capture_output=True,
            check=True,
            timeout=240,
        ).stdout
    )
    assert "options" not in options["default"]
    assert options["replica"]["options"] == "-c lock_timeout=3s -c statement_timeout=9s"


def test_a_malformed_url_is_refused_with_the_name_of_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_POOLER_URL", "pgbouncer.example.org")
    with pytest.raises(ImproperlyConfigured, match=r"^DATABASE_POOLER_URL starts with neither"):
        database.pooler()
