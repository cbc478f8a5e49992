"""Concurrent transitions on PostgreSQL, in threads: exactly one succeeds, and the others get the reason."""

import time
from collections import Counter
from functools import partial
from threading import Event as Signal
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.actions.declarations import ConditionNotMet
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import StaleDraft
from registry.cases.models import Case, State, TakenBackReview
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import AlreadySubmitted, TransitionNotAllowed
from registry.core.exceptions import NotPermitted
from registry.namespaces.actions import registration
from registry.namespaces.actions.registration import NIDTaken, StaleRevision
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import InformalCounter, Kind, Namespace
from tests.cases.traces import check_record_holds
from tests.cases.transitions.rounds import a_revision_in_review
from tests.support.browser import fields_of, page
from tests.support.databases import at_once, refusals
from tests.support.factories import a_namespace, a_person, a_template, an_approved_case

pytestmark = pytest.mark.usefixtures("real_database")


class ChangedMyMind(Exception):
    """Rolls an assignment back after it was made."""


def assign_or_think_again(case: Case, administrator: User, *, is_kept: bool) -> Case:
    with transaction.atomic():
        assigned = functions.assign(case, by=administrator)
        if not is_kept:
            raise ChangedMyMind
    return assigned


def check_numbers_have_no_gap_and_no_double(administrators: int, people: tuple[User, User, User]) -> None:
    """`administrators` assign informal namespaces at once; every third rolls its assignment back."""
    registrant, expert, administrator = people
    before = InformalCounter.objects.get().last
    cases = [
        an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL) for _ in range(administrators)
    ]
    answers = at_once(
        [
            partial(assign_or_think_again, case, administrator, is_kept=number % 3 != 2)
            for number, case in enumerate(cases)
        ]
    )
    assert {type(error) for error in refusals(answers)} == {ChangedMyMind}
    kept = administrators - len(refusals(answers))
    numbers = Namespace.objects.filter(number__gt=before).order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(before + 1, before + kept + 1))
    assert InformalCounter.objects.get().last == before + kept
    check_record_holds()


@pytest.mark.exhaustive
def test_informal_numbers_have_no_gap_and_no_double(people: tuple[User, User, User]) -> None:
    check_numbers_have_no_gap_and_no_double(9, people)


@pytest.mark.soak
def test_informal_numbers_have_no_gap_and_no_double_in_thirty_runs(people: tuple[User, User, User]) -> None:
    for _ in range(30):
        check_numbers_have_no_gap_and_no_double(50, people)


@pytest.mark.exhaustive
def test_one_of_many_assignments_of_one_nid_registers_it(people: tuple[User, User, User]) -> None:
    registrant, expert, administrator = people
    spellings = ["example-oaks", "EXAMPLE-OAKS", "Example-Oaks", "eXAMPLE-oAKS"] * 2
    cases = [
        an_approved_case(
            by=registrant, expert=expert, namespace_identifier=nid, purpose=f"Oaks, case {number}."
        )
        for number, nid in enumerate(spellings)
    ]
    answers = at_once([partial(functions.assign, case, by=administrator) for case in cases])
    told = refusals(answers)
    assert [type(error) for error in told] == [NIDTaken] * 7
    assert all("example-oaks" in str(error) and "5.1 (1)" in str(error) for error in told)
    assert Namespace.objects.filter(nid="example-oaks").count() == 1
    states = Counter(Case.objects.values_list("state", flat=True))
    assert states == {State.REGISTERED: 1, State.APPROVED: 7}
    assert Event.objects.filter(verb="assign").count() == 1
    check_record_holds()


def test_one_of_two_experts_deciding_at_once_decides(people: tuple[User, User, User]) -> None:
    registrant, expert, _ = people
    other = a_person(email="other@example.org", roles=(RoleName.EXPERT,))
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL, template=a_template())
    case = functions.submit(case, by=registrant, draft_stamp=0)
    answers = at_once(
        [
            partial(functions.approve, case, by=expert, round_number=1, rationale="Sound."),
            partial(functions.decline, case, by=other, round_number=1, reason="Not needed."),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [TransitionNotAllowed]
    assert Event.objects.filter(verb__in=["approve", "decline"]).count() == 1


@pytest.mark.exhaustive
def test_one_of_two_revisions_at_once_becomes_the_next_version(people: tuple[User, User, User]) -> None:
    registrant, expert, administrator = people
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    cases = []
    for number in (1, 2):
        case = drafts.start_revision(namespace, by=registrant)
        template = a_template(version=2, revision_information=f"Change {number}.")
        case = drafts.save_draft(case, template, by=registrant, stamp=case.draft_stamp)
        case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
        cases.append(functions.approve(case, by=expert, round_number=1, rationale="Sound."))
    answers = at_once([partial(functions.assign, case, by=administrator) for case in cases])
    assert [type(error) for error in refusals(answers)] == [StaleRevision]
    assert list(namespace.revisions.values_list("version", flat=True)) == [1, 2]
    check_record_holds()


def a_revision_to_assign(namespace: Namespace, expert: User) -> Case:
    assert namespace.registrant is not None
    case = a_revision_in_review(namespace, by=namespace.registrant)
    return functions.approve(case, by=expert, round_number=1, rationale="Sound.")


@pytest.mark.exhaustive
def test_a_transfer_and_a_revision_of_the_former_registrant_are_serialized(
    people: tuple[User, User, User],
) -> None:
    registrant, expert, administrator = people
    heir = a_person(email="heir@example.org")
    for number in range(2):
        namespace = a_namespace(
            by=registrant,
            expert=expert,
            administrator=administrator,
            namespace_identifier=f"example-{number}-heir",
        )
        case = a_revision_to_assign(namespace, expert)
        offer = offer_transfer(namespace, by=registrant, to=heir.email)
        answers = at_once(
            [partial(accept_transfer, offer, by=heir), partial(functions.assign, case, by=administrator)]
        )
        order = list(
            Event.objects.filter(nid=namespace.nid, verb__in=["accept_transfer", "assign"])
            .order_by("number")
            .values_list("verb", flat=True)
        )[1:]  # the first is the assignment of version 1
        if refusals(answers):
            assert [type(error) for error in refusals(answers)] == [ConditionNotMet]
            assert order == ["accept_transfer"]
        else:
            assert order == ["assign", "accept_transfer"]
    check_record_holds()


@pytest.mark.exhaustive
def test_a_transfer_waits_until_a_checked_revision_is_registered(
    people: tuple[User, User, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment between the question and the registration, held open."""
    registrant, expert, administrator = people
    heir = a_person(email="heir@example.org")
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_revision_to_assign(namespace, expert)
    offer = offer_transfer(namespace, by=registrant, to=heir.email)
    asked, register = Signal(), registration.register_revision

    def register_later(*arguments: Any) -> Any:
        asked.set()
        time.sleep(0.3)
        return register(*arguments)

    def accept() -> Namespace:
        asked.wait(timeout=30)
        return accept_transfer(offer, by=heir)

    monkeypatch.setattr(registration, "register_revision", register_later)
    answers = at_once([partial(functions.assign, case, by=administrator), accept])
    assert refusals(answers) == []
    verbs = Event.objects.filter(nid=namespace.nid).order_by("-number").values_list("verb", flat=True)
    assert list(verbs[:2]) == ["accept_transfer", "assign"]


@pytest.mark.exhaustive
def test_an_import_and_a_revision_do_not_wait_for_each_other(people: tuple[User, User, User]) -> None:
    registrant, expert, administrator = people
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_revision_to_assign(namespace, expert)
    held = Signal()

    def import_something() -> int:
        with transaction.atomic():
            registration.lock_assignments()
            held.set()
            time.sleep(0.3)
            return Namespace.objects.filter(pk=namespace.pk).update(template_url="https://example.org/t")

    def revise() -> Case:
        held.wait(timeout=30)
        return functions.assign(case, by=administrator)

    assert refusals(at_once([import_something, revise])) == []
    namespace.refresh_from_db()
    assert (namespace.version, namespace.template_url) == (2, "https://example.org/t")


def test_either_the_withdrawal_or_the_assignment_happens(people: tuple[User, User, User]) -> None:
    registrant, expert, administrator = people
    case = an_approved_case(by=registrant, expert=expert)
    answers = at_once(
        [
            partial(functions.withdraw, case, by=registrant),
            partial(functions.assign, case, by=administrator),
        ]
    )
    assert [type(error) for error in refusals(answers)] == [TransitionNotAllowed]
    registered = Namespace.objects.exists()
    assert Case.objects.get().state == (State.REGISTERED if registered else State.WITHDRAWN)
    assert Event.objects.filter(verb__in=["withdraw", "assign"]).count() == 1


def test_either_the_verdict_is_taken_back_or_the_namespace_is_assigned(
    people: tuple[User, User, User],
) -> None:
    registrant, expert, administrator = people
    for number in range(2):
        case = an_approved_case(by=registrant, expert=expert, namespace_identifier=f"example-{number}-either")
        answers = at_once(
            [
                partial(functions.take_back, case, by=expert, reason="A mistake."),
                partial(functions.assign, case, by=administrator),
            ]
        )
        assert [type(error) for error in refusals(answers)] == [TransitionNotAllowed]
        case = Case.objects.get(pk=case.pk)
        is_taken_back = TakenBackReview.objects.filter(review__round__case=case).exists()
        assert case.state == (State.IN_REVIEW if is_taken_back else State.REGISTERED)
        assert Event.objects.filter(case_number=case.pk, verb__in=["take_back", "assign"]).count() == 1
    check_record_holds()


def test_a_verdict_is_taken_back_once(people: tuple[User, User, User]) -> None:
    registrant, expert, _ = people
    case = an_approved_case(by=registrant, expert=expert)
    answers = at_once([partial(functions.take_back, case, by=expert, reason="A mistake.")] * 2)
    assert [type(error) for error in refusals(answers)] == [NotPermitted]
    assert TakenBackReview.objects.count() == 1


def test_a_submission_sent_twice_at_once_is_one_round(people: tuple[User, User, User]) -> None:
    registrant, _, _ = people
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL, template=a_template())
    answers = at_once([partial(functions.submit, case, by=registrant, draft_stamp=0)] * 2)
    assert [type(error) for error in refusals(answers)] == [AlreadySubmitted]
    assert case.rounds.count() == 1
    assert Event.objects.filter(verb="submit").count() == 1


@pytest.mark.exhaustive
def test_the_form_sent_twice_at_once_is_saved_once_and_both_are_asked_to_confirm(
    people: tuple[User, User, User],
) -> None:
    registrant, _, _ = people
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL, template=a_template())
    address = page("edit", case.pk)
    clients = [Client(), Client()]
    for client in clients:
        client.force_login(registrant)
    form = fields_of(clients[0].get(address), address) | {"submit": "1"}
    answers = at_once([partial(client.post, address, form) for client in clients])
    assert refusals(answers) == []
    assert [answer["Location"] for answer in answers if isinstance(answer, HttpResponse)] == [
        page("transition", case.pk, "submit")
    ] * 2
    assert Case.objects.get().draft_stamp == 1


def test_one_of_two_concurrent_saves_is_rejected_as_stale(people: tuple[User, User, User]) -> None:
    registrant, _, _ = people
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL, template=a_template())
    answers = at_once(
        [
            partial(drafts.save_draft, case, a_template(purpose=purpose), by=registrant, stamp=0)
            for purpose in ("This one.", "That one.")
        ]
    )
    assert [type(error) for error in refusals(answers)] == [StaleDraft]


@pytest.mark.exhaustive
def test_concurrent_submissions_write_one_audit_chain(people: tuple[User, User, User]) -> None:
    registrant, _, _ = people
    cases = [
        drafts.create_case(
            by=registrant, kind=Kind.FORMAL, template=a_template(purpose=f"Trees, part {number}.")
        )
        for number in range(8)
    ]
    answers = at_once([partial(functions.submit, case, by=registrant, draft_stamp=0) for case in cases])
    assert refusals(answers) == []
    assert Event.objects.filter(verb="submit").count() == 8
    check_record_holds()
