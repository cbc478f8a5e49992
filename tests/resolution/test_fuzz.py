"""All services of the fixtures through `/resolve/`: no name changes the host, and nothing but the name gets through."""

import random
from urllib.parse import quote, urlsplit

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.resolution.request_target import path_of
from tests.resolution.conftest import a_namespace_with, confirm_all, fixture_profiles
from urnsyntax import URN, is_urn
from urnsyntax.profiles import Profile

pytestmark = pytest.mark.django_db

PIECES = (
    "/", "//", "..", "/../", "%2E%2E", "%2F", "%5C", "%0D%0A", "%00", "@evil.example", ":", ";", "%C3%A9", "%25", "'",
    "(", ")", "!", "*", "=", "&", "+", "~", "%23", "%3F", "a", "Z", "0", "%7F", ".", "-",
)  # fmt: skip
NAMES = 60  # for each service
MARKS = ("r-mark", "f-mark")


def hostile(example: str, chance: random.Random) -> str:
    """Return a name like the example, with pieces that a careless resolver would let through."""
    name = str(URN.parse(example).normalized())
    start = name.index(":", 4) + 1
    for _ in range(chance.randint(0, 4)):
        place = chance.randint(start, len(name))
        name = name[:place] + chance.choice(PIECES) + name[place + chance.randint(0, 1) :]
    return f"{name}?+{MARKS[0]}=1?=q=1#{MARKS[1]}"


@pytest.mark.parametrize("profile", fixture_profiles(), ids=lambda each: each.nid)
def test_no_name_changes_where_a_service_is(client: Client, administrator: User, profile: Profile) -> None:
    confirm_all(a_namespace_with(profile), by=administrator)
    hosts = {each.host for each in profile.services}
    chance, redirected = random.Random(profile.nid), 0
    for service in profile.services:
        for name in [*service.examples, *(hostile(service.examples[0], chance) for _ in range(NAMES))]:
            response = client.get(path_of(name) if is_urn(name) else f"/resolve/{quote(name)}")
            assert response.status_code in (303, 300, 400, 404, 422), name
            assert "Accept" in response["Vary"].split(", ")
            if response.status_code != 303:
                assert "Location" not in response
                continue
            redirected += 1
            address = urlsplit(response["Location"])
            assert (address.scheme, address.netloc in hosts, address.fragment) == ("https", True, ""), name
            assert response["Location"].isascii()
            assert response["Location"].isprintable()
            assert " " not in response["Location"]
            assert not any(mark in response["Location"] for mark in MARKS)
            assert ".." not in address.path.split("/")
    assert redirected >= len(profile.services)
