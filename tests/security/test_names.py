"""Each name that a person chooses and others see is checked by one rule, and no two organisations have names that look alike."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from registry.accounts.forms import NameForm
from registry.accounts.models import User
from registry.accounts.second_factors.passkeys import AddPasskeyForm
from registry.accounts.tokens import make_token
from registry.cases.canned_texts import add_canned_text
from registry.cases.drafts.drafts import body_named
from registry.core.names import NameRefused, comparison_form
from registry.custody.actions.contact import change_contact
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation, describe_organisation
from registry.organisations.models import MemberRole, Membership, Organisation
from registry.organisations.subjects import InvalidOrganisation, NameTaken
from tests.api.client import TokenClient
from tests.cases.traces import refused
from tests.support.browser import signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person, a_template

MISLEADING = [
    "IA\u200dNA",
    "\u202eANAI",
    "IΑNA",
    "Аdministrator",
    "✅ Verified",
    "Your account was closed: https://example.org/",
]


def in_the_form(person: User, name: str) -> None:
    form = NameForm({"name": name}, instance=person)
    if not form.is_valid():
        raise NameRefused(form.errors["name"][0])


def of_a_passkey(person: User, name: str) -> None:
    form = AddPasskeyForm(user=person)
    form.cleaned_data = {"name": name}
    try:
        form.clean_name()
    except ValidationError as error:
        raise NameRefused(error.message) from error


def of_a_contact(person: User, name: str) -> None:
    template = a_template()
    namespace = Namespace.objects.filter(nid="example-trees").first()
    namespace = namespace or register_formal(template, registrant=person).namespace
    change_contact(namespace, by=person, name=name, email="expert@example.org", reason="It moved.")


NAMED: dict[str, Callable[[User, str], Any]] = {
    "a person": in_the_form,
    "an organisation": lambda person, name: create_organisation(by=person, name=name),
    "a body": lambda person, name: body_named(name),
    "a token": lambda person, name: make_token(by=person, name=name, scopes=["read"]),
    "a passkey": of_a_passkey,
    "a canned text": lambda person, name: add_canned_text(by=person, title=name, text="See Section 6."),
    "a contact": of_a_contact,
}


@pytest.mark.django_db
@pytest.mark.parametrize("what", NAMED)
@pytest.mark.parametrize("name", MISLEADING)
def test_a_name_that_misleads_is_refused_everywhere(what: str, name: str, expert: User) -> None:
    """Also of a person with a role, who may take the name of one."""
    with pytest.raises(NameRefused):
        NAMED[what](expert, name)
    NAMED[what](expert, "Dr. J. R. Smith, Jr.")


@pytest.mark.parametrize(
    "name",
    ["ＩＡＮＡ", "ΙΑΝΑ", "I.A.N.A.", "I A N A", "IÁNA", "lANA", "IANA2", "The ІЕТF Team", "Example/IANA"],
)
def test_an_organisation_is_not_named_like_a_body(name: str, registrant: User) -> None:
    with pytest.raises((InvalidOrganisation, NameRefused)):
        create_organisation(by=registrant, name=name)


@pytest.mark.parametrize(
    "name", ["Ａdministrator", "Administrátor", "A.d.m.i.n", "S u p p o r t", "Iiaison", "offlclal"]
)
def test_a_person_is_not_named_like_a_role(name: str, participant: User) -> None:
    answer = signed_in(participant).post("/account/name/", {"name": name})
    assert answer.status_code == 422
    assert "could be mistaken for a role of the registry" in answer.text
    participant.refresh_from_db()
    assert participant.name != name


def test_a_person_named_lana_is_not_taken_for_iana(participant: User) -> None:
    assert NameForm({"name": "Lana"}, instance=participant).is_valid()


def test_the_api_names_the_fault(registrant: User) -> None:
    answer = TokenClient(registrant).post("organisations/", {"name": "Exаmple"})
    assert answer.status_code == 422
    assert "UTS #39" in answer.json()["detail"]


@pytest.mark.parametrize(
    "name",
    [
        "EXAMPLE ARBORETUM",
        "Examp1e Arboretum",
        "Example-Arboretum.",
        "Example Arboreturn",
    ],
)
def test_two_organisations_have_no_names_that_look_alike(
    name: str, registrant: User, participant: User
) -> None:
    create_organisation(by=registrant, name="Example Arboretum")
    with refused(NameTaken, "add a word"):
        create_organisation(by=participant, name=name)
    other = create_organisation(by=participant, name="Example Grove")
    with refused(NameTaken, "add a word"):
        describe_organisation(other, by=participant, name=name)


def test_an_organisation_can_write_its_own_name_in_another_way(registrant: User) -> None:
    organisation = create_organisation(by=registrant, name="Example Arboretum")
    organisation = describe_organisation(organisation, by=registrant, name="EXAMPLE Arboretum")
    assert organisation.name == "EXAMPLE Arboretum"


@pytest.mark.django_db
def test_the_database_takes_no_two_names_that_look_alike() -> None:
    Organisation.objects.create(name="Example", name_form=comparison_form("Example"))
    with pytest.raises(IntegrityError, match="one_organisation_per_name"), transaction.atomic():
        Organisation.objects.create(name="EXAMPIE", name_form=comparison_form("EXAMPIE"))


def test_a_name_that_is_older_than_the_rule_stays_until_it_is_changed(registrant: User) -> None:
    old = Organisation.objects.create(name="IΑNA https://example.org/")
    Membership.objects.create(organisation=old, user=registrant, part=MemberRole.REPRESENTATIVE)
    client = signed_in(registrant)
    assert "IΑNA" in client.get(old.get_absolute_url()).text
    kept = describe_organisation(old, by=registrant, name=old.name, homepage="https://example.org/")
    assert kept.homepage == "https://example.org/"
    with refused(NameRefused):
        describe_organisation(old, by=registrant, name="IΑNA https://example.org/new")
    assert describe_organisation(old, by=registrant, name="Example Society").name == "Example Society"


def test_a_persons_name_that_is_older_than_the_rule_stays_until_it_is_changed(participant: User) -> None:
    User.objects.filter(pk=participant.pk).update(name="Аnna")
    participant.refresh_from_db()
    assert NameForm({"name": "Аnna"}, instance=participant).is_valid()
    assert not NameForm({"name": "Аnna B"}, instance=participant).is_valid()


def test_a_person_does_not_take_the_name_of_a_public_organisation(
    registrant: User, participant: User
) -> None:
    hidden = create_organisation(by=registrant, name="Example Grove")
    assert NameForm({"name": "Example Grove"}, instance=participant).is_valid()  # which tells nothing of it
    register_formal(a_template(), registrant=hidden)
    assert not NameForm({"name": "EXAMPLE grove"}, instance=User.objects.get(pk=participant.pk)).is_valid()
    assert NameForm({"name": "Example Grove"}, instance=registrant).is_valid()


@pytest.mark.usefixtures("real_database")
def test_of_organisations_that_are_created_at_once_with_names_that_look_alike_one_is() -> None:
    people = [a_person(email=f"person-{number}@example.org") for number in range(6)]
    names = [
        "Example Grove",
        "EXAMPLE GROVE",
        "Examp1e Grove",
        "Example-Grove",
        "Exampie Grove",
        "Example  Grove",
    ]
    answers = at_once(
        [partial(create_organisation, by=by, name=name) for by, name in zip(people, names, strict=True)]
    )
    assert [type(error) for error in refusals(answers)] == [NameTaken] * 5
    assert Organisation.objects.count() == 1
    assert Membership.objects.count() == 1
