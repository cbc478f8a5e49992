"""cancel_completion: until the registration, the body decides when its application is mature (6.3, steps 3 and 4)."""

from registry.accounts.models import User
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import TransitionNotAllowed
from registry.mail.models import Message
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round
from tests.support.browser import fill_in, page, signed_in


def test_the_case_is_in_review_again(recognised: Case, registrant: User, administrator: User) -> None:
    functions.request_completion(recognised, by=registrant)
    Message.objects.all().delete()
    with one_event(
        verb="cancel_completion",
        by=registrant,
        case=recognised.pk,
        moved=("approved", "in_review"),
        reason="The standard changes.",
        text=digest_of_round(recognised, 1),
    ):
        case = functions.cancel_completion(recognised, by=registrant, reason=" The standard changes. ")
    assert case.state == State.IN_REVIEW
    assert administrator.email in Message.objects.filter(name="cancel_completion").values_list(
        "to", flat=True
    )


def test_another_round_is_completed(recognised: Case, registrant: User, administrator: User) -> None:
    functions.request_completion(recognised, by=registrant)
    second = next_round(functions.cancel_completion(recognised, by=registrant))
    with refused(TransitionNotAllowed):
        functions.assign(second, by=administrator)
    functions.request_completion(second, by=registrant)
    namespace = functions.assign(second, by=administrator).namespace
    assert namespace is not None
    assert namespace.latest is not None
    assert namespace.latest.template.purpose == second.draft_template.purpose


def test_the_registrant_cancels_on_the_page(recognised: Case, registrant: User) -> None:
    functions.request_completion(recognised, by=registrant)
    client = signed_in(registrant)
    assert "Cancel the completion" in client.get(recognised.get_absolute_url()).text
    answer = fill_in(client, page("transition", recognised.pk, "cancel-completion"))
    assert "You can submit another round" in answer.text
