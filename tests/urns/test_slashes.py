"""The end of an address that holds a URN: every slash belongs to the URN, wherever the address is.

`tests/api/framework/test_raw_requests.py` sends the same ends to a server.
"""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import RoleName
from registry.namespaces.models import Namespace
from tests.contracts.test_url_table import SAMPLES, named_addresses
from tests.resolution.conftest import a_namespace_with, a_profile_with, a_service, confirm_all
from tests.support.factories import a_person

pytestmark = pytest.mark.django_db

# What is written at the end of an address, and the slashes of the URN.
ENDS = {"": "", "/": "/", "%2F": "/", "%2f": "/", "%2F/": "//", "//": "//"}
# Public addresses with a URN in their query. The last one takes it as it is.
QUERIES = ("/api/v1/urns/?urn=", "/urns/?urn=", "/uri-res/I2N?")
NAME = "urn:example-trees:12:4711"


def paths() -> list[str]:
    """The public addresses with a URN in their path, without the URN."""
    public = [at for at in named_addresses() if at.is_declared and "urn" in at.parameters]
    return [at.path.removesuffix(SAMPLES["urn"]) for at in public]


@pytest.fixture
def trees() -> Namespace:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    profile = a_profile_with(a_service(), pattern="[0-9]+:[0-9]+(/|%2[Ff])*")
    return confirm_all(a_namespace_with(profile), by=administrator)


def answered_urn(response: Any) -> str:
    """The URN that a response is about."""
    assert response.status_code == 200
    if response["Content-Type"] == "application/json":
        return str(response.json()["urn"])
    text = response.content.decode()
    if response["Content-Type"].startswith("text/uri-list"):
        return str(text.splitlines()[0].removeprefix("# "))
    found = re.search('name="urn"[^>]* value="([^"]*)"', text)
    assert found
    return unescape(found[1])


def test_the_addresses_are_known() -> None:
    assert paths() == ["/resolve/", "/api/v1/urns/"]


@pytest.mark.parametrize(("end", "slashes"), ENDS.items())
@pytest.mark.parametrize("address", [*paths(), *QUERIES])
def test_every_slash_belongs_to_the_urn(
    client: Client, trees: Namespace, address: str, end: str, slashes: str
) -> None:
    response = client.get(f"{address}{NAME}{end}", headers={"accept": "application/json"}, follow=True)
    assert answered_urn(response) == NAME + (end if address.startswith("/uri-res/") else slashes)


@pytest.mark.parametrize("end", ENDS)
def test_the_link_to_itself_is_of_the_same_urn(client: Client, trees: Namespace, end: str) -> None:
    body = client.get(f"/api/v1/urns/{NAME}{end}").json()
    assert client.get(body["links"]["self"]).json() == body
