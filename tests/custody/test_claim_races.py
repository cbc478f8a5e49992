"""Concurrent decisions on claims of one namespace, in threads: one succeeds, and the others get the reason."""

from functools import partial

import pytest

from registry.accounts.models import RoleName
from registry.audit_log.models import Event
from registry.custody.actions.claims import announce_claim, approve_claim, object_to_claim
from registry.custody.exceptions import ClaimDecided, NotYetApprovable
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from tests.cases.traces import check_record_holds
from tests.custody.conftest import a_claim
from tests.custody.test_claims import let_time_pass
from tests.support.databases import at_once, refusals
from tests.support.factories import a_person, a_template, an_imported_namespace

pytestmark = pytest.mark.usefixtures("real_database")


def test_of_claims_that_administrators_approve_at_once_one_is_approved() -> None:
    isbn = an_imported_namespace("isbn")
    claims = [a_claim(isbn, by=a_person(email=f"claimant-{number}@example.org")) for number in range(6)]
    administrators = [
        a_person(email=f"administrator-{number}@example.org", roles=(RoleName.ADMINISTRATOR,))
        for number in range(6)
    ]
    answers = at_once(
        [
            partial(approve_claim, claim, by=administrator, reason="Proved.")
            for claim, administrator in zip(claims, administrators, strict=True)
        ]
    )
    assert [type(error) for error in refusals(answers)] == [NotYetApprovable] * 5
    approved = NamespaceClaim.objects.get(status=ClaimStatus.APPROVED)
    assert Namespace.objects.get(nid="isbn").registrant == approved.claimant
    assert Event.objects.filter(verb="approve_claim").count() == 1
    check_record_holds()


def test_an_approval_and_an_objection_at_once_exclude_each_other() -> None:
    registrant = a_person(email="registrant@example.org")
    trees = register_formal(a_template(), registrant=registrant).namespace
    claimant = a_person(email="claimant@example.org")
    first, second = (
        a_person(email=f"{which}@example.org", roles=(RoleName.ADMINISTRATOR,))
        for which in ("first", "second")
    )
    claim = a_claim(trees, by=claimant)
    claim = let_time_pass(announce_claim(claim, by=first, reason="Mails bounce."))
    answers = at_once(
        [
            partial(approve_claim, claim, by=second, reason="No answer."),
            partial(object_to_claim, claim, by=registrant),
        ]
    )
    assert len(refusals(answers)) == 1
    claim.refresh_from_db()
    trees.refresh_from_db()
    holder = {ClaimStatus.APPROVED: claimant, ClaimStatus.OBJECTED: registrant}[ClaimStatus(claim.status)]
    assert trees.registrant == holder
    assert type(refusals(answers)[0]) is ClaimDecided or claim.status == ClaimStatus.APPROVED
    check_record_holds()
