"""Canned texts of the experts, and the verdicts that contain them."""

import re

import pytest

from registry.accounts.models import User
from registry.cases import canned_texts
from registry.cases.models import CannedText, Case, State
from registry.cases.workflow import functions
from tests.review_desk.conftest import SignIn
from tests.review_desk.experts.review_pages import advice_on, verdict
from tests.support.browser import fields_of


@pytest.mark.exhaustive
def test_a_finding_becomes_an_action_point_with_one_click(
    advised: Case, expert: User, participant: User, signed_in: SignIn
) -> None:
    section, _, message = advice_on(advised)
    client, address = signed_in(expert), f"/desk/cases/{advised.pk}/add-point/"
    fields = fields_of(client.get(f"/desk/cases/{advised.pk}/"), address)
    assert fields["text"] == message
    for _ in range(2):
        answer = client.post(address, fields, follow=True)
        assert "Your draft of “Request changes” has 1 action point." in answer.text
    page = fields_of(client.get(verdict(advised, "request-changes")), verdict(advised, "request-changes"))
    assert (page["points-0-section"], page["points-0-text"]) == (section, message)
    assert client.post(address, {"section": section, "text": " "}).status_code == 422
    assert signed_in(participant).post(address, fields).status_code == 404


@pytest.mark.exhaustive
def test_findings_and_canned_texts_are_added_to_the_action_points_of_a_verdict(
    advised: Case, expert: User, canned: CannedText, signed_in: SignIn
) -> None:
    section, _, message = advice_on(advised)
    client, address = signed_in(expert), verdict(advised, "request-changes")
    fields = fields_of(client.get(address), address) | {
        "points-0-section": "syntax",
        "points-0-text": "Mine.",
    }
    answer = client.post(address, fields | {"point": f"{section}|{message}"})
    fields = fields_of(answer, address)
    assert (fields["points-0-text"], fields["points-1-text"]) == ("Mine.", message)
    assert fields["points-1-section"] == section
    fields = fields_of(client.post(address, fields | {"point": "", "canned": str(canned.pk)}), address)
    assert "The template is sound." in fields["points-2-text"]
    advised.refresh_from_db()
    assert advised.state == State.IN_REVIEW


@pytest.fixture
def canned(expert: User) -> CannedText:
    return canned_texts.add_canned_text(by=expert, title="Sound", text="The template is sound.\n\nThank you.")


def test_a_canned_text_is_appended(case: Case, expert: User, canned: CannedText, signed_in: SignIn) -> None:
    words = {"round_number": 1, "rationale": "Trees need names.", "canned": canned.pk, "insert": "1"}
    page = signed_in(expert).post(verdict(case, "approve"), words)
    assert page.status_code == 200
    assert re.search(
        r"Trees need names\.\s+The template is sound\.\s+Thank you\.</textarea>", page.content.decode()
    )
    case.refresh_from_db()
    assert case.state == State.IN_REVIEW


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "text", ["The template is sound.\n\nThank you.", "  The  template is sound.\r\nThank you. \n"]
)
def test_a_canned_text_alone_is_rejected_on_pages_and_api(
    text: str, case: Case, expert: User, canned: CannedText, signed_in: SignIn
) -> None:
    for address in (verdict(case, "approve"), f"/cases/{case.pk}/approve/"):
        page = signed_in(expert).post(address, {"round_number": 1, "rationale": text})
        assert page.status_code == 422
        assert "Add or change at least one line about this case." in page.content.decode()
    with pytest.raises(canned_texts.OnlyCannedText):
        functions.decline(case, by=expert, round_number=1, reason=text)
    with pytest.raises(canned_texts.OnlyCannedText):
        functions.request_changes(
            case, by=expert, round_number=1, rationale=text, action_points=[("purpose", "Say who benefits.")]
        )


def test_a_canned_text_can_be_an_action_point(
    case: Case, expert: User, canned: CannedText, signed_in: SignIn
) -> None:
    client, address = signed_in(expert), verdict(case, "request-changes")
    fields = fields_of(client.get(address), address)
    fields = fields_of(client.post(address, fields | {"point": "", "canned": str(canned.pk)}), address)
    assert client.post(address, fields | {"points-0-section": "syntax"}).status_code == 302
    case.refresh_from_db()
    assert case.state == State.CHANGES_REQUESTED


@pytest.mark.parametrize(
    "text",
    [
        "The template is sound.\nThank you.\nTrees need names.",
        "The template is sound!\nThank you.",
        "Thank you.",
    ],
)
def test_a_canned_text_with_an_own_line_is_accepted(
    text: str, case: Case, expert: User, canned: CannedText
) -> None:
    assert functions.approve(case, by=expert, round_number=1, rationale=text).state == State.APPROVED


def test_canned_texts_are_made_changed_and_removed_by_experts(
    expert: User, other_expert: User, signed_in: SignIn
) -> None:
    client = signed_in(expert)
    assert client.post("/desk/texts/new/", {"title": "Syntax", "text": "Give a grammar."}).status_code == 302
    text = CannedText.objects.get()
    again = signed_in(other_expert).post("/desk/texts/new/", {"title": "SYNTAX", "text": "Another."})
    assert again.status_code == 422
    changed = {"title": "Syntax", "text": "Give an ABNF grammar."}
    assert signed_in(other_expert).post(f"/desk/texts/{text.pk}/", changed).status_code == 302
    page = client.get("/desk/texts/").content.decode()
    assert "Give an ABNF grammar." in page
    assert str(other_expert) in page
    assert client.get(f"/desk/texts/{text.pk}/").status_code == 200
    assert client.post(f"/desk/texts/{text.pk}/remove/").status_code == 302
    assert not CannedText.objects.exists()


def test_a_canned_text_needs_a_title_and_a_text(expert: User, signed_in: SignIn) -> None:
    page = signed_in(expert).post("/desk/texts/new/", {"title": "", "text": " "})
    assert page.status_code == 422
    assert page.text.count("errorlist") == 2
    assert not CannedText.objects.exists()
