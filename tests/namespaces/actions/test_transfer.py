"""Transfer: a namespace goes to another registrant when both sides say so."""

from unittest.mock import ANY

import pytest
from django.db import IntegrityError, transaction

from registry.accounts.models import RoleName, User
from registry.accounts.roles import withdraw_role
from registry.actions.declarations import ConditionNotMet
from registry.cases.drafts import drafts
from registry.cases.permissions import is_expert
from registry.cases.workflow import functions
from registry.core.exceptions import NotPermitted
from registry.core.validators import UnstorableCharacter
from registry.namespaces.actions.transfers import (
    InvalidRecipient,
    TransferNotOpen,
    accept_transfer,
    decline_transfer,
    offer_transfer,
    withdraw_transfer,
)
from registry.namespaces.models import Kind, Namespace, Origin, Transfer
from tests.cases.traces import one_event, refused
from tests.cases.transitions.rounds import a_revision_in_review
from tests.support.factories import a_namespace, a_person


@pytest.fixture
def namespace(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


@pytest.fixture
def imported(db: None) -> Namespace:
    """Without a registrant here: IANA's registry names none with an account."""
    return Namespace.objects.create(nid="example-old", kind=Kind.FORMAL, origin=Origin.IANA)


@pytest.fixture
def offer(namespace: Namespace, registrant: User, participant: User) -> Transfer:
    return offer_transfer(namespace, by=registrant, to=participant.email)


def test_an_offer_changes_nothing_yet(namespace: Namespace, registrant: User, participant: User) -> None:
    with one_event(
        verb="offer_transfer",
        by=registrant,
        case=None,
        moved=("", ""),
        reason="We merged.",
        text="",
        details={"transfer": ANY},
    ):
        offer_transfer(namespace, by=registrant, to=participant.email, reason=" We merged. ")
    namespace.refresh_from_db()
    assert namespace.registrant == registrant


def test_an_accepted_transfer_changes_the_registrant(
    offer: Transfer, registrant: User, participant: User
) -> None:
    with one_event(
        verb="accept_transfer",
        by=participant,
        case=None,
        moved=("", ""),
        text="",
        details={"person": participant.pk, "transfer": offer.pk, "former": registrant.pk},
    ):
        namespace = accept_transfer(offer, by=participant).namespace
    assert namespace.registrant == participant
    offer.refresh_from_db()
    assert offer.is_accepted
    assert offer.ended_at is not None
    drafts.start_revision(namespace, by=participant)
    with refused(NotPermitted):
        drafts.start_revision(namespace, by=registrant)


def test_a_declined_transfer_changes_nothing(offer: Transfer, registrant: User, participant: User) -> None:
    with one_event(
        verb="decline_transfer",
        by=participant,
        case=None,
        moved=("", ""),
        reason="Not mine.",
        text="",
        details={"transfer": offer.pk},
    ):
        decline_transfer(offer, by=participant, reason="Not mine.")
    assert Namespace.objects.get().registrant == registrant


def test_a_withdrawn_offer_cannot_be_accepted(offer: Transfer, registrant: User, participant: User) -> None:
    with one_event(
        verb="withdraw_transfer",
        by=registrant,
        case=None,
        moved=("", ""),
        text="",
        details={"transfer": offer.pk},
    ):
        withdraw_transfer(offer, by=registrant)
    with refused(TransferNotOpen):
        accept_transfer(offer, by=participant)


def test_a_transfer_is_decided_once(offer: Transfer, participant: User) -> None:
    accept_transfer(offer, by=participant)
    with refused(TransferNotOpen):
        accept_transfer(offer, by=participant)
    with refused(TransferNotOpen):
        decline_transfer(offer, by=participant)


def test_only_one_offer_is_open_at_a_time(offer: Transfer, namespace: Namespace, expert: User) -> None:
    assert namespace.registrant is not None
    with refused(TransferNotOpen, "Withdraw that offer first"):
        offer_transfer(namespace, by=namespace.registrant, to=expert.email)
    with pytest.raises(IntegrityError, match="one_open_transfer_per_namespace"), transaction.atomic():
        Transfer.objects.create(namespace=namespace, offered_by=namespace.registrant, email=expert.email)


def test_a_namespace_cannot_be_offered_to_its_registrant(namespace: Namespace, registrant: User) -> None:
    with refused(InvalidRecipient, "another person"):
        offer_transfer(namespace, by=registrant, to=registrant.email)


def test_an_unstorable_reason_is_rejected(offer: Transfer, registrant: User) -> None:
    with refused(UnstorableCharacter):
        withdraw_transfer(offer, by=registrant, reason="\x00")
    withdraw_transfer(offer, by=registrant)
    with refused(UnstorableCharacter):
        offer_transfer(offer.namespace, by=registrant, to=offer.email, reason="\x00")


# What was imported has no registrant: an administrator offers it.


def test_an_administrator_offers_a_namespace_without_a_registrant(
    imported: Namespace, administrator: User, participant: User
) -> None:
    offer = offer_transfer(imported, by=administrator, to=participant.email)
    with one_event(
        verb="accept_transfer",
        by=participant,
        case=None,
        nid="example-old",
        moved=("", ""),
        text="",
        details={"person": participant.pk, "transfer": offer.pk, "former": None},
    ):
        accept_transfer(offer, by=participant)
    assert drafts.start_revision(Namespace.objects.get(), by=participant).next_version == 2


def test_an_administrator_does_not_offer_it_to_themselves(imported: Namespace, administrator: User) -> None:
    with refused(InvalidRecipient):
        offer_transfer(imported, by=administrator, to=administrator.email)


def test_another_administrator_offers_again_when_the_first_has_gone(
    imported: Namespace, administrator: User, participant: User
) -> None:
    offer = offer_transfer(imported, by=administrator, to=participant.email)
    other = a_person(email="other-administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    withdraw_role(administrator, RoleName.ADMINISTRATOR, by=other, reason="Left.")
    offer.refresh_from_db()
    assert offer.ended_at is not None
    assert offer_transfer(imported, by=other, to=participant.email).pk != offer.pk


# Cases that were open when the namespace went.


def test_a_revision_of_the_former_registrant_goes_nowhere_and_the_new_one_judges_it_not(
    namespace: Namespace, registrant: User, expert: User, administrator: User, other_expert: User
) -> None:
    case = a_revision_in_review(namespace, by=registrant)
    accept_transfer(offer_transfer(namespace, by=registrant, to=other_expert.email), by=other_expert)
    case.refresh_from_db()
    assert not is_expert(other_expert, case)
    with refused(NotPermitted):
        functions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    with refused(ConditionNotMet):
        functions.assign(case, by=administrator)
    functions.withdraw(case, by=registrant)
