"""Limits of the statements of web processes: a request that waits for a lock is refused, and changes nothing."""

import http.client
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import connection, transaction

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.cases.models import Case
from registry.core.database.connections import with_options
from registry.core.http.capacity import MAX_REQUESTS
from tests.support import static_files
from tests.support.databases import in_sql
from tests.support.servers import a_free_port, serving
from tests.support.waiting import wait_until

WRITERS = 12


@pytest.fixture
def style_sheet() -> str:
    """The path of a static file, collected as in a deployment."""
    static_files.collect()
    manifest = json.loads((static_files.FOLDER / "staticfiles.json").read_text("utf-8"))
    return f"/static/{manifest['paths']['site.css']}"


@pytest.fixture
def port(demonstration_database: None, style_sheet: str) -> Iterator[int]:
    port = a_free_port()
    with serving(port, threads=None, LOCK_TIMEOUT="5"):
        yield port


@pytest.fixture
def secret(demonstration_database: None) -> str:
    _, secret = make_token(
        by=User.objects.get(email="registrant@example.org"), name="writers", scopes=list(Scope)
    )
    return secret


def ask(port: int, method: str, path: str, secret: str = "") -> int:
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Host": "localhost:8000"}  # of PUBLIC_ORIGIN
    if secret:
        headers |= {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    client.request(method, path, json.dumps({"kind": "informal"}) if secret else None, headers)
    try:
        return client.getresponse().status
    finally:
        client.close()


def waiting_for_locks() -> int:
    with connection._nodb_cursor() as cursor:  # a transaction would see the same figures again
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event_type = 'Lock'", [
            connection.settings_dict["NAME"]
        ])  # fmt: skip
        return int(cursor.fetchone()[0])


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_writers_that_wait_for_a_lock_are_refused_and_change_nothing(
    port: int, secret: str, style_sheet: str
) -> None:
    before = Case.objects.count()
    assert ask(port, "GET", "/api/v1/namespaces/isbn/") == 200  # stores the response of the fast lookup
    with ThreadPoolExecutor(WRITERS) as pool:
        with transaction.atomic():
            in_sql(f"LOCK TABLE {Case._meta.db_table} IN EXCLUSIVE MODE")
            writers = [pool.submit(ask, port, "POST", "/api/v1/cases/", secret) for _ in range(WRITERS)]
            wait_until(lambda: waiting_for_locks() == MAX_REQUESTS)
            assert ask(port, "GET", style_sheet) == 200
            assert ask(port, "GET", "/api/v1/namespaces/isbn/") == 200
            assert waiting_for_locks() == MAX_REQUESTS
            assert {writer.result(240) for writer in writers} == {503}
        assert Case.objects.count() == before
        assert ask(port, "POST", "/api/v1/cases/", secret) == 201


@pytest.mark.django_db
def test_options_are_added_to_those_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c work_mem=7MB")
    parameters = connection.get_connection_params()
    parameters.pop("options", None)
    with psycopg.connect(**with_options(parameters, lock_timeout="7s"), autocommit=True) as link:
        assert link.execute("SHOW lock_timeout").fetchone() == ("7s",)
        assert link.execute("SHOW work_mem").fetchone() == ("7MB",)


def test_options_of_the_address_of_the_database_come_first() -> None:
    assert with_options({"options": "-c role=reader"}, lock_timeout="7s") == {
        "options": "-c role=reader -c lock_timeout=7s"
    }
