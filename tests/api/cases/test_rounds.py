"""What was decided about a round's findings and action points is read here as on the public page, and no more."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply, open_points_of
from registry.cases.models import Case, Outcome
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import dismiss_finding
from tests.api.schema_checks import check_response
from tests.support.factories import a_case_in_review, a_template

CASES = "/api/v1/cases/"
ADVICE = {"section": "resolution", "code": "placeholder"}


@pytest.fixture
def case(registrant: User, expert: User) -> Case:
    """A round with advice that was set aside, and two action points that the second round answers."""
    case = a_case_in_review(by=registrant, resolution="It is a TODO.")
    dismiss_finding(case, by=expert, round_number=1, reason="They ask a resolver to be named so.", **ADVICE)
    points = [("purpose", "Say who benefits."), ("syntax", "Say whether zeros lead.")]
    case = functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    done, undone = (point.pk for point in open_points_of(case))
    replies = {
        done: DraftReply(Outcome.DONE),
        undone: DraftReply(Outcome.NOT_DONE, "It says so in its second line."),
    }
    text = a_template(purpose="Names trees, for gardeners.", resolution="It is a TODO.")
    return drafts.save_draft(case, text, by=registrant, stamp=case.draft_stamp, replies=replies)


def submit(case: Case) -> Case:
    return functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)


def get(client: Client, address: str) -> Any:
    response = client.get(address)
    assert response.status_code == 200, response.content
    check_response("get", response)
    return response.json()


def advice_in(round_: Any) -> Any:
    (found,) = (each for each in round_["findings"] if each["code"] == ADVICE["code"])
    return found["dismissal"]


def test_a_dismissal_has_its_author_and_reason(client: Client, case: Case) -> None:
    said = advice_in(get(client, f"{CASES}{case.pk}/rounds/1/"))
    assert (said["round"], said["by"]) == (1, "Expert")
    assert said["reason"] == "They ask a resolver to be named so."
    assert said["at"]
    page = client.get(f"/cases/{case.pk}/").content.decode()
    assert "They ask a resolver to be named so." in page


def test_a_dismissal_is_valid_until_the_section_changes(client: Client, case: Case, registrant: User) -> None:
    case = submit(case)
    assert advice_in(get(client, f"{CASES}{case.pk}/rounds/2/"))["round"] == 1
    text = a_template(purpose="Names trees, for gardeners.", resolution="It is a TODO for later.")
    case = submit(drafts.save_draft(case, text, by=registrant, stamp=case.draft_stamp))
    assert advice_in(get(client, f"{CASES}{case.pk}/rounds/3/")) is None
    assert advice_in(get(client, f"{CASES}{case.pk}/rounds/2/"))["by"] == "Expert"


def test_a_finding_without_dismissal_has_null(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant, resolution="It is a TODO.")
    assert advice_in(get(client, f"{CASES}{case.pk}/rounds/1/")) is None


def test_an_action_point_has_the_reply_of_a_later_round(client: Client, case: Case) -> None:
    answers = [point["reply"] for point in points_of(client, case)]
    assert answers == [None, None]
    assert get(client, f"{CASES}{case.pk}/rounds/1/")["replies"] == []
    case = submit(case)
    done, undone = points_of(client, case)
    assert done["reply"] == {"round": 2, "outcome": "done", "text": None}
    assert undone["reply"] == {
        "round": 2,
        "outcome": "not_done",
        "text": "It says so in its second line.",
    }
    assert get(client, f"{CASES}{case.pk}/rounds/2/")["replies"] == [
        {"point": done["number"], "section": "purpose", "outcome": "done", "text": None},
        {
            "point": undone["number"],
            "section": "syntax",
            "outcome": "not_done",
            "text": "It says so in its second line.",
        },
    ]
    assert "It says so in its second line." in client.get(f"/cases/{case.pk}/").content.decode()


def points_of(client: Client, case: Case) -> Any:
    (review,) = get(client, f"{CASES}{case.pk}/reviews/")["results"]
    return review["action_points"]


@pytest.mark.parametrize("part", ["", "rounds/", "rounds/1/", "reviews/", "comments/", "events/"])
def test_a_drafted_reply_is_not_public(client: Client, case: Case, part: str) -> None:
    """Nor is the address of a mailbox, which accounts have and no page shows."""
    words = client.get(f"{CASES}{case.pk}/{part}").content.decode()
    assert "second line" not in words
    assert "for gardeners" not in words
    assert "expert@example.org" not in words


def test_reviews_take_a_constant_number_of_queries(
    client: Client, case: Case, expert: User, django_assert_num_queries: Any
) -> None:
    case = submit(case)
    # The case, its reviews, and their points with the answers.
    with django_assert_num_queries(3):
        client.get(f"{CASES}{case.pk}/reviews/")
    points = [("purpose", "Which gardeners?")]
    functions.request_changes(case, by=expert, round_number=2, rationale="", action_points=points)
    with django_assert_num_queries(3):
        client.get(f"{CASES}{case.pk}/reviews/")
