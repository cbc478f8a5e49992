"""An account that is closed while it gets something, in threads: the second transaction waits, and sees the first."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from registry.accounts.closing import SomethingLeftToDo, close_own_account
from registry.accounts.erasure import preview
from registry.accounts.models import RoleName, User
from registry.accounts.personal_data import find_person
from registry.audit_log import log
from registry.cases import comments
from registry.cases.models import Case
from registry.core.exceptions import NotPermitted, RegistryError
from registry.custody.actions.claims import claim_namespace
from registry.custody.models import NamespaceClaim
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Kind, Namespace
from registry.organisations.models import Organisation
from tests.cases.traces import check_record_holds
from tests.namespaces.lookup.test_concurrent_updates import until_it_waits
from tests.organisations.conftest import an_organisation
from tests.support.factories import a_case_in_review, a_person, a_template, an_imported_namespace

pytestmark = pytest.mark.usefixtures("real_database")


def one_after_the_other(
    first: Callable[[], object], second: Callable[[], object], finish: Callable[[], object] = lambda: None
) -> Any:
    """The result of `second`, begun before `first` and `finish` were committed, or the reason for which it was refused."""

    def follow() -> Any:
        try:
            return second()
        except RegistryError as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            first()
            following = pool.submit(follow)
            until_it_waits(following.done)
            finish()
        answer = following.result(240)
    check_record_holds()
    return answer


def an_offer() -> tuple[User, Namespace, Callable[[], object]]:
    registrant, heir = a_person(email="registrant@example.org"), a_person(email="heir@example.org")
    trees = register_formal(a_template(), registrant=registrant).namespace
    offer = offer_transfer(trees, by=registrant, to=heir.email)
    return heir, trees, lambda: accept_transfer(offer, by=heir)


def test_an_account_that_has_just_accepted_a_namespace_is_not_closed() -> None:
    heir, trees, accept = an_offer()
    refusal = one_after_the_other(accept, lambda: close_own_account(heir))
    assert isinstance(refusal, SomethingLeftToDo)
    assert trees.nid in str(refusal)
    assert User.objects.get(pk=heir.pk).is_active


def test_an_account_that_has_just_been_closed_accepts_nothing() -> None:
    heir, trees, accept = an_offer()
    refusal = one_after_the_other(lambda: close_own_account(heir), accept)
    assert isinstance(refusal, NotPermitted)
    trees.refresh_from_db()
    assert trees.registrant != heir


def test_an_account_that_has_just_been_closed_claims_nothing() -> None:
    claimant, isbn = a_person(email="claimant@example.org"), an_imported_namespace("isbn")
    claim = {"ground": "domain", "statement": "I work there."}
    refusal = one_after_the_other(
        lambda: close_own_account(claimant), lambda: claim_namespace(isbn, by=claimant, **claim)
    )
    assert isinstance(refusal, NotPermitted)
    assert not NamespaceClaim.objects.exists()


@pytest.mark.exhaustive
def test_an_erasure_locks_what_it_changes_before_it_writes_an_event() -> None:
    leaver = a_person(email="leaver@example.org", roles=(RoleName.LIAISON,))
    trees = register_formal(a_template(), registrant=an_organisation(by=leaver)).namespace
    isbn = an_imported_namespace("isbn")
    claim = claim_namespace(isbn, by=leaver, ground="domain", statement="I work there.")
    registrant = a_person(email="registrant@example.org")
    oaks = register_formal(a_template(namespace_identifier="example-oaks"), registrant=registrant).namespace
    offer_transfer(oaks, by=registrant, to=leaver.email)
    case = a_case_in_review(by=registrant, kind=Kind.INFORMAL)
    comments.comment(case, by=leaver, round_number=1, text="Is this needed?")
    for locked in (
        Case.objects.filter(pk=case.pk),
        Namespace.objects.filter(pk=isbn.pk),
        Namespace.objects.filter(pk=oaks.pk),
        Organisation.objects.filter(namespaces=trees),
    ):
        # Otherwise, both would wait for each other: one for the row, the other for the log.
        erasure = one_after_the_other(
            partial(list, locked.select_for_update(of=("self",))),
            partial(preview, find_person(leaver.email), by=None, reason="They left."),
            partial(log.append, "confirm_contact", by=None, nid="isbn"),
        )
        assert erasure.erased
    claim.refresh_from_db()
    assert claim.is_undecided
