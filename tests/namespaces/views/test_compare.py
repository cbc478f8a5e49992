"""/namespaces/<nid>/compare/: what changed between two versions."""

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains

from registry.accounts.models import User
from registry.namespaces.actions import registration
from tests.support.factories import a_template

pytestmark = pytest.mark.django_db
ADDRESS = "/namespaces/example-trees/compare/"


@pytest.fixture(autouse=True)
def three_versions(registrant: User) -> None:
    first = a_template(resolution="Not intended.")
    namespace = registration.register_formal(first, registrant=registrant).namespace
    for version, resolution in ((2, "Intended <i>now</i>."), (3, "By the catalogue.")):
        registration.register_revision(
            namespace,
            a_template(version=version, resolution=resolution, revision_information=f"Resolution {version}."),
        )


def test_the_latest_two_are_compared_unless_others_are_named(client: Client) -> None:
    response = client.get(ADDRESS)
    assertContains(response, "Changes from version 2 to 3")
    assertContains(response, "catalogue")


def test_only_the_sections_that_changed_are_shown(client: Client) -> None:
    response = client.get(ADDRESS, {"from": "1", "to": "2"})
    assert [section.key for section in response.context["changes"].changed] == [
        "version",
        "resolution",
        "revision_information",
    ]
    assertContains(response, "Changes from version 1 to 2")
    assertContains(response, "<del>")
    assertContains(response, "<ins>")


def test_versions_can_be_compared_backwards(client: Client) -> None:
    assertContains(client.get(ADDRESS, {"from": "3", "to": "1"}), "Changes from version 3 to 1")


def test_a_version_compared_with_itself_shows_no_difference(client: Client) -> None:
    assertContains(client.get(ADDRESS, {"from": "2", "to": "2"}), "No difference")


def test_what_was_written_is_shown_as_text(client: Client) -> None:
    response = client.get(ADDRESS, {"from": "1", "to": "2"})
    assertNotContains(response, "<i>")
    assert "<i>now</i>" in "".join(
        line.after_text for section in response.context["changes"].changed for line in section.lines
    )


@pytest.mark.parametrize("number", ["4", "99", "9999999999"])
def test_a_version_that_is_not_registered_is_named_with_those_that_are(client: Client, number: str) -> None:
    response = client.get(ADDRESS, {"from": "1", "to": number})
    assertContains(response, f"There is no version {number}. Choose one of 1, 2, 3.", status_code=404)


@pytest.mark.parametrize(
    "number", ["0", "-1", "01", "+1", "1.0", "one", "1\n", " 1", "\0", "٣", "1٣", "9" * 5000, "10000000000"]
)
def test_what_is_no_number_of_a_version_is_refused(client: Client, number: str) -> None:
    response = client.get(ADDRESS, {"from": number, "to": "2"})
    assert response.status_code == 400
    assertContains(response, 'class="errorlist"', count=1, status_code=400)


def test_an_empty_version_number_is_required(client: Client) -> None:
    assertContains(client.get(ADDRESS, {"from": "", "to": "2"}), "This field is required.", status_code=400)
