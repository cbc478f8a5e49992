"""The pages of the verdicts: drafts of their texts, action points, and verdicts that come too late."""

import re
from html import unescape

import pytest

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.models import Case, Comment, State
from registry.cases.workflow import functions
from registry.cases.workflow.declarations.parameters import MAX_ACTION_POINTS
from registry.cases.workflow.functions import people
from registry.core.validators import MAX_COMMENT_LENGTH
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.experts.marks import Mark, save_marks
from registry.review_desk.models import VerdictDraft
from tests.review_desk.conftest import SignIn, resubmitted
from tests.review_desk.experts.review_pages import verdict
from tests.support.browser import fields_of


def test_the_text_of_a_verdict_is_kept_until_it_is_given(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    client = signed_in(expert)
    words = {"round_number": 1, "reason": "Too long to write twice."}
    answer = client.post(verdict(case, "decline"), words, headers={"HX-Request": "true"})
    assert (answer.status_code, answer["Draft-Status"]) == (200, "saved")
    assert "Too long to write twice." in client.get(verdict(case, "decline")).text
    assert "Too long" not in signed_in(other_expert).get(verdict(case, "decline")).text
    kept = client.post(verdict(case, "decline"), words | {"reason": "Shorter.", "keep": "1"})
    assert kept["Location"] == f"/desk/cases/{case.pk}/"
    assert "Shorter." in client.get(verdict(case, "decline")).text
    assert client.post(verdict(case, "decline"), words | {"discard": "1"}).status_code == 302
    assert not VerdictDraft.objects.exists()
    points = {"points-TOTAL_FORMS": 3, "points-0-section": "syntax", "points-0-text": "Give a grammar."}
    client.post(verdict(case, "request-changes"), points | {"keep": "1"})
    page = client.get(verdict(case, "request-changes")).text
    assert re.search(r'name="points-0-text"[^>]*>\s*Give a grammar\.</textarea>', page)
    client.post(verdict(case, "approve"), {"round_number": 1, "rationale": "Sound."})
    assert not VerdictDraft.objects.exists()


def test_an_action_point_that_can_not_be_kept_is_reported_with_the_action_points(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    points = {"points-TOTAL_FORMS": 3, "points-INITIAL_FORMS": 0, "points-0-text": "Give a\x07 grammar."}
    sent = {"rationale": "Nearly.", "round_number": 1, "keep": "1"} | points
    answer = signed_in(expert).post(verdict(case, "request-changes"), sent)
    assert answer.status_code == 422
    form = answer.context["form"]
    assert "rationale" not in form.errors
    assert "of the action point is U+0007" in str(form.action_points.non_form_errors())


def test_a_draft_is_discarded_without_those_of_other_verdicts(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    client = signed_in(expert)
    client.post(verdict(case, "decline"), {"reason": "Too narrow.", "keep": "1"})
    client.post(verdict(case, "approve"), {"rationale": "Sound.", "keep": "1"})
    client.post(verdict(case, "decline"), {"reason": "Too narrow.", "discard": "1"})
    assert [each.texts for each in VerdictDraft.objects.all()] == [{"rationale": "Sound."}]


@pytest.mark.exhaustive
def test_an_older_page_does_not_overwrite_a_newer_draft(case: Case, expert: User, signed_in: SignIn) -> None:
    client, address = signed_in(expert), verdict(case, "request-changes")
    page = {"stamp": fields_of(client.get(address), address)["stamp"], "points-TOTAL_FORMS": "3"}
    htmx = {"HX-Request": "true"}
    first = client.post(address, page | {"rationale": "Nearly."}, headers=htmx)
    stamp = re.findall(r'name="stamp" value="([^"]+)"', first.text)[0]
    client.post(f"/desk/cases/{case.pk}/add-point/", {"section": "syntax", "text": "Give a grammar."})
    late = page | {"stamp": stamp, "rationale": "Nearly there."}
    in_background = client.post(address, late, headers=htmx)
    assert (in_background.status_code, in_background["Draft-Status"]) == (409, "not saved")
    answer = client.post(address, late | {"keep": "1"})
    assert answer.status_code == 409
    for text in ("Give a grammar.", "Nearly there.</textarea>", "You changed this text in another window"):
        assert text in answer.text
    assert len(VerdictDraft.objects.get().points) == 1
    over = re.findall(r'name="over" value="([^"]+)"', answer.text)[0]
    assert client.post(address, late | {"over": over})["Location"] == address
    assert VerdictDraft.objects.get().texts == {"rationale": "Nearly there."}


def test_a_save_without_changes_is_no_conflict(case: Case, expert: User, signed_in: SignIn) -> None:
    client, address, htmx = signed_in(expert), verdict(case, "approve"), {"HX-Request": "true"}
    for _ in range(2):
        answer = client.post(address, {"stamp": "", "rationale": "Sound."}, headers=htmx)
        assert (answer.status_code, answer["Draft-Status"]) == (200, "saved")


def test_a_verdict_is_given_from_the_desk(case: Case, expert: User, signed_in: SignIn) -> None:
    answer = signed_in(expert).post(verdict(case, "approve"), {"round_number": 1, "rationale": "Sound."})
    assert answer.headers["Location"] == "/desk/"
    case.refresh_from_db()
    assert case.state == State.APPROVED


def test_notes_that_are_not_ticked_become_action_points(case: Case, expert: User, signed_in: SignIn) -> None:
    marks = {
        "syntax-structure": Mark(note="Give a grammar."),
        "purpose-kinds": Mark(is_ticked=True, note="Fine."),
    }
    save_marks(case, by=expert, round_number=1, marks=marks)
    page = signed_in(expert).get(verdict(case, "request-changes")).content.decode()
    assert re.search(r'name="points-0-text"[^>]*>\s*Give a grammar\.</textarea>', page)
    assert '<option value="syntax" selected>' in page
    assert 'name="points-INITIAL_FORMS" value="1"' in page
    words = {
        "round_number": 1,
        "rationale": "",
        "points-TOTAL_FORMS": 4,
        "points-INITIAL_FORMS": 1,
        "points-0-section": "syntax",
        "points-0-text": "Give a grammar.",
    }
    assert signed_in(expert).post(verdict(case, "request-changes"), words).status_code == 302
    case.refresh_from_db()
    assert case.state == State.CHANGES_REQUESTED


def test_a_point_from_a_note_does_not_come_back_after_it_was_edited(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    notes = {"syntax-structure": Mark(note="Give a grammar."), "purpose-kinds": Mark(note="Which trees?")}
    save_marks(case, by=expert, round_number=1, marks=notes)
    client, address = signed_in(expert), verdict(case, "request-changes")
    points = {"points-TOTAL_FORMS": 5, "points-0-section": "syntax", "points-0-text": "Give an ABNF grammar."}
    client.post(address, points | {"keep": "1"})
    page = client.get(address)
    fields = fields_of(page, address)
    assert (fields["points-0-text"], fields["points-1-text"]) == ("Give an ABNF grammar.", "")
    assert 'name="point" value="purpose|Which trees?"' in page.text


def test_the_first_point_of_a_finding_does_not_replace_those_of_the_notes(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    save_marks(case, by=expert, round_number=1, marks={"syntax-structure": Mark(note="Give a grammar.")})
    client = signed_in(expert)
    client.post(f"/desk/cases/{case.pk}/add-point/", {"section": "purpose", "text": "Say for whom."})
    texts = [each["text"] for each in VerdictDraft.objects.get().points]
    assert texts == ["Give a grammar.", "Say for whom."]


@pytest.mark.exhaustive
def test_no_action_point_is_added_beyond_the_limit(case: Case, expert: User, signed_in: SignIn) -> None:
    client, address = signed_in(expert), verdict(case, "request-changes")
    texts = {f"points-{row}-text": f"Change {row}." for row in range(MAX_ACTION_POINTS - 1)}
    fields = {
        "round_number": 1,
        "points-TOTAL_FORMS": MAX_ACTION_POINTS - 1,
        "points-INITIAL_FORMS": 0,
    } | texts
    last = client.post(address, fields | {"point": "syntax|The last."})
    filled = fields_of(last, address)
    assert filled[f"points-{MAX_ACTION_POINTS - 1}-text"] == "The last."
    answer = client.post(address, filled | {"point": "syntax|One more."})
    assert answer.status_code == 409
    assert f"A review can have at most {MAX_ACTION_POINTS} action points." in answer.text
    kept = fields_of(answer, address)
    assert (kept["points-0-text"], kept[f"points-{MAX_ACTION_POINTS - 1}-text"]) == ("Change 0.", "The last.")
    assert f"points-{MAX_ACTION_POINTS}-text" not in kept


def test_the_report_is_drafted_from_the_case_and_edited_before_it_goes(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    case = resubmitted(case, expert=expert)
    case = people.anticipate_standards_action(
        case, by=expert, anticipated=True, reason="It is for a standard."
    )
    save_marks(case, by=expert, round_number=2, marks={"purpose-kinds": Mark(note="Trees, plainly.")})
    page = signed_in(expert).get(verdict(case, "forward-report")).content.decode()
    for words in ("Round 1, submitted", "Round 2, submitted", "Say who uses the names.", "Open points:",
                  "Trees, plainly.", "The template as submitted in round 2:", "anyone else"):  # fmt: skip
        assert words in page, words
    signed_in(expert).post(verdict(case, "forward-report"), {"round_number": 2, "report": "Register it."})
    case.refresh_from_db()
    assert case.state == State.AWAITING_DIRECTION


def test_the_draft_of_a_report_does_not_repeat_a_returned_one(
    case: Case, expert: User, liaison: User, signed_in: SignIn
) -> None:
    people.anticipate_standards_action(case, by=expert, anticipated=True, reason="It is for a standard.")
    functions.forward_report(case, by=expert, round_number=1, report="Earlier findings.")
    functions.return_to_experts(case, by=liaison, reason="Say who assigns the names.")
    page = signed_in(expert).get(verdict(case, "forward-report")).text
    (drafted,) = re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.DOTALL)
    assert "report to the approval body." in drafted
    assert "Earlier findings." not in drafted


@pytest.mark.parametrize(
    ("second", "field", "sentence"),
    [
        (("", "Say less."), "section", "Action point 2: the section is missing. Choose a section."),
        (("purpose", " "), "text", "Enter the text of action point 2."),
    ],
)
def test_what_is_wrong_with_an_action_point_stands_in_its_row(
    case: Case, expert: User, signed_in: SignIn, second: tuple[str, str], field: str, sentence: str
) -> None:
    typed = {"round_number": 1, "points-TOTAL_FORMS": 3, "points-INITIAL_FORMS": 0}
    for row, point in ((0, ("syntax", "Say more.")), (2, second)):
        typed |= {
            f"points-{row}-{name}": value for name, value in zip(("section", "text"), point, strict=True)
        }
    page = signed_in(expert).post(verdict(case, "request-changes"), typed)
    assert page.status_code == 422
    rows = page.context["form"].action_points
    assert [dict(row.errors).keys() for row in rows] == [set(), set(), {field}]
    assert sentence in str(rows[2].errors[field])
    assert page.text.count(sentence) == 1
    assert page.text.count('class="notice error"') == 1
    assert "Correct the action points below." in page.text


def test_a_review_without_an_action_point_is_refused_at_the_rows(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    typed = {"round_number": 1, "points-TOTAL_FORMS": 1, "points-INITIAL_FORMS": 0}
    page = signed_in(expert).post(verdict(case, "request-changes"), typed)
    rows = page.text.partition("<legend>Action points</legend>")[2]
    assert "Enter at least one action point, and choose its section." in rows
    assert page.text.count("Enter at least one action point") == 1


@pytest.mark.parametrize("rationale", [" ", "a\x1bb"])
def test_a_refused_rationale_is_marked_at_its_field(
    case: Case, expert: User, signed_in: SignIn, rationale: str
) -> None:
    page = signed_in(expert).post(verdict(case, "approve"), {"round_number": 1, "rationale": rationale})
    assert page.status_code == 422
    (message,) = page.context["form"].errors["rationale"]
    notice = page.text.partition('class="notice error"')[2].partition("</div>")[0]
    assert 'href="#id_rationale"' in notice
    assert message[:20] in notice
    assert page.text.count(message[:20]) == 2


def test_a_stale_verdict_shows_the_latest_round(case: Case, expert: User, signed_in: SignIn) -> None:
    case = resubmitted(case, expert=expert)
    page = signed_in(expert).post(verdict(case, "approve"), {"round_number": 1, "rationale": "Sound, I say."})
    assert page.status_code == 409
    assert "Sound, I say." in page.content.decode()


def fields_to_comment_again(page: str) -> dict[str, str]:
    form = page.partition('id="comment-again"')[2].partition("</form>")[0]
    return {name: unescape(value) for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form)}


def test_a_late_verdict_keeps_its_text_and_can_become_a_comment(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    functions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
    client = signed_in(expert)
    page = client.post(verdict(case, "decline"), {"round_number": 1, "reason": "My “long”\nreason."})
    assert page.status_code == 409
    assert "My “long”\nreason.</textarea>" in page.text
    assert (
        client.post(f"/desk/cases/{case.pk}/comment/", fields_to_comment_again(page.text)).status_code == 302
    )
    posted = Comment.objects.get()
    assert (posted.author, posted.section, posted.text) == (expert, "", "My “long”\nreason.")


def test_late_action_points_become_one_comment(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    functions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
    points = {"points-TOTAL_FORMS": 2, "points-INITIAL_FORMS": 0}
    for row, (section, text) in enumerate([("syntax", "Say more."), ("purpose", "Say less.")]):
        points |= {f"points-{row}-section": section, f"points-{row}-text": text}
    client, typed = signed_in(expert), {"round_number": 1, "rationale": "Nearly."}
    page = client.post(verdict(case, "request-changes"), typed | points)
    client.post(f"/desk/cases/{case.pk}/comment/", fields_to_comment_again(page.text))
    assert Comment.objects.get().text == "Nearly.\nSyntax: Say more.\nPurpose: Say less."


def test_a_late_verdict_without_a_text_offers_no_comment(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    functions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
    page = signed_in(expert).post(verdict(case, "decline"), {"round_number": 1, "reason": " "})
    assert page.status_code == 409
    assert "comment-again" not in page.text


def test_a_refused_comment_is_posted_again_in_its_place(case: Case, expert: User, signed_in: SignIn) -> None:
    first = comments.comment(case, by=expert, round_number=1, text="Digits only?", section="syntax")
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/comment/"
    typed = {"round_number": 2, "section": "syntax", "reply_to": first.pk, "text": "Yes, digits."}
    refused = client.post(address, typed)
    assert refused.status_code == 422
    assert client.post(address, fields_to_comment_again(refused.text)).status_code == 302
    posted = Comment.objects.latest("pk")
    assert (posted.text, posted.section, posted.reply_to) == ("Yes, digits.", "syntax", first)


def test_private_notes_are_not_offered_as_comments(case: Case, expert: User, signed_in: SignIn) -> None:
    note = "Between us: weak. " + "x" * MAX_COMMENT_LENGTH
    typed = {"round_number": 1, "note-purpose-kinds": note}
    page = signed_in(expert).post(f"/desk/cases/{case.pk}/checklist/", typed)
    assert page.status_code == 422
    assert "Between us: weak." in page.text
    assert "comment-again" not in page.text


def test_the_page_of_a_verdict_says_who_holds_the_case(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    expert_actions.take_case(case, by=other_expert)
    assert (
        f"{other_expert} has been reviewing this case since"
        in signed_in(expert).get(verdict(case, "approve")).text
    )
    assert "has been reviewing this case" not in signed_in(other_expert).get(verdict(case, "approve")).text


@pytest.mark.parametrize("name", ["assign", "withdraw", "direct", "nothing", "approve%0A", "äpprove"])
def test_an_unknown_verdict_is_not_found(name: str, case: Case, expert: User, signed_in: SignIn) -> None:
    assert signed_in(expert).get(verdict(case, name)).status_code == 404
