"""The page of a signed-in person: own cases and namespaces, and tasks."""

import pytest

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.workflow import transitions
from tests.support.browser import page, signed_in
from tests.support.factories import (
    a_case_in_review,
    a_draft,
    a_namespace,
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
    transitions.request_changes(
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
