"""assign: an approved round becomes a namespace, or the next version of one, permanently."""

from itertools import count

import pytest

from registry.accounts.models import User
from registry.actions.declarations import ConditionNotMet
from registry.audit_log.models import Event
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import StaleRound, TransitionNotAllowed
from registry.mail.models import Message
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.registration import NIDNotRegistrable, NIDTaken, StaleRevision
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import InformalCounter, Kind, Namespace, Revision
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import a_revision_in_review, next_round
from tests.support.factories import a_namespace, an_approved_case, put_in_state


@pytest.fixture
def namespace(registrant: User, expert: User, administrator: User) -> Namespace:
    return a_namespace(by=registrant, expert=expert, administrator=administrator)


def an_approved_revision(namespace: Namespace, expert: User, **changes: object) -> Case:
    assert namespace.registrant is not None
    case = a_revision_in_review(namespace, by=namespace.registrant, **changes)
    return functions.approve(case, by=expert, round_number=1, rationale="Sound.")


def test_a_formal_namespace_is_registered_as_it_was_approved(
    approved: Case, registrant: User, administrator: User
) -> None:
    with one_event(
        verb="assign",
        by=administrator,
        case=approved.pk,
        moved=("approved", "registered"),
        text=digest_of_round(approved, 1),
        details={"version": 1, "round": 1},
    ):
        case = functions.assign(approved, by=administrator)
    namespace = Namespace.objects.get()
    assert (case.state, case.namespace, case.revision) == (State.REGISTERED, namespace, namespace.latest)
    assert (namespace.nid, namespace.kind, namespace.number) == ("example-trees", Kind.FORMAL, None)
    assert namespace.registrant == registrant
    revision = Revision.objects.get()
    assert (revision.version, revision.digest) == (1, digest_of_round(approved, 1))
    assert revision.text == approved.rounds.get().text


def test_a_nid_is_registered_in_lower_case(registrant: User, expert: User, administrator: User) -> None:
    case = an_approved_case(by=registrant, expert=expert, namespace_identifier="EXAMPLE-Oaks")
    assert functions.assign(case, by=administrator).namespace == Namespace.objects.get(nid="example-oaks")


def test_an_informal_namespace_gets_the_next_number(
    registrant: User, expert: User, administrator: User
) -> None:
    InformalCounter.objects.update(last=6)
    case = an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL)
    assigned = functions.assign(case, by=administrator)
    assert assigned.namespace is not None
    assert (assigned.namespace.nid, assigned.namespace.number) == ("urn-7", 7)
    revision = Revision.objects.get()
    assert revision.template.namespace_identifier == "urn-7"
    assert revision.digest != digest_of_round(case, 1)  # the registry wrote the NID into it


def test_the_number_takes_the_place_of_urn_n_in_the_text(
    registrant: User, expert: User, administrator: User
) -> None:
    InformalCounter.objects.update(last=8)
    purpose = "urn:urn-N:4711, also written URN:URN-N:4711, and my-urn-N. Any garden may use them."
    case = an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL, purpose=purpose)
    functions.assign(case, by=administrator)
    revision = Revision.objects.get()
    registered = "urn:urn-9:4711, also written URN:urn-9:4711, and my-urn-N."
    assert revision.template.purpose.startswith(registered)
    assert registered in " ".join(revision.text.split())
    assert "urn:urn-N:4711" in case.rounds.get().template.purpose


def test_the_event_of_an_informal_assignment_names_the_nid_and_the_text_that_holds_it(
    registrant: User, expert: User, administrator: User
) -> None:
    case = an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL)
    assigned = functions.assign(case, by=administrator)
    assert assigned.revision is not None
    event = Event.objects.latest("number")
    assert (event.nid, event.text_digest) == ("urn-1", assigned.revision.digest)


def test_a_refused_assignment_takes_no_number(registrant: User, expert: User, administrator: User) -> None:
    case = an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL)
    other = an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL)
    with refused(StaleRound):
        functions.assign(case, by=administrator, round_number=2)
    namespace = functions.assign(other, by=administrator).namespace
    assert namespace is not None
    assert namespace.nid == "urn-1"


def test_a_taken_nid_is_refused_and_the_case_stays_where_it_is(
    approved: Case, participant: User, expert: User, administrator: User
) -> None:
    competing_case = an_approved_case(by=participant, expert=expert, namespace_identifier="Example-TREES")
    functions.assign(competing_case, by=administrator)
    with refused(NIDTaken, "“example-trees” has been registered since"):
        functions.assign(approved, by=administrator)


@pytest.mark.exhaustive
def test_a_case_that_lost_its_nid_goes_back_and_gets_another(
    approved: Case, participant: User, expert: User, administrator: User
) -> None:
    functions.assign(an_approved_case(by=participant, expert=expert), by=administrator)
    functions.return_to_registrant(approved, by=administrator, reason="The NID went to another case.")
    case = next_round(approved, namespace_identifier="example-groves")
    functions.approve(case, by=expert, round_number=2, rationale="Sound.")
    assert functions.assign(case, by=administrator).namespace == Namespace.objects.get(nid="example-groves")


def test_a_deprecated_namespace_keeps_its_nid_from_everyone(
    namespace: Namespace, participant: User, expert: User, administrator: User
) -> None:
    deprecate(namespace, by=administrator, statement="Use another.")
    case = an_approved_round_that_asks_for("example-trees", participant, expert)
    with refused(NIDTaken):
        functions.assign(case, by=administrator)


numbers = count()


def an_approved_round_that_asks_for(nid: str, by: User, expert: User) -> Case:
    """As if the check at submission had let it through: `assign` asks again."""
    case = an_approved_case(by=by, expert=expert, namespace_identifier=f"example-{next(numbers)}")
    round_2 = case.rounds.get()
    round_2.pk, round_2.number = None, 2
    round_2.content = {**round_2.content, "namespace_identifier": nid}
    round_2.save(force_insert=True)
    return put_in_state(case, State.APPROVED, requested_nid=nid[:32])


@pytest.mark.parametrize(
    "nid", ["", "ab", "urn-7", "xn--oak", "x-oak", "de-oak", "eiché", "oak_tree", "-oak", "o" * 33]
)
def test_the_rules_of_section_5_1_are_checked_again(
    nid: str, registrant: User, expert: User, administrator: User
) -> None:
    case = an_approved_round_that_asks_for(nid, registrant, expert)
    with refused(NIDNotRegistrable):
        functions.assign(case, by=administrator)


def test_a_revision_becomes_the_next_version(namespace: Namespace, expert: User, administrator: User) -> None:
    case = an_approved_revision(namespace, expert)
    with one_event(
        verb="assign",
        by=administrator,
        case=case.pk,
        moved=("approved", "registered"),
        text=digest_of_round(case, 1),
        details={"version": 2, "round": 1},
    ):
        functions.assign(case, by=administrator)
    namespace.refresh_from_db()
    assert namespace.version == 2
    assert list(namespace.revisions.values_list("version", flat=True)) == [1, 2]


@pytest.mark.exhaustive
def test_an_overtaken_revision_is_refused_and_registered_after_another_round(
    namespace: Namespace, expert: User, administrator: User, registrant: User
) -> None:
    first, second = (an_approved_revision(namespace, expert, purpose=f"Trees {n}.") for n in (1, 2))
    functions.assign(first, by=administrator)
    with refused(StaleRevision, "version 2"):
        functions.assign(second, by=administrator)
    case = functions.return_to_registrant(second, by=administrator, reason="Look at version 2 first.")
    # The registrant finds nothing to change, and sends it in as it is: the registry counts the version.
    case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    functions.approve(case, by=expert, round_number=2, rationale="Sound.")
    functions.assign(case, by=administrator)
    assert list(namespace.revisions.values_list("version", flat=True)) == [1, 2, 3]


def test_a_deprecated_namespace_can_be_revised_and_stays_deprecated(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    deprecate(namespace, by=administrator, statement="Use another.")
    functions.assign(an_approved_revision(namespace, expert), by=administrator)
    namespace.refresh_from_db()
    assert (namespace.version, namespace.deprecation_statement) == (2, "Use another.")
    assert namespace.is_deprecated


def test_a_former_registrants_revision_is_not_registered(
    namespace: Namespace, registrant: User, participant: User, expert: User, administrator: User
) -> None:
    case = an_approved_revision(namespace, expert)
    accept_transfer(offer_transfer(namespace, by=registrant, to=participant.email), by=participant)
    with refused(ConditionNotMet, "transferred after this revision"):
        functions.assign(case, by=administrator)
    assert functions.withdraw(case, by=registrant).state == State.WITHDRAWN


def test_a_revision_is_registered_after_the_namespace_came_back(
    namespace: Namespace, registrant: User, participant: User, expert: User, administrator: User
) -> None:
    case = an_approved_revision(namespace, expert)
    accept_transfer(offer_transfer(namespace, by=registrant, to=participant.email), by=participant)
    accept_transfer(offer_transfer(namespace, by=participant, to=registrant.email), by=registrant)
    assert functions.assign(case, by=administrator).state == State.REGISTERED


def test_a_stale_round_is_not_registered(approved: Case, expert: User, administrator: User) -> None:
    functions.return_to_registrant(approved, by=administrator, reason="The address is wrong.")
    next_round(approved)
    functions.approve(approved, by=expert, round_number=2, rationale="Sound.")
    with refused(StaleRound, "You have read round 1, but round 2 is the latest."):
        functions.assign(approved, by=administrator, round_number=1)
    assert functions.assign(approved, by=administrator, round_number=2).state == State.REGISTERED


def test_a_case_is_assigned_once(approved: Case, administrator: User) -> None:
    functions.assign(approved, by=administrator)
    with refused(TransitionNotAllowed, "has been “registered” since"):
        functions.assign(approved, by=administrator)


def test_registrant_and_subscribers_are_notified_of_the_nid(
    registrant: User, expert: User, administrator: User
) -> None:
    functions.assign(an_approved_case(by=registrant, expert=expert, kind=Kind.INFORMAL), by=administrator)
    mails = Message.objects.filter(name="assign")
    assert {mail.to for mail in mails} == {registrant.email, expert.email}
    assert all("urn-1" in mail.subject for mail in mails)
