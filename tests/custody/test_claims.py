"""Claims: who holds a namespace changes only with evidence, a decision, and time for the registrant to object."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from registry.accounts.closing import close_account
from registry.accounts.export import data_about
from registry.accounts.locks import AddressNotConfirmed
from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.audit_log.verification import verify
from registry.cases.drafts import drafts
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextMissing
from registry.custody.actions.claims import (
    announce_claim,
    approve_claim,
    claim_namespace,
    decline_claim,
    object_to_claim,
    withdraw_claim,
)
from registry.custody.exceptions import (
    ClaimantNotActive,
    ClaimDecided,
    ClaimPending,
    InvalidEvidence,
    NotYetApprovable,
)
from registry.custody.links import confirmation_path, objection_path
from registry.custody.models import ClaimStatus, NamespaceClaim, NamespaceContact
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Namespace
from registry.observability.logs import loggable_path
from tests.cases.traces import refused
from tests.custody.conftest import a_claim
from tests.support.factories import a_person


def verbs() -> list[str]:
    return list(Event.objects.exclude(nid="").order_by("number").values_list("verb", flat=True))


def let_time_pass(claim: NamespaceClaim) -> NamespaceClaim:
    """Move the claim into the past, until the registrant can no longer object."""
    ago = timezone.now() - timedelta(days=settings.DAYS_TO_OBJECT, minutes=1)
    until = ago + timedelta(days=settings.DAYS_TO_OBJECT)
    NamespaceClaim.objects.filter(pk=claim.pk).update(announced_at=ago, objections_until=until)
    return NamespaceClaim.objects.get(pk=claim.pk)


# A namespace without a registrant.


def test_an_approved_claim_makes_the_claimant_the_registrant(
    claim: NamespaceClaim, claimant: User, administrator: User
) -> None:
    decided = approve_claim(claim, by=administrator, reason="The domain is theirs.")
    namespace = Namespace.objects.get(pk=claim.namespace_id)
    assert namespace.registrant == claimant
    assert decided.status == ClaimStatus.APPROVED
    event = Event.objects.get(verb="approve_claim")
    assert (event.actor, event.nid, event.reason) == (administrator, "isbn", "The domain is theirs.")
    assert event.details == {"claim": claim.pk, "person": claimant.pk, "former": None}
    assert drafts.start_revision(namespace, by=claimant).next_version == 2
    assert verify().faults == []


def test_a_declined_claim_can_be_made_again_with_other_evidence(
    claim: NamespaceClaim, isbn: Namespace, claimant: User, administrator: User
) -> None:
    decline_claim(claim, by=administrator, reason="The page does not exist.")
    assert Event.objects.get(verb="decline_claim").reason == ""
    again = claim_namespace(
        isbn,
        by=claimant,
        ground="specification",
        statement="Section 4 names us.",
        links=["https://example.org/", " ", "https://example.org/"],
    )
    assert again.links == ["https://example.org/"]
    approve_claim(again, by=administrator, reason="Section 4.")
    isbn.refresh_from_db()
    assert isbn.registrant == claimant


def test_an_undecided_claim_is_made_once_and_can_be_withdrawn(
    claim: NamespaceClaim, isbn: Namespace, claimant: User
) -> None:
    with refused(ClaimPending, "Withdraw it"):
        a_claim(isbn, by=claimant)
    withdraw_claim(claim, by=claimant)
    assert a_claim(isbn, by=claimant).pk != claim.pk


def test_a_claim_is_decided_once(claim: NamespaceClaim, claimant: User, administrator: User) -> None:
    decline_claim(claim, by=administrator, reason="No.")
    with refused(ClaimDecided, "declined"):
        approve_claim(claim, by=administrator, reason="Yes.")
    with refused(ClaimDecided):
        withdraw_claim(claim, by=claimant)


def test_of_two_claims_the_second_needs_the_announcement_to_the_first(
    claim: NamespaceClaim, isbn: Namespace, administrator: User
) -> None:
    rival = a_claim(isbn, by=a_person(email="rival@example.org"))
    approve_claim(claim, by=administrator, reason="Proved.")
    with refused(NotYetApprovable, "Announce the claim first"):
        approve_claim(rival, by=administrator, reason="Proved too.")


def test_a_person_without_a_confirmed_address_does_not_claim(trees: Namespace) -> None:
    with refused(AddressNotConfirmed):
        a_claim(trees, by=a_person(email="unverified@example.org", is_verified=False))


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"ground": "rumour"}, "not a ground"),
        ({"statement": " \n"}, "Say who you are"),
        ({"links": ["javascript:alert(1)"]}, "not a web address"),
        ({"links": [f"https://example.org/{number}" for number in range(11)]}, "at most 10"),
    ],
)
def test_evidence_is_validated(evidence: dict[str, Any], words: str, isbn: Namespace, claimant: User) -> None:
    proper = {"ground": "domain", "statement": "I work there."}
    with refused(InvalidEvidence, words):
        claim_namespace(isbn, by=claimant, **(proper | evidence))


def test_a_decision_needs_a_reason(claim: NamespaceClaim, administrator: User) -> None:
    for action in (approve_claim, decline_claim):
        with refused(TextMissing):
            action(claim, by=administrator, reason=" ")


def test_claims_of_a_closed_account_are_withdrawn(claim: NamespaceClaim, claimant: User) -> None:
    close_account(claimant, by=None, reason="They left.")
    claim.refresh_from_db()
    assert claim.status == ClaimStatus.WITHDRAWN
    assert claim.ended_at is not None


def test_an_inactive_claimant_gets_nothing(
    claim: NamespaceClaim, claimant: User, administrator: User
) -> None:
    User.objects.filter(pk=claimant.pk).update(is_active=False)
    with refused(ClaimantNotActive):
        approve_claim(claim, by=administrator, reason="Proved.")


# A namespace whose registrant may have vanished.


def test_a_claim_of_a_held_namespace_is_announced_and_approved_later_by_a_second_administrator(
    announced: NamespaceClaim,
    claimant: User,
    registrant: User,
    administrator: User,
    other_administrator: User,
) -> None:
    with refused(NotYetApprovable, "can object until"):
        approve_claim(announced, by=other_administrator, reason="No answer.")
    due = let_time_pass(announced)
    with refused(NotYetApprovable, "Another administrator"):
        approve_claim(due, by=administrator, reason="No answer.")
    approve_claim(due, by=other_administrator, reason="No answer.")
    trees = Namespace.objects.get(nid="example-trees")
    assert trees.registrant == claimant
    assert Event.objects.get(verb="approve_claim").details["former"] == registrant.pk
    assert verbs() == ["claim_namespace", "announce_claim", "approve_claim"]
    with refused(NotPermitted):
        drafts.start_revision(trees, by=registrant)


def test_an_objection_ends_the_claim(
    announced: NamespaceClaim, registrant: User, other_administrator: User
) -> None:
    ended = object_to_claim(announced, by=registrant)
    assert ended.status == ClaimStatus.OBJECTED
    with refused(ClaimDecided, "ended by an objection"):
        approve_claim(announced, by=other_administrator, reason="No answer.")
    assert Namespace.objects.get(nid="example-trees").registrant == registrant


def test_an_objection_counts_until_the_claim_is_approved(announced: NamespaceClaim, registrant: User) -> None:
    assert object_to_claim(let_time_pass(announced), by=registrant).status == ClaimStatus.OBJECTED


def test_one_claim_is_announced_at_a_time(
    announced: NamespaceClaim, trees: Namespace, administrator: User
) -> None:
    rival = a_claim(trees, by=a_person(email="rival@example.org"))
    with refused(NotYetApprovable, "already announced"):
        announce_claim(rival, by=administrator, reason="Mails bounce.")
    with refused(NotYetApprovable, "not announced"):
        object_to_claim(rival, by=None)


def test_a_transfer_by_the_registrant_stops_an_announced_claim(
    announced: NamespaceClaim,
    trees: Namespace,
    registrant: User,
    participant: User,
    other_administrator: User,
) -> None:
    accept_transfer(offer_transfer(trees, by=registrant, to=participant.email), by=participant)
    with refused(NotYetApprovable, "another registrant"):
        approve_claim(let_time_pass(announced), by=other_administrator, reason="No answer.")


def test_a_namespace_without_a_registrant_needs_no_announcement(
    claim: NamespaceClaim, administrator: User
) -> None:
    with refused(NotYetApprovable, "has no registrant"):
        announce_claim(claim, by=administrator, reason="Mails bounce.")


# The database.


def test_the_database_refuses_what_the_rules_forbid(
    announced: NamespaceClaim, isbn: Namespace, claimant: User, administrator: User, other_administrator: User
) -> None:
    now, rows = timezone.now(), NamespaceClaim.objects
    approved = {"status": "approved", "ended_at": now, "replaced_event": 0}
    row = rows.filter(pk=announced.pk)
    unannounced = rows.filter(pk=a_claim(isbn, by=claimant).pk)
    forbidden: list[tuple[str, Any]] = [
        ("announced_claim_needs_time", lambda: row.update(**approved, decided_by=other_administrator)),
        (
            "announced_claim_needs_time",
            lambda: row.update(
                **approved, decided_by=administrator, announced_at=now - timedelta(2), objections_until=now
            ),
        ),
        ("approved_claim_names_who_decided", lambda: unannounced.update(**approved)),
        (
            "claimant_does_not_decide",
            lambda: row.update(status="declined", ended_at=now, decided_by=claimant),
        ),
        ("decided_claim_has_ended", lambda: row.update(status="declined")),
        ("decided_claim_has_ended", lambda: row.update(ended_at=now)),
        ("claim_status_is_known", lambda: row.update(status="lost")),
        ("claim_ground_is_known", lambda: row.update(ground="rumour")),
        ("announcement_is_complete", lambda: row.update(announced_at=None)),
        (
            "only_announced_claims_get_objections",
            lambda: unannounced.update(status="announced"),
        ),
        ("keep their namespace", lambda: row.update(claimant=administrator)),
        ("are never deleted", row.delete),
        (
            "one_undecided_claim_per_person",
            lambda: rows.create(namespace=announced.namespace, claimant=claimant, ground="other"),
        ),
    ]
    for name, statement in forbidden:
        with pytest.raises(IntegrityError, match=name), transaction.atomic():
            statement()


def test_a_decided_claim_is_never_decided_again(
    claim: NamespaceClaim, administrator: User, other_administrator: User
) -> None:
    decline_claim(claim, by=administrator, reason="No.")
    with pytest.raises(IntegrityError, match="are decided once"), transaction.atomic():
        NamespaceClaim.objects.filter(pk=claim.pk).update(status="withdrawn")


def test_two_approved_claims_do_not_replace_the_same_registrant(
    claim: NamespaceClaim, isbn: Namespace, administrator: User
) -> None:
    approve_claim(claim, by=administrator, reason="Proved.")
    rival = a_claim(isbn, by=a_person(email="rival@example.org"))
    with pytest.raises(IntegrityError, match="one_approved_claim_per_registrant"), transaction.atomic():
        NamespaceClaim.objects.filter(pk=rival.pk).update(
            status="approved", ended_at=timezone.now(), decided_by=administrator, replaced_event=0
        )


def test_only_the_claimant_finds_the_evidence_in_their_data(
    announced: NamespaceClaim, claimant: User, registrant: User
) -> None:
    object_to_claim(announced, by=registrant)
    assert data_about(claimant)["custody.NamespaceClaim"][0]["statement"] == "I work there."
    assert "custody.NamespaceClaim" not in data_about(registrant)


def test_logs_have_no_keys_of_mailed_links(announced: NamespaceClaim) -> None:
    contact = NamespaceContact.objects.get(namespace=announced.namespace)
    for path in (objection_path(announced), confirmation_path(contact)):
        key = path.split("/")[-2]
        assert key not in loggable_path(path)
