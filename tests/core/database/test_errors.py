"""A database that is away, that takes too long, and a standby: 503 for what needs it, and nothing logged at length."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import InternalError, NotSupportedError, OperationalError, connection
from django.test import Client
from psycopg import errors
from pytest_django.asserts import assertContains

from registry.accounts.models import Scope, User
from registry.accounts.tokens import make_token
from registry.cases.models import Case, State
from registry.core.database.errors import is_outage, is_unavailable
from tests.contracts.test_url_table import SAMPLES, every_address
from tests.support.databases import in_sql

TEXT = "Names of lighthouses, by country."


@pytest.fixture
def client() -> Client:
    return Client(raise_request_exception=False)


@pytest.fixture
def unreachable_database(
    real_database: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[None]:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        yield


@pytest.fixture
def secret(demonstration_database: None) -> str:
    """That of a token that was made before the database refused writes."""
    owner = User.objects.get(email="registrant@example.org")
    return make_token(by=owner, name="reader", scopes=list(Scope))[1]


@pytest.fixture
def standby(demonstration_database: None, secret: str, client: Client) -> None:
    """A database that refuses all writes, and a client that signed in before it did."""
    client.force_login(User.objects.get(email="registrant@example.org"))
    in_sql(f'ALTER DATABASE "{connection.settings_dict["NAME"]}" SET default_transaction_read_only = on')
    connection.close()


@pytest.mark.usefixtures("unreachable_database")
def test_without_the_database_a_page_is_not_available(client: Client) -> None:
    response = client.get("/namespaces/")
    assertContains(response, "The registry is not available", status_code=503)
    assert response["Retry-After"] == "5"


@pytest.mark.usefixtures("unreachable_database")
def test_texts_of_a_form_are_shown_without_the_database(client: Client) -> None:
    client.cookies["sessionid"] = "s" * 32
    response = client.post("/cases/new/", {"purpose": TEXT}, headers={"Origin": "http://testserver"})
    assertContains(response, TEXT, status_code=503)


@pytest.mark.usefixtures("unreachable_database")
def test_without_the_database_the_api_answers_with_a_problem(client: Client) -> None:
    response = client.get("/api/v1/namespaces/")
    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert response.json()["type"].endswith("/problems/unavailable/")


@pytest.mark.exhaustive
@pytest.mark.usefixtures("standby")
def test_a_standby_answers_every_address_that_is_read(client: Client) -> None:
    statuses = {at: client.get(at).status_code for at in _addresses()}
    assert statuses.keys() >= {"/", "/namespaces/", "/namespaces/isbn/", "/api/v1/namespaces/", "/urns/"}
    assert {at: status for at, status in statuses.items() if status >= 500} == {}


@pytest.mark.exhaustive
@pytest.mark.usefixtures("standby")
def test_a_standby_answers_programs_with_a_token(client: Client, secret: str) -> None:
    headers = {"Authorization": f"Bearer {secret}"}
    for path in ("/api/v1/account/", "/api/v1/namespaces/isbn/"):
        assert client.get(path, headers=headers).status_code == 200
    assert (
        client.post("/api/v1/cases/", {"kind": "informal"}, "application/json", headers=headers).status_code
        == 503
    )


@pytest.mark.parametrize(
    ("error", "cause", "unavailable", "outage"),
    [
        (OperationalError, None, True, True),
        (OperationalError, errors.AdminShutdown(), True, True),
        (OperationalError, errors.QueryCanceled(), True, False),
        (OperationalError, errors.ProgramLimitExceeded(), False, False),
        (InternalError, errors.ReadOnlySqlTransaction(), True, False),
        (InternalError, errors.RaiseException(), False, False),
        (NotSupportedError, errors.FeatureNotSupported(), True, False),
        (ValueError, None, False, False),
    ],
)
def test_what_is_unavailable_and_what_is_an_outage(
    error: type[Exception], cause: Exception | None, unavailable: bool, outage: bool
) -> None:
    raised = error("cannot access temporary or unlogged relations during recovery")
    raised.__cause__ = cause
    assert (is_unavailable(raised), is_outage(raised)) == (unavailable, outage)


@pytest.mark.usefixtures("standby")
def test_a_standby_refuses_to_write_and_shows_what_was_typed(client: Client) -> None:
    submitted = Case.objects.filter(state=State.IN_REVIEW)[0].pk
    form = {"text": TEXT, "round_number": 1}
    response = client.post(f"/cases/{submitted}/comment/", form, headers={"Origin": "http://testserver"})
    assertContains(response, TEXT, status_code=503)


def _addresses() -> list[str]:
    samples = SAMPLES | {"nid": "isbn", "urn": "urn:isbn:0451450523"}
    named = [at for at in every_address() if at.path]
    return [at.with_values({name: samples[name] for name in at.parameters}) for at in named]
