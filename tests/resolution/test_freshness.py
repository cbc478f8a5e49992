"""A request sees what another process committed before it: hosts, profiles and health."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import RoleName
from tests.resolution import changes
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service, confirm_all
from tests.support.factories import a_person
from tests.support.processes import ended, start

TREE = "/resolve/urn:example-trees:12:4711"
ADDRESS = "https://trees.example/12%3A4711"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("change", "status", "address"),
    [
        (changes.withdraw, 300, None),
        (changes.change_profile, 303, "https://trees.example/new/12%3A4711"),
        (changes.report_down, 409, None),
    ],
)
def test_the_next_request_sees_a_change(
    client: Client, real_database: None, change: Callable[[str], None], status: int, address: str | None
) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    confirm_all(a_namespace_with(a_profile_with(a_service())), by=administrator)
    for _ in range(2):
        assert client.get(TREE).headers["Location"] == ADDRESS
    assert ended(start(change, "example-trees")) == 0
    response = client.get(TREE)
    assert (response.status_code, response.headers.get("Location")) == (status, address)


@pytest.mark.django_db
def test_a_redirect_takes_one_query(client: Client, trees: object) -> None:
    assert client.get(TREE).status_code == 303
    with CaptureQueriesContext(connection) as captured:
        assert client.get(TREE).status_code == 303
    assert len(captured) == 1
