"""What people do in a case without moving it: step back from it, and say whether a standards action is anticipated."""

import html

import pytest
from django.http import QueryDict
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.cases.forms.actions import action_form
from registry.cases.models import Case, CoEditor, Recusal, State
from registry.cases.workflow.declarations.reviews import APPROVE
from registry.cases.workflow.exceptions import StaleRound
from registry.core.exceptions import RegistryError
from registry.core.validators import TextMissing
from tests.support.browser import fill_in, page, signed_in
from tests.support.factories import a_body, a_case_in_review, a_person, put_in_state

RECUSE, ANTICIPATE = "recuse", "anticipate-standards-action"


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def buttons(client: Client, case: Case) -> set[str]:
    """Which of the two the page of the case offers."""
    shown = client.get(case.get_absolute_url()).text
    return {name for name in (RECUSE, ANTICIPATE) if f'href="{page("transition", case.pk, name)}"' in shown}


def test_an_action_button_requires_permission(
    case: Case,
    client: Client,
    registrant: User,
    participant: User,
    expert: User,
    administrator: User,
    liaison: User,
) -> None:
    editor = a_person(email="editor@example.org", roles=tuple(RoleName))
    CoEditor.objects.create(case=case, user=editor)
    for other in (client, *map(signed_in, (registrant, participant, editor))):
        assert buttons(other, case) == set()
    assert buttons(signed_in(expert), case) == {RECUSE, ANTICIPATE}
    for person in (administrator, liaison):
        assert buttons(signed_in(person), case) == {RECUSE}


@pytest.mark.parametrize("state", sorted(set(State) - {State.IN_REVIEW, State.REGISTERED}))
def test_a_standards_action_is_decided_on_in_review_alone(case: Case, expert: User, state: State) -> None:
    put_in_state(case, state)
    assert ANTICIPATE not in buttons(signed_in(expert), case)


def test_on_the_fast_track_there_is_no_standards_action_to_decide_on(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    assert buttons(signed_in(expert), case) == {RECUSE}


def test_a_recusal_records_a_reason_and_removes_the_permissions(case: Case, expert: User) -> None:
    client = signed_in(expert)
    answer = fill_in(client, page("transition", case.pk, RECUSE), reason="My <sister's> trees.")
    assert answer.redirect_chain == [(case.get_absolute_url(), 302)]
    assert "Recused themselves from the case" in answer.text
    assert "My <sister's> trees." in html.unescape(answer.text)
    assert Recusal.objects.get().user == expert
    assert buttons(client, case) == set()
    assert answer.context["transitions"] == []
    for name in (RECUSE, ANTICIPATE, "approve"):
        assert client.get(page("transition", case.pk, name)).status_code == 404
    assert client.post(page("transition", case.pk, RECUSE), {"reason": "Again."}).status_code == 404
    assert Event.objects.filter(verb="recuse").count() == 1


@pytest.mark.parametrize(
    ("anticipated", "words", "verdict"),
    [
        ("yes", "Recorded that a standards action is anticipated", "forward-report"),
        ("no", "Recorded that no standards action is anticipated", "approve"),
    ],
)
def test_the_standards_action_determines_the_available_verdicts(
    case: Case, expert: User, anticipated: str, words: str, verdict: str
) -> None:
    client = signed_in(expert)
    answer = fill_in(
        client,
        page("transition", case.pk, ANTICIPATE),
        anticipated=anticipated,
        reason="So says the working group.",
    )
    assert answer.redirect_chain == [(case.get_absolute_url(), 302)]
    assert words in answer.text
    assert "So says the working group." in answer.text
    slugs = {transition.slug for transition in answer.context["transitions"]}
    assert slugs & {"forward-report", "approve"} == {verdict}


@pytest.mark.parametrize("choice", ["", "maybe", "yes\n", "yés"])
def test_a_missing_choice_is_rejected_and_the_reason_kept(case: Case, expert: User, choice: str) -> None:
    typed = {"anticipated": choice, "reason": "My long reason."}
    answer = signed_in(expert).post(page("transition", case.pk, ANTICIPATE), typed)
    assert answer.status_code == 422
    assert "My long reason." in answer.text
    assert not Event.objects.filter(verb="anticipate_standards_action").exists()


@pytest.mark.parametrize(
    ("refusal", "round_number"),
    [(StaleRound("Round 1 is the latest."), "1"), (TextMissing("Enter it."), "0")],
)
def test_only_a_stale_form_takes_the_current_round(
    case: Case, refusal: RegistryError, round_number: str
) -> None:
    """Otherwise a round that was submitted in the meantime could be approved unread."""
    form = action_form(APPROVE, QueryDict("round_number=0&rationale=Sound."), case=case, by=case.registrant)
    form.refresh_stamps(refusal)
    assert (form["round_number"].value(), form["rationale"].value()) == (round_number, "Sound.")
