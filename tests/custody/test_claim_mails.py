"""Mails about claims: to both sides and the administrators, and to every known address of the registrant."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client

from registry.accounts.models import User
from registry.custody.actions.claims import approve_claim, claim_namespace, decline_claim, withdraw_claim
from registry.custody.evidence import known_addresses_of
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.mail.models import Message
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from tests.mail.messages import check_plain
from tests.support.mails import recipients_of

pytestmark = pytest.mark.django_db


def test_the_claimant_and_the_administrators_know_of_a_claim(
    administrator: User, claim: NamespaceClaim
) -> None:
    assert recipients_of("claim_namespace") == {"claimant@example.org", administrator.email}


def test_the_reason_of_a_refusal_is_mailed(claim: NamespaceClaim, administrator: User) -> None:
    decline_claim(claim, by=administrator, reason="The page does not exist.")
    for message in Message.objects.filter(name="decline_claim"):
        check_plain(message)
        assert "The page does not exist." in message.body


def test_all_known_addresses_get_a_link_to_object_and_the_claimant_does_not(
    registrant: User, administrator: User, claimant: User, trees: object, announced: NamespaceClaim
) -> None:
    told = Message.objects.filter(name="announce_claim_to_registrant")
    assert registrant.email in {message.to for message in told}
    assert claimant.email not in {message.to for message in told}
    contacts = {revision.template.registrant.email for revision in announced.namespace.revisions.all()}
    assert contacts - {""} <= {message.to for message in told}
    for message in told:
        check_plain(message)
        assert "/object/" in message.body
    assert not Message.objects.filter(name="announce_claim", body__contains="/object/").exists()


def test_every_confirmed_address_of_the_registrant_is_known(
    registrant: User, claimant: User, announced: NamespaceClaim, other_administrator: User
) -> None:
    EmailAddress.objects.create(user=registrant, email="Second@example.org", verified=True)
    EmailAddress.objects.create(user=registrant, email="unconfirmed@example.org", verified=False)
    known = known_addresses_of(announced)
    assert "second@example.org" in known
    assert "unconfirmed@example.org" not in known


def test_the_mailed_link_shows_a_page_whose_button_ends_the_claim(announced: NamespaceClaim) -> None:
    message = Message.objects.filter(name="announce_claim_to_registrant")[0]
    path = next(line for line in message.body.splitlines() if "/object/" in line).partition("/namespaces")
    path = f"/namespaces{path[2]}"
    client = Client()
    page = client.get(path)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    announced.refresh_from_db()
    assert announced.status == ClaimStatus.ANNOUNCED
    assert client.post(path).status_code == 302
    announced.refresh_from_db()
    assert announced.status == ClaimStatus.OBJECTED
    assert client.post(path).status_code == 409
    assert "ended by an objection" in client.get(path).text
    forged = path[:-6] + ("aaaaa/" if not path.endswith("aaaaa/") else "bbbbb/")
    assert client.get(forged).status_code == 404


def test_the_end_of_a_claim_is_mailed(claim: NamespaceClaim, claimant: User, administrator: User) -> None:
    withdraw_claim(claim, by=claimant)
    assert recipients_of("withdraw_claim") == {claimant.email, administrator.email}
    for message in Message.objects.filter(name="withdraw_claim"):
        check_plain(message)


def test_the_mails_name_the_organisation_for_which_a_namespace_is_claimed(
    isbn: Namespace, claimant: User, administrator: User
) -> None:
    agency = create_organisation(by=claimant, name="Example Agency")
    claim = claim_namespace(
        isbn, by=claimant, ground="domain", statement="I work there.", organisation=agency
    )
    approve_claim(claim, by=administrator, reason="Proved.")
    body = Message.objects.filter(name="approve_claim")[0].body
    assert "“Example Agency” is now its registrant" in " ".join(body.split())
    body = Message.objects.filter(name="claim_namespace")[0].body
    assert "for “Example Agency”" in " ".join(body.split())


def test_an_approval_is_mailed(claim: NamespaceClaim, claimant: User, administrator: User) -> None:
    approve_claim(claim, by=administrator, reason="Proved.")
    for message in Message.objects.filter(name="approve_claim"):
        check_plain(message)
        assert "“Claimant” is now its registrant" in " ".join(message.body.split())
    assert recipients_of("approve_claim") == {claimant.email, administrator.email}
