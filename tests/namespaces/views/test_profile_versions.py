"""The versions of a profile: the list, each version, and the differences between two."""

import html
from typing import Any

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin
from tests.support.browser import signed_in
from tests.support.factories import a_profile
from urnsyntax.profiles import Profile

pytestmark = pytest.mark.django_db
PAGE = "/namespaces/plants/profile/"
COMPARE = f"{PAGE}compare/"


@pytest.fixture(autouse=True)
def plants() -> Namespace:
    """A namespace whose profile was set twice."""
    namespace = Namespace.objects.create(nid="plants", kind=Kind.FORMAL, origin=Origin.IANA)
    add_version(a_profile("plants", title="Trees"), replaces=0)
    add_version(a_profile("plants", title="Trees & <b>shrubs</b>"), replaces=1)
    return namespace


def add_version(profile: Profile | None, replaces: int, by: User | None = None) -> None:
    namespace = Namespace.objects.get(nid="plants")
    set_profile(namespace, by=by, profile=profile, basis=f"Basis {replaces + 1}.", replaces=replaces)


def test_all_versions_are_listed_with_who_set_them_and_why(client: Client, administrator: User) -> None:
    add_version(a_profile("plants", title="Plants"), replaces=2, by=administrator)
    page = html.unescape(client.get(PAGE).text)
    for version in (1, 2, 3):
        assert f'href="{PAGE}versions/{version}/"' in page
        assert f"Basis {version}." in page
    assert f'href="{COMPARE}?from=2&to=3"' in page
    assert f'href="{COMPARE}"' in page
    assert "the registry, " in page
    assert f"{administrator}, " in page
    assert 'Profile: <span class="nid">plants</span>, version 3</h1>' in page


def test_an_older_version_stays_readable_and_points_to_the_current_one(client: Client) -> None:
    response = client.get(f"{PAGE}versions/1/")
    assertContains(response, '<h2 id="current">Trees</h2>')
    assertContains(response, "This is not the current version.")
    assertNotContains(response, "shrubs")
    assertNotContains(client.get(f"{PAGE}versions/2/"), "This is not the current version.")


def test_a_version_that_removes_the_profile_says_so(client: Client, administrator: User) -> None:
    add_version(None, replaces=2)
    assertContains(client.get(PAGE), "This namespace has no profile.")
    assertContains(client.get(PAGE), "removed the profile", count=1)
    assertContains(signed_in(administrator).get(PAGE), "Add a profile")
    removal = client.get(f"{PAGE}versions/3/")
    assertContains(removal, "Version 3 removed the profile.")
    assertNotContains(removal, "This is not the current version.")
    assertContains(client.get(f"{PAGE}versions/2/"), "This is not the current version.")
    add_version(a_profile("plants", title="Plants"), replaces=3)
    assertContains(client.get(f"{PAGE}versions/3/"), "This is not the current version.")


def test_a_removal_is_compared_with_the_version_before_it(client: Client) -> None:
    add_version(None, replaces=2)
    assertContains(
        client.get(COMPARE), '<h2 id="changed-title">Title <span class="badge">removed</span></h2>'
    )


@pytest.mark.parametrize("query", [{}, {"from": "1", "to": "2"}])
def test_two_versions_are_compared_by_default_the_latest(client: Client, query: dict[str, str]) -> None:
    response = client.get(COMPARE, query)
    assertContains(response, "Profile: Changes from version 1 to 2")
    assert [section.key for section in response.context["changes"].changed] == ["title"]
    assertContains(response, "&lt;")
    assertNotContains(response, "<b>shrubs</b>")


def test_versions_can_be_compared_backwards_and_with_themselves(client: Client) -> None:
    assertContains(client.get(COMPARE, {"from": "2", "to": "1"}), "Changes from version 2 to 1")
    assertContains(client.get(COMPARE, {"from": "2", "to": "2"}), "No difference")


@pytest.mark.parametrize(
    ("number", "status", "sentence"),
    [
        ("3", 404, "There is no version 3. Choose one of 1, 2."),
        ("0", 400, "Enter a version"),
        ("x", 400, "Enter a version"),
        ("", 400, "This field is required."),
    ],
)
def test_a_version_that_does_not_exist_is_not_compared(
    client: Client, number: str, status: int, sentence: str
) -> None:
    assertContains(client.get(COMPARE, {"from": "1", "to": number}), sentence, status_code=status)


@pytest.mark.parametrize("version", ["3", "0", "99999999999"])
def test_an_unknown_version_is_reported(client: Client, version: str) -> None:
    sentence = f"The profile of “plants” has no version {version}."
    assertContains(client.get(f"{PAGE}versions/{version}/"), sentence, status_code=404)


def test_one_version_has_nothing_to_compare(client: Client) -> None:
    namespace = Namespace.objects.create(nid="trees", kind=Kind.FORMAL, origin=Origin.IANA)
    set_profile(namespace, by=None, profile=a_profile("trees"), basis="The files.", replaces=0)
    address = "/namespaces/trees/profile/compare/"
    assertContains(client.get(address), "has fewer than two versions", status_code=404)
    assertNotContains(client.get("/namespaces/trees/profile/"), address)


@pytest.mark.parametrize("rest", ["versions/1/", "compare/?from=1&to=2"])
def test_every_case_of_letters_leads_to_the_address_in_lower_case(client: Client, rest: str) -> None:
    response = client.get(f"/namespaces/PLANTS/profile/{rest}")
    assert (response.status_code, response.headers["Location"]) == (301, f"{PAGE}{rest}")
    assert client.get(f"/namespaces/plantz/profile/{rest}").status_code == 404


def test_the_pages_need_a_constant_number_of_queries(
    client: Client, administrator: User, django_assert_num_queries: Any
) -> None:
    for replaces in (2, 3):
        add_version(a_profile("plants", title=f"Plants {replaces}"), replaces=replaces, by=administrator)
        with django_assert_num_queries(3):
            client.get(PAGE)
        with django_assert_num_queries(4):
            client.get(f"{PAGE}versions/1/")
        with django_assert_num_queries(4):
            client.get(COMPARE)
