"""The pages of actions say what will happen, computed from the state, and offer nothing that would be refused."""

import pytest

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from tests.support.browser import page, signed_in
from tests.support.factories import a_case_in_review, a_draft, a_template


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def transitions_of(case: Case, person: User) -> set[str]:
    shown = signed_in(person).get(page("detail", case.pk))
    return {each.name for each in shown.context["transitions"]}


@pytest.mark.parametrize("verdict", ["approve", "decline"])
def test_a_verdict_says_whether_it_decides(
    verdict: str, case: Case, expert: User, other_expert: User
) -> None:
    address = f"/desk/cases/{case.pk}/verdict/{verdict}/"
    assert "second expert" not in signed_in(expert).get(address).text
    people.require_two_experts(case, by=expert, required=True, reason="It touches others.")
    first = signed_in(expert).get(address).text
    assert "yours is the first such verdict, so the case stays in review" in first
    words = {"approve": "rationale", "decline": "reason"}[verdict]
    getattr(functions, verdict)(case, by=expert, round_number=1, **{words: "As I see it."})
    assert (
        "An expert has given this verdict, so yours is the second."
        in signed_in(other_expert).get(address).text
    )


def test_an_expert_who_gave_one_of_two_verdicts_is_offered_no_other(
    case: Case, expert: User, other_expert: User
) -> None:
    people.require_two_experts(case, by=expert, required=True, reason="It touches others.")
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    assert transitions_of(case, expert) == {"request_changes", "take_back"}
    assert transitions_of(case, other_expert) == {"request_changes", "approve", "decline"}
    review = signed_in(expert).get(f"/desk/cases/{case.pk}/")
    assert [each.name for each in review.context["verdicts"]] == ["request_changes"]


def test_a_withdrawal_says_what_stays_public(case: Case, registrant: User) -> None:
    submitted = signed_in(registrant).get(page("transition", case.pk, "withdraw")).text
    assert "Submitted rounds and comments stay public. A new case can be started" in submitted
    draft = a_draft(by=registrant, namespace_identifier="example-shrubs")
    private = signed_in(registrant).get(page("transition", draft.pk, "withdraw")).text
    assert "It was never submitted, so nothing of it becomes public." in private
    assert "stay public" not in private


def test_an_unchanged_draft_is_not_offered_for_review(case: Case, registrant: User) -> None:
    client = signed_in(registrant)
    assert "submit" not in transitions_of(case, registrant)
    refused = client.get(page("transition", case.pk, "submit"))
    assert refused.status_code == 409
    assert "The draft is identical to round 1" in refused.text
    assert "Your consent" not in refused.text
    drafts.save_draft(case, a_template(purpose="Names newer trees."), by=registrant, stamp=case.draft_stamp)
    assert "submit" in transitions_of(case, registrant)
    assert "Your consent" in client.get(page("transition", case.pk, "submit")).text


@pytest.mark.parametrize("is_required", [True, False])
def test_the_choice_that_changes_something_is_proposed(is_required: bool, case: Case, expert: User) -> None:
    people.require_two_experts(case, by=expert, required=is_required, reason="As it is.")
    form = signed_in(expert).get(page("transition", case.pk, "require-two-experts")).context["form"]
    assert form["required"].value() == ("no" if is_required else "yes")
