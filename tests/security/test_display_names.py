"""Display names: an e-mail address can't make a person appear as “administrator”."""

import pytest
from django.test import Client

from registry.accounts.display_names import imitates_a_role, organisation_imitates_a_role
from registry.accounts.models import User
from registry.cases import comments
from registry.organisations.actions.organisations import create_organisation, describe_organisation
from registry.organisations.models import MemberRole, Membership
from registry.organisations.subjects import InvalidOrganisation
from tests.cases.traces import refused
from tests.support.factories import a_case_in_review, a_person

IMITATIONS = [
    "administrator",
    "Administrator",
    "registry-administrator",
    "adm1n",
    "admin.2",
    "ad.min.istrator",
    "4dministrator",
    "expert",
    "the_expert",
    "designated-expert",
    "liaison",
    "l1aison",
    "1eader",
    "iana",
    "root",
    "postmaster",
    "urn+support",
    "urn.registry",
]


@pytest.mark.parametrize("local_part", IMITATIONS)
def test_an_address_that_imitates_a_role_is_not_shown(local_part: str) -> None:
    assert str(User(pk=7, email=f"{local_part}@example.org")) == "account 7"


@pytest.mark.parametrize("name", ["registrant", "badminton", "cheerleader", "diana", "anna.jones", "x1", ""])
def test_other_names_are(name: str) -> None:
    assert not imitates_a_role(name)
    assert str(User(pk=7, email=f"{name}@example.org")) == name


def test_a_name_that_the_registry_gave_is_shown() -> None:
    assert str(User(pk=7, email="administrator@example.org", name="Example Person")) == "Example Person"


def test_a_comment_is_signed_by_the_account(registrant: User, client: Client) -> None:
    stranger = a_person(email="administrator@elsewhere.example", name="")
    case = a_case_in_review(by=registrant)
    comments.comment(case, by=stranger, round_number=1, text="I approve of this.")
    assert f"<strong>account {stranger.pk}</strong>" in client.get(case.get_absolute_url()).text


@pytest.mark.parametrize(
    "name",
    [
        "Administrators",
        "The URN Registry",
        "Designated Experts",
        "Registry Supp0rt Team",
        "IANA",
        "IETF Trust",
    ],
)
def test_an_organisation_does_not_imitate_the_registry(
    name: str, registrant: User, administrator: User
) -> None:
    with refused(InvalidOrganisation, "mistaken") as refusal:
        create_organisation(by=registrant, name=name)
    assert refusal.value.argument == "name"  # the page shows it beside the field
    # As names of people, those of their organisations.
    organisation = create_organisation(by=administrator, name="Example Arboretum")
    organisation = describe_organisation(organisation, by=administrator, name=name)
    assert organisation.name == name
    # A representative without a role changes the homepage only.
    Membership.objects.create(organisation=organisation, user=registrant, part=MemberRole.REPRESENTATIVE)
    homepage = "https://arboretum.example.org/"
    organisation = describe_organisation(organisation, by=registrant, name=name, homepage=homepage)
    assert organisation.homepage == homepage


@pytest.mark.parametrize(
    "name",
    [
        "National Archives and Records Administration",
        "Registry of Gardens",
        "Diana",
        "\u6a39",
        "\u6a39 Registry",
    ],
)
def test_an_organisation_has_its_own_name(name: str) -> None:
    assert not organisation_imitates_a_role(name)
