"""Handing a namespace to another registrant: offered by one side, accepted by the other."""

import html
from functools import partial
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.mail.models import Message
from registry.namespaces import permissions
from registry.namespaces.actions import registration, transfers
from registry.namespaces.actions.transfers import InvalidRecipient, TransferNotOpen
from registry.namespaces.models import Namespace, Transfer
from tests.support.browser import fill_in, signed_in
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person, a_template, an_imported_namespace
from tests.support.mails import recipients_of

TREES = "/namespaces/example-trees/"
OFFER = f"{TREES}offer-transfer/"


@pytest.fixture
def imported(db: None) -> Namespace:
    """A namespace without a registrant in this registry."""
    return an_imported_namespace("isbn")


@pytest.fixture
def heir(db: None) -> User:
    return a_person(email="heir@example.org")


@pytest.fixture
def offer(trees: Namespace, registrant: User, heir: User) -> Transfer:
    return transfers.offer_transfer(trees, by=registrant, to=heir.email, reason="I retire.")


def registrant_of(nid: str) -> User | None:
    return Namespace.objects.get(nid=nid).registrant


def decide(client: Client, offer: Transfer, decision: str, reason: str = "") -> Any:
    typed = {"decision": decision, "reason": reason}
    return client.post(offer.get_absolute_url(), typed, follow=True)


# Who sees the way to it


def test_the_registrant_alone_is_offered_the_button(
    client: Client, trees: Namespace, registrant: User, administrator: User, participant: User
) -> None:
    assert f'href="{OFFER}"' in signed_in(registrant).get(TREES).text
    for other in (client, signed_in(administrator), signed_in(participant)):
        assert OFFER not in other.get(TREES).text


def test_of_a_namespace_without_registrant_the_administrators_are(
    client: Client, imported: Namespace, administrator: User, expert: User
) -> None:
    address = "/namespaces/isbn/offer-transfer/"
    assert f'href="{address}"' in signed_in(administrator).get("/namespaces/isbn/").text
    for other in (client, signed_in(expert)):
        assert address not in other.get("/namespaces/isbn/").text


@pytest.mark.parametrize("nid", ["isbm", "is_bn", "isbn%00", "isbn%0A", "isb%C5%87"])
def test_what_is_no_namespace_can_not_be_offered(registrant: User, nid: str) -> None:
    assert signed_in(registrant).get(f"/namespaces/{nid}/offer-transfer/").status_code == 404


def test_an_offer_is_seen_by_its_two_sides_alone(
    offer: Transfer, registrant: User, heir: User, administrator: User, participant: User
) -> None:
    address = offer.get_absolute_url()
    for person in (registrant, heir):
        assert signed_in(person).get(address).status_code == 200
    for person in (administrator, participant):
        client = signed_in(person)
        assert client.get(address).status_code == 404
        assert decide(client, offer, "accept").status_code == 404
        assert client.post(address, {"answer": "nonsense"}).status_code == 404
    assert Transfer.objects.waiting().get() == offer


def test_an_offer_has_its_address_at_its_own_namespace(
    offer: Transfer, imported: Namespace, heir: User
) -> None:
    client = signed_in(heir)
    assert client.get(f"/namespaces/isbn/transfers/{offer.pk}/").status_code == 404
    for number in (0, offer.pk + 1, 10**30):
        assert client.get(f"{TREES}transfers/{number}/").status_code == 404


# Offering


def test_a_namespace_is_offered_by_address_and_both_parties_are_notified(
    trees: Namespace, registrant: User, heir: User
) -> None:
    answer = fill_in(signed_in(registrant), OFFER, to="Heir@EXAMPLE.org", reason="I retire.")
    offer = Transfer.objects.get()
    assert answer.redirect_chain == [(offer.get_absolute_url(), 302)]
    assert "Offered to Heir@EXAMPLE.org. Nothing changes until the offer is accepted." in answer.text
    assert (offer.offered_by, permissions.may_answer_transfer(heir, offer)) == (registrant, True)
    assert registrant_of("example-trees") == registrant
    assert recipients_of("offer_transfer") == {registrant.email, "Heir@EXAMPLE.org"}
    event = Event.objects.get(verb="offer_transfer")
    assert (event.actor, event.nid, event.reason) == (registrant, "example-trees", "I retire.")


@pytest.mark.parametrize(
    ("address", "status", "complaint"),
    [
        ("Registrant@example.org", 422, "Enter the address of another person."),
        ("", 422, "This field is required."),
        ("heir", 422, "Enter an e-mail address, such as name@example.org."),
        ("heir@example.org\nx", 422, "Enter an e-mail address, such as name@example.org."),
        ("heír@example.org", 422, "Enter an e-mail address, such as name@example.org."),
        ("heir@example.org,nobody@example.org", 422, "Enter an e-mail address, such as name@example.org."),
        ("h" * 400 + "@example.org", 422, "at most 254 characters"),
    ],
)
def test_an_invalid_recipient_is_reported_and_input_is_kept(
    trees: Namespace, registrant: User, heir: User, address: str, status: int, complaint: str
) -> None:
    answer = signed_in(registrant).post(OFFER, {"to": address, "reason": "I <retire>."})
    assert answer.status_code == status
    shown = html.unescape(answer.text)
    assert complaint in shown
    assert "I <retire>." in shown
    assert not address or f'value="{address}"' in shown
    assert not Transfer.objects.exists()


def test_an_administrator_offers_what_has_no_registrant(
    imported: Namespace, administrator: User, heir: User
) -> None:
    fill_in(signed_in(administrator), "/namespaces/isbn/offer-transfer/", to=heir.email)
    answer = decide(signed_in(heir), Transfer.objects.get(), "accept")
    assert registrant_of("isbn") == heir
    assert "The offer was accepted: the namespace has a new registrant." in answer.text
    # From now on it is the heir's, and no administrator's, to hand on.
    assert signed_in(administrator).get("/namespaces/isbn/offer-transfer/").status_code == 404
    assert signed_in(heir).get("/namespaces/isbn/offer-transfer/").status_code == 200


def test_a_second_offer_is_refused_and_its_texts_are_kept(
    offer: Transfer, registrant: User, participant: User
) -> None:
    client = signed_in(registrant)
    assert client.get(OFFER).status_code == 409
    answer = client.post(OFFER, {"to": participant.email, "reason": "On second thoughts."})
    assert answer.status_code == 409
    assert "is already offered to heir@example.org. Withdraw that offer first" in answer.text
    assert "On second thoughts." in answer.text
    assert OFFER not in client.get(TREES).text
    assert offer.get_absolute_url() in client.get(TREES).text


def test_the_own_address_is_refused_by_the_action_too(trees: Namespace, registrant: User) -> None:
    with pytest.raises(InvalidRecipient):
        transfers.offer_transfer(trees, by=registrant, to=registrant.email.upper())


def test_an_offer_waits_for_the_account_of_its_address(trees: Namespace, registrant: User) -> None:
    offer = transfers.offer_transfer(trees, by=registrant, to="newcomer@example.org")
    newcomer = a_person(email="Newcomer@example.org")
    assert "Respond to the offer" in signed_in(newcomer).get(TREES).text
    decide(signed_in(newcomer), offer, "accept")
    assert registrant_of("example-trees") == newcomer


def test_an_administrator_does_not_accept_their_own_offer_under_another_address(
    imported: Namespace, administrator: User
) -> None:
    offer = transfers.offer_transfer(imported, by=administrator, to="second@example.org")
    EmailAddress.objects.filter(user=administrator).update(email="second@example.org")
    administrator.email = "second@example.org"
    administrator.save()
    with pytest.raises(NotPermitted):
        transfers.accept_transfer(offer, by=administrator)


# Answering


def test_an_open_offer_is_listed_for_both_parties_only(
    offer: Transfer, registrant: User, heir: User, administrator: User
) -> None:
    assert "offered to you by Registrant" in signed_in(heir).get("/mine/").text
    assert "offered by you to heir@example.org" in signed_in(registrant).get("/mine/").text
    assert offer.get_absolute_url() not in signed_in(administrator).get("/mine/").text
    assert offer.get_absolute_url() in signed_in(heir).get(TREES).text
    assert offer.get_absolute_url() not in signed_in(administrator).get(TREES).text


def test_each_party_sees_its_buttons_and_the_reason_of_the_offer(
    offer: Transfer, registrant: User, heir: User
) -> None:
    for_heir = signed_in(heir).get(offer.get_absolute_url()).text
    for_registrant = signed_in(registrant).get(offer.get_absolute_url()).text
    for text in (for_heir, for_registrant):
        assert "I retire." in text
    buttons = [f'name="decision" value="{name}"' for name in ("accept", "decline", "withdraw")]
    assert [button in for_heir for button in buttons] == [True, True, False]
    assert [button in for_registrant for button in buttons] == [False, False, True]
    assert registrant.email not in for_heir


def test_the_recipient_becomes_the_registrant_and_both_parties_are_notified(
    offer: Transfer, registrant: User, heir: User
) -> None:
    answer = decide(signed_in(heir), offer, "accept")
    assert answer.status_code == 200
    assert registrant_of("example-trees") == heir
    assert recipients_of("accept_transfer") == {registrant.email, heir.email}
    assert Event.objects.get(verb="accept_transfer").details == {
        "person": heir.pk,
        "former": registrant.pk,
        "transfer": offer.pk,
    }
    assert f'action="{TREES}revise/"' in signed_in(heir).get(TREES).text
    assert f'action="{TREES}revise/"' not in signed_in(registrant).get(TREES).text
    assert "offered" not in signed_in(heir).get("/mine/").text


def test_a_declined_offer_changes_nothing(
    offer: Transfer, registrant: User, heir: User, trees: Namespace
) -> None:
    answer = decide(signed_in(heir), offer, "decline", "Too many trees.")
    assert "The offer was declined." in answer.text
    assert registrant_of("example-trees") == registrant
    assert recipients_of("decline_transfer") == {registrant.email, heir.email}
    assert "Too many trees." in Message.objects.filter(name="decline_transfer")[0].body
    transfers.offer_transfer(trees, by=registrant, to=heir.email)


def test_the_registrant_can_withdraw_an_offer(offer: Transfer, registrant: User, heir: User) -> None:
    answer = decide(signed_in(registrant), offer, "withdraw", "I stay.")
    assert "The offer was withdrawn." in answer.text
    assert recipients_of("withdraw_transfer") == {registrant.email, heir.email}
    assert not Transfer.objects.waiting().exists()


def test_any_administrator_can_withdraw_the_offer_of_another(
    imported: Namespace, administrator: User, heir: User
) -> None:
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    offer = transfers.offer_transfer(imported, by=administrator, to=heir.email)
    decide(signed_in(other), offer, "withdraw")
    assert not Transfer.objects.waiting().exists()
    assert recipients_of("withdraw_transfer") == {administrator.email, other.email, heir.email}


@pytest.mark.parametrize("answer", ["", "accept_transfer", "accept\n", "äccept", "deprecate"])
def test_unknown_decisions_are_refused(offer: Transfer, heir: User, answer: str) -> None:
    refused = decide(signed_in(heir), offer, answer, "Because I say so.")
    assert refused.status_code == 422
    assert "Because I say so." in refused.text
    assert Transfer.objects.waiting().get() == offer


def test_a_reason_without_end_is_refused_and_stays(offer: Transfer, heir: User) -> None:
    refused = decide(signed_in(heir), offer, "decline", "x" * 2001)
    assert refused.status_code == 422
    assert "x" * 2001 in refused.text


def test_a_decision_on_a_withdrawn_offer_is_refused_with_its_reason_kept(
    offer: Transfer, registrant: User, heir: User
) -> None:
    transfers.withdraw_transfer(offer, by=registrant)
    client = signed_in(heir)
    refused = decide(client, offer, "decline", "Too many trees.")
    assert refused.status_code == 409
    assert "was already accepted, declined or withdrawn" in refused.text
    assert "Too many trees." in refused.text
    assert decide(client, offer, "accept").status_code == 409
    assert registrant_of("example-trees") == registrant
    assert "The offer was not accepted." in client.get(offer.get_absolute_url()).text


def test_reading_an_offer_does_not_decide_it(offer: Transfer, heir: User) -> None:
    signed_in(heir).get(offer.get_absolute_url(), {"decision": "accept"})
    assert Transfer.objects.waiting().get() == offer


@pytest.mark.usefixtures("real_database")
def test_one_of_several_concurrent_decisions_wins() -> None:
    registrant, heir = (a_person(email=f"{name}@example.org") for name in ("registrant", "heir"))
    for number in range(4):
        template = a_template(namespace_identifier=f"example-trees-{number}")
        trees = registration.register_formal(template, registrant=registrant).namespace
        offer = transfers.offer_transfer(trees, by=registrant, to=heir.email)
        answers: list[Any] = at_once(
            [
                partial(transfers.accept_transfer, offer, by=heir),
                partial(transfers.decline_transfer, offer, by=heir),
                partial(transfers.withdraw_transfer, offer, by=registrant),
            ]
        )
        assert [type(refusal) for refusal in refusals(answers)] == [TransferNotOpen] * 2
        assert Event.objects.of_namespace(trees.nid).filter(details__transfer=offer.pk).count() == 2
        is_accepted = Transfer.objects.get(pk=offer.pk).is_accepted
        assert registrant_of(trees.nid) == (heir if is_accepted else registrant)
