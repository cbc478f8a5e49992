"""The page of a signed-in person: own cases and namespaces, and tasks."""

import html

import pytest

from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.audiences import subscribe, unsubscribe
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import require_two_experts
from registry.custody.actions.claims import announce_claim, claim_namespace
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import Kind
from registry.review_desk.experts.actions import take_case
from tests.api.client import TokenClient
from tests.support.browser import fill_in, page, signed_in
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_namespace,
    a_person,
    an_approved_case,
)


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def test_the_personal_page_lists_own_drafts_cases_and_namespaces(
    registrant: User, expert: User, administrator: User, participant: User
) -> None:
    draft = a_draft(by=registrant, namespace_identifier="example-mosses")
    asked = a_case_in_review(by=registrant, namespace_identifier="example-ferns")
    functions.request_changes(
        asked, by=expert, round_number=1, rationale="", action_points=[("syntax", "Give ABNF.")]
    )
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    context = signed_in(registrant).get(page("mine")).context
    assert [each.case for each in context["drafts"]] == [draft]
    assert [task.case for task in context["waiting"]] == [asked]
    assert list(context["namespaces"]) == [namespace]
    assert asked in [own for own, _ in context["cases"]]
    nothing = signed_in(participant).get(page("mine"))
    assert "You have no drafts." in nothing.text
    assert nothing.context["desks"] == []


def test_the_personal_page_shows_tasks_for_each_role(
    registrant: User, expert: User, administrator: User, liaison: User
) -> None:
    to_review = a_case_in_review(by=registrant)
    own = a_case_in_review(by=expert, namespace_identifier="example-mosses")
    to_assign = an_approved_case(by=registrant, expert=expert, namespace_identifier="example-ferns")

    def waiting(user: User) -> list[Case]:
        desks = signed_in(user).get(page("mine")).context["desks"]
        return [task.case for desk in desks for task in desk.tasks]

    assert waiting(expert) == [to_review]
    assert waiting(administrator) == [to_assign]
    assert waiting(liaison) == []
    assert own not in waiting(expert)


def test_a_recused_person_has_no_task(case: Case, expert: User) -> None:
    answer = signed_in(expert).post(
        page("transition", case.pk, "recuse"), {"reason": "A friend's case."}, follow=True
    )
    assert answer.status_code == 200
    assert {transition.name for transition in answer.context["transitions"]} == set()
    (desk,) = signed_in(expert).get(page("mine")).context["desks"]
    assert desk.tasks == []


def test_the_personal_page_lists_tasks_of_all_roles(
    registrant: User, expert: User, participant: User, administrator: User
) -> None:
    everything = a_person(email="everything@example.org", roles=tuple(RoleName))
    a_case_in_review(by=registrant)
    an_approved_case(by=registrant, expert=expert, namespace_identifier="example-hedges")
    a_case_in_review(by=registrant, namespace_identifier="example-mosses", body=a_body())
    own = a_case_in_review(by=everything, namespace_identifier="example-ferns")
    functions.request_changes(
        own, by=expert, round_number=1, rationale="", action_points=[("syntax", "ABNF?")]
    )
    namespace = a_namespace(
        by=registrant, expert=expert, administrator=administrator, namespace_identifier="example-moths"
    )
    offer_transfer(namespace, by=registrant, to=everything.email)
    text = html.unescape(signed_in(everything).get(page("mine")).text)
    for sentence in (
        "change the template and submit it again.",
        "review the latest round.",
        "give advice if needed.",
        "register it, or return it to the registrant.",
        "decide whether to recognise the body.",
        "respond to the offers",
    ):
        assert sentence in text
    assert "You have no tasks" not in text
    assert text.count("Your turn:") >= 6


def test_a_completed_case_is_to_be_registered_only(
    registrant: User, administrator: User, liaison: User
) -> None:
    """On the fast track, it is not returned (RFC 8141, Section 6.3, step 4)."""
    case = a_case_in_review(by=registrant, body=a_body())
    functions.recognise(case, by=liaison, reference="Letter 1")
    functions.request_completion(case, by=registrant)
    shown = signed_in(administrator).get(page("mine")).text
    assert "register it." in shown
    assert "return it to the registrant" not in shown


def test_the_personal_page_says_what_is_next(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    client = signed_in(registrant)
    assert "Nothing to do: expect an answer by " in client.get(page("mine")).text
    functions.request_changes(
        case, by=expert, round_number=1, rationale="", action_points=[("syntax", "ABNF?")]
    )
    assert "Your turn: Edit the template to address the action points" in client.get(page("mine")).text


def test_a_case_that_another_expert_claimed_is_no_task(
    registrant: User, expert: User, other_expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    take_case(case, by=other_expert)
    assert "review the latest round." not in signed_in(expert).get(page("mine")).text
    assert "review the latest round." in signed_in(other_expert).get(page("mine")).text
    assert TokenClient(expert).get("account/").json()["waiting"]["expert"] == []
    require_two_experts(case, by=other_expert, required=True, reason="It affects others.")
    assert "review the latest round." in signed_in(expert).get(page("mine")).text


def test_the_personal_page_lists_claims(
    registrant: User, expert: User, administrator: User, participant: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    other = a_person(email="administrator-2@example.org", roles=(RoleName.ADMINISTRATOR,))
    claim = claim_namespace(namespace, by=participant, ground="other", statement="My site.", links=[])

    def shown(person: User) -> str:
        text = signed_in(person).get(page("mine")).text
        return text.partition("Claims of namespaces")[2].partition("</ul>")[0]

    assert "the administrators decide on your claim." in shown(participant)
    assert "decide on the claim." in shown(administrator)
    assert shown(registrant) == ""
    announce_claim(claim, by=administrator, reason="Plausible.")
    assert "object to it, if it is wrong." in shown(registrant)
    assert "the registrant can object to your claim." in shown(participant)
    assert shown(other) == ""


def test_an_empty_personal_page_shows_next_steps(participant: User) -> None:
    text = html.unescape(signed_in(participant).get(page("mine")).text)
    for sentence in (
        "You have no tasks.",
        "You have no drafts.",
        "You have no submitted or withdrawn cases.",
        "You have no namespaces.",
        "You have not subscribed to other cases.",
    ):
        assert sentence in text
    assert page("begin") in text
    assert page("list") in text


@pytest.mark.parametrize(
    ("kind", "body", "emptied", "said"),
    [
        (Kind.FORMAL, False, [], "9 of 9"),
        (Kind.FORMAL, False, ["purpose", "syntax"], "7 of 9"),
        (Kind.INFORMAL, False, ["purpose"], "7 of 8"),
        (Kind.FORMAL, True, ["documentation"], "9 of 10"),
    ],
)
def test_a_draft_shows_its_progress(
    kind: Kind, body: bool, emptied: list[str], said: str, registrant: User, co_editor: User
) -> None:
    changes = dict.fromkeys(emptied, "")
    draft = a_draft(by=registrant, kind=kind, body=a_body() if body else None, **changes)
    CoEditor.objects.create(case=draft, user=co_editor)
    for editor in (registrant, co_editor):
        text = signed_in(editor).get(page("mine")).text
        assert f"{said} required sections filled in" in text
        assert ("check it before you submit" in text) == (not emptied)


def test_an_empty_draft_has_nothing_done(registrant: User) -> None:
    drafts.create_case(by=registrant, kind=Kind.FORMAL)
    assert "0 of 9 required sections" in signed_in(registrant).get(page("mine")).text


def test_the_personal_page_lists_subscribed_and_own_cases_once(registrant: User, participant: User) -> None:
    case, other = (
        a_case_in_review(by=registrant, namespace_identifier=f"example-{name}") for name in ("a", "b")
    )
    subscribe(case, by=participant)
    comments.comment(other, by=participant, round_number=1, text="And elms?")

    def subscribed(user: User) -> set[Case]:
        return set(signed_in(user).get(page("mine")).context["subscribed"])

    assert subscribed(participant) == {case, other}
    unsubscribe(other, by=participant)
    assert subscribed(participant) == {case}
    assert subscribed(registrant) == set()


def test_a_withdrawn_draft_stays_on_the_page_until_it_is_deleted(registrant: User) -> None:
    case, client = a_draft(by=registrant), signed_in(registrant)
    assert f'href="{page("delete", case.pk)}"' in client.get(page("mine")).text
    functions.withdraw(case, by=registrant)
    mine = client.get(page("mine"))
    assert [own for own, _ in mine.context["cases"]] == [case]
    assert "Withdrawn before it was submitted" in client.get(page("detail", case.pk)).text
    assert "can’t be undone" in client.get(page("delete", case.pk)).text
    answer = fill_in(client, page("delete", case.pk))
    assert f"The draft of case {case.pk} is deleted." in answer.text
    assert list(answer.context["cases"]) == []
    assert "The draft was deleted" in client.get(page("detail", case.pk)).text


def test_a_submitted_case_is_not_deleted(registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    assert signed_in(registrant).post(page("delete", case.pk)).status_code == 409
