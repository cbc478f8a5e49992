"""Transfers of an organisation's namespaces: the other members see them, and are notified."""

import pytest

from registry.accounts.models import User
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import accept_transfer, decline_transfer, offer_transfer
from registry.namespaces.models import Namespace, Transfer
from registry.organisations.actions.organisations import create_organisation
from registry.organisations.models import Organisation
from tests.mail.messages import check_plain
from tests.support.browser import signed_in
from tests.support.factories import a_template
from tests.support.mails import recipients_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def trees(arboretum: Organisation) -> Namespace:
    return register_formal(a_template(), registrant=arboretum).namespace


def test_all_members_are_notified_of_an_offer_and_of_the_answer(
    trees: Namespace, representative: User, second: User, contact: User, participant: User
) -> None:
    everyone = {each.email for each in (representative, second, contact, participant)}
    decline_transfer(offer_transfer(trees, by=representative, to=participant.email), by=participant)
    accept_transfer(offer_transfer(trees, by=representative, to=participant.email), by=participant)
    for mail in ("offer_transfer", "decline_transfer", "accept_transfer"):
        assert recipients_of(mail) == everyone


def test_another_representative_sees_the_offer_and_withdraws_it(
    trees: Namespace, representative: User, second: User, contact: User, participant: User
) -> None:
    offer = offer_transfer(trees, by=representative, to=participant.email)
    client = signed_in(second)
    page = " ".join(client.get("/mine/").text.split())
    assert f"offered by Representative to {participant.email}" in page
    assert "respond to the offers" not in page
    assert offer.get_absolute_url() in page
    client.post(offer.get_absolute_url(), {"decision": "withdraw", "reason": ""})
    offer.refresh_from_db()
    assert not offer.is_waiting
    assert list(Transfer.objects.concerning(contact)) == []


def test_the_mail_names_the_organisation_that_is_the_registrant(
    trees: Namespace, representative: User, participant: User
) -> None:
    grove = create_organisation(by=participant, name="Example Grove")
    offer = offer_transfer(trees, by=representative, to=participant.email)
    accept_transfer(offer, by=participant, organisation=grove)
    for message in Message.objects.filter(name="accept_transfer"):
        check_plain(message)
        assert "“Example Grove” is now its registrant." in " ".join(message.body.split())


def test_the_recipient_is_asked_to_respond(trees: Namespace, representative: User, participant: User) -> None:
    offer_transfer(trees, by=representative, to=participant.email.upper())
    page = " ".join(signed_in(participant).get("/mine/").text.split())
    assert "offered to you by Representative" in page
    assert "respond to the offers" in page
