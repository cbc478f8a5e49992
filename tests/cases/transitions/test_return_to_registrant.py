"""return_to_registrant: an administrator sends an approved case back instead of assigning it."""

from registry.accounts.models import User
from registry.actions.declarations import ConditionNotMet
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.browser import signed_in
from tests.support.factories import a_template


def test_the_case_returns_to_the_registrant_with_a_reason(
    approved: Case, registrant: User, administrator: User
) -> None:
    with one_event(
        verb="return_to_registrant",
        by=administrator,
        case=approved.pk,
        moved=("approved", "changes_requested"),
        reason="The address is wrong.",
        text=digest_of_round(approved, 1),
    ):
        case = functions.return_to_registrant(approved, by=administrator, reason="The address is wrong.")
    assert case.state == State.CHANGES_REQUESTED
    mail = Message.objects.get(name="return_to_registrant", to=registrant.email)
    assert "The address is wrong." in mail.body


def test_returned_it_is_reviewed_again_before_it_is_assigned(
    approved: Case, expert: User, administrator: User
) -> None:
    functions.return_to_registrant(approved, by=administrator, reason="The address is wrong.")
    second = next_round(approved)
    with refused(TransitionNotAllowed):
        functions.assign(second, by=administrator)
    functions.approve(second, by=expert, round_number=2, rationale="Only the address changed.")
    namespace = functions.assign(second, by=administrator).namespace
    assert namespace is not None
    assert namespace.latest is not None
    assert namespace.latest.template.purpose == second.draft_template.purpose


def test_a_returned_round_goes_back_to_the_expert_who_approved_it(
    approved: Case, expert: User, other_expert: User, administrator: User
) -> None:
    functions.return_to_registrant(approved, by=administrator, reason="The address is wrong.")
    Message.objects.all().delete()
    next_round(approved)
    told = Message.objects.filter(name="submit").values_list("to", flat=True)
    assert expert.email in told
    assert other_expert.email not in told


def test_what_a_body_completes_is_not_returned(
    recognised: Case, registrant: User, administrator: User
) -> None:
    """IANA completes the registration that the body asks for (6.3, step 4)."""
    functions.request_completion(recognised, by=registrant)
    with refused(ConditionNotMet, "The requesting body decided"):
        functions.return_to_registrant(recognised, by=administrator, reason="I do not like it.")
    page = signed_in(administrator).get(recognised.get_absolute_url())
    assert "Return to the registrant" not in page.text


def test_it_is_returned_if_the_registry_refuses_it(
    recognised: Case, registrant: User, administrator: User
) -> None:
    functions.request_completion(recognised, by=registrant)
    register_formal(a_template(namespace_identifier=recognised.requested_nid), registrant=registrant)
    case = functions.return_to_registrant(recognised, by=administrator, reason="The NID was taken.")
    assert case.state == State.CHANGES_REQUESTED
