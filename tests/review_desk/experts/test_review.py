"""The review page: what it shows, and what is done there."""

import re
from html import unescape

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.cases.case_detail import rounds_of
from registry.cases.discussion import canned_texts, comments
from registry.cases.models import CannedText, Case, Comment, Dismissal, State
from registry.cases.workflow import actions, dismissals, transitions
from registry.cases.workflow.exceptions import FindingBlocks, NoSuchFinding
from registry.cases.workflow.parameters import MAX_ACTION_POINTS
from registry.core.digests import digest_of
from registry.core.text_limits import MAX_COMMENT_LENGTH
from registry.core.validators import TextMissing
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.experts.checklist import CHECKLIST
from registry.review_desk.experts.marks import Mark, UnknownQuestion, save_marks
from registry.review_desk.models import ChecklistMark, VerdictDraft
from tests.review_desk.conftest import SignIn, resubmitted
from tests.support.browser import fields_of
from tests.support.factories import a_case_in_review


@pytest.fixture
def advised(registrant: User) -> Case:
    """A case with a finding that is advice: its identifier looks like that of another case."""
    a_case_in_review(by=registrant, namespace_identifier="example-tree")
    return a_case_in_review(by=registrant)


def advice_on(case: Case) -> tuple[str, str, str]:
    findings = [each for part in rounds_of(case)[0].sections for each in part.findings]
    found = next(each for each in findings if each.severity == "advice")
    return found.section, found.code, found.message


def test_the_page_has_the_template_the_checklist_and_the_replies(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert "Names trees in the care of botanical gardens" in page
    assert all(f'id="tick-{question.key}"' in page for question in CHECKLIST)
    for name in ("request-changes", "approve", "decline"):
        assert f"/desk/cases/{case.pk}/verdict/{name}/" in page
    assert "due in" in page
    assert "with the registrant" in page
    assert '<a class="anchor on-screen" href="#section-syntax" aria-label="Link to Syntax">' in page


def test_ticks_and_notes_are_kept_and_shown_to_the_next_expert(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    words = {
        "round_number": 1,
        "section": "purpose",
        "tick-purpose-kinds": "on",
        "note-purpose-scope": "Which networks?",
    }
    answer = signed_in(expert).post(f"/desk/cases/{case.pk}/checklist/", words)
    assert answer.headers["Location"] == f"/desk/cases/{case.pk}/#section-purpose"
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert re.search(r'name="tick-purpose-kinds" checked', page)
    assert not re.search(r'name="tick-purpose-scope" checked', page)
    assert ">Which networks?</textarea>" in page
    others = signed_in(other_expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert f"{expert}: not ticked; Which networks?" in others


def saved_marks(expert: User) -> dict[str, tuple[bool, str]]:
    marks = ChecklistMark.objects.filter(expert=expert)
    return {each.question: (each.is_ticked, each.note) for each in marks}


def test_only_marks_that_differ_are_written(case: Case, expert: User, signed_in: SignIn) -> None:
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/checklist/"
    client.post(address, {"round_number": 1, "stamp": "", "tick-purpose-kinds": "on"})
    assert saved_marks(expert) == {"purpose-kinds": (True, "")}
    case = resubmitted(case, expert=expert, resolution="There is none.")
    page = fields_of(client.get(f"/desk/cases/{case.pk}/"), address)
    del page["tick-purpose-kinds"]  # ticked in round 1, and the section is unchanged
    assert client.post(address, page).status_code == 302
    assert list(ChecklistMark.objects.order_by("round").values_list("is_ticked", flat=True)) == [True, False]


def test_an_older_page_does_not_overwrite_newer_notes(case: Case, expert: User, signed_in: SignIn) -> None:
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/checklist/"
    page = fields_of(client.get(f"/desk/cases/{case.pk}/"), address)
    assert client.post(address, page | {"note-purpose-kinds": "Trees only?"}).status_code == 302
    late = page | {"note-purpose-kinds": "Which trees?"}
    in_background = client.post(address, late, headers={"HX-Request": "true"})
    assert (in_background.status_code, in_background["Draft-Status"]) == (409, "not saved")
    answer = client.post(address, late)
    assert answer.status_code == 409
    for text in ("Trees only?", "Which trees?</textarea>", "You changed your ticks and notes"):
        assert text in answer.text
    assert saved_marks(expert) == {"purpose-kinds": (False, "Trees only?")}
    over = fields_of(answer, address) | {"over": re.findall(r'name="over" value="([^"]+)"', answer.text)[0]}
    assert client.post(address, over).status_code == 302
    assert saved_marks(expert) == {"purpose-kinds": (False, "Which trees?")}


def test_notes_on_an_earlier_round_are_saved_with_a_warning(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/checklist/"
    page = fields_of(client.get(f"/desk/cases/{case.pk}/"), address)
    case = resubmitted(case, expert=expert)
    typed = page | {"note-purpose-kinds": "Which trees?"}
    in_background = client.post(address, typed, headers={"HX-Request": "true"})
    assert "for round 1. Round 2 has been submitted since then" in in_background.text
    saved = client.post(address, typed | {"over": "", "stamp": ""}, follow=True)
    assert "Your ticks and notes were saved for round 1. This page shows round 2" in saved.text
    assert ChecklistMark.objects.get().round.number == 1


def test_the_page_has_the_threads_and_reviews_of_all_rounds(
    case: Case, expert: User, other_expert: User, registrant: User, signed_in: SignIn
) -> None:
    first = comments.comment(case, by=other_expert, round_number=1, text="Digits only?", section="syntax")
    comments.comment(case, by=other_expert, round_number=1, text="Fine as a whole.")
    case = resubmitted(case, expert=expert)
    comments.comment(case, by=registrant, round_number=2, text="Yes, digits.", reply_to=first.pk)
    page = signed_in(other_expert).get(f"/desk/cases/{case.pk}/").text
    for text in ("Digits only?", "Yes, digits.", "Fine as a whole.", "Nearly.", "Round 1</h3>"):
        assert text in page, text


def test_a_comment_is_answered_on_the_review_page(case: Case, expert: User, signed_in: SignIn) -> None:
    first = comments.comment(case, by=expert, round_number=1, text="Digits only?", section="syntax")
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/comment/"
    assert f'name="reply_to" value="{first.pk}"' in client.get(f"/desk/cases/{case.pk}/").text
    words = {"round_number": 1, "section": "syntax", "reply_to": first.pk, "text": "Yes."}
    assert client.post(address, words).status_code == 302
    assert Comment.objects.latest("pk").reply_to == first


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


def test_ticks_are_kept_for_unchanged_sections(case: Case, expert: User, signed_in: SignIn) -> None:
    ticked = {
        "purpose-kinds": Mark(is_ticked=True),
        "syntax-structure": Mark(is_ticked=True),
    }
    save_marks(case, by=expert, round_number=1, marks=ticked)
    case = resubmitted(case, expert=expert)
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert re.search(r'name="tick-syntax-structure" checked', page)
    assert not re.search(r'name="tick-purpose-kinds" checked', page)
    assert page.count("From an earlier round; the section is unchanged.") == 1


def test_a_later_round_shows_action_points_replies_and_changes(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    case = resubmitted(case, expert=expert)
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert "Say who uses the names." in page
    assert "Changed since round 1" in page
    assert page.count("<summary>Changed since") == 1


def test_a_comment_can_be_added_at_a_section(case: Case, expert: User, signed_in: SignIn) -> None:
    words = {"round_number": 1, "section": "syntax", "text": "Digits only?"}
    answer = signed_in(expert).post(f"/desk/cases/{case.pk}/comment/", words)
    assert answer.headers["Location"].endswith("#section-syntax")
    assert Comment.objects.get().section == "syntax"


def test_an_empty_comment_is_refused_and_one_on_no_round_comes_back(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    client, address = signed_in(expert), f"/desk/cases/{case.pk}/comment/"
    assert client.post(address, {"round_number": 1, "section": "syntax", "text": " \n"}).status_code == 422
    for number in ("0", "2", "", "1\n", "١", "1" * 30):
        page = client.post(address, {"round_number": number, "text": "Kept words"})
        assert page.status_code == 422
        assert "Kept words" in page.content.decode()
    assert not Comment.objects.exists()


def test_advice_is_dismissed_with_a_public_reason(
    advised: Case, expert: User, participant: User, signed_in: SignIn
) -> None:
    section, code, message = advice_on(advised)
    words = {"round_number": 1, "section": section, "code": code, "reason": "They agreed on the list."}
    assert signed_in(expert).post(f"/desk/cases/{advised.pk}/dismiss-finding/", words).status_code == 302
    public = signed_in(participant).get(advised.get_absolute_url()).content.decode()
    assert "They agreed on the list." in public
    assert "Dismissed a finding on" in public
    event = Event.objects.get(verb="dismiss_finding")
    assert event.details == {
        "round": 1,
        "section": section,
        "code": code,
        "message_digest": digest_of(message),
    }
    assert event.reason == "They agreed on the list."


def test_a_finding_is_dismissed_once_with_a_reason(advised: Case, expert: User) -> None:
    section, code, _ = advice_on(advised)
    how = {"by": expert, "round_number": 1, "section": section, "code": code}
    with pytest.raises(TextMissing):
        dismissals.dismiss_finding(advised, reason=" \n", **how)
    dismissals.dismiss_finding(advised, reason="Agreed.", **how)
    with pytest.raises(NoSuchFinding):
        dismissals.dismiss_finding(advised, reason="Agreed.", **how)
    kept = Dismissal.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        Dismissal.objects.filter(pk=kept.pk).update(reason="Something else.")


def test_a_dismissal_holds_while_the_section_is_unchanged(
    advised: Case, expert: User, signed_in: SignIn
) -> None:
    section, code, _ = advice_on(advised)
    dismissals.dismiss_finding(
        advised, by=expert, round_number=1, section=section, code=code, reason="They agreed on the list."
    )
    case = resubmitted(advised, expert=expert)
    page = signed_in(expert).get(f"/desk/cases/{case.pk}/").content.decode()
    assert "They agreed on the list." in page
    assert "in round 1; the section is unchanged" in page


def test_a_blocking_finding_cannot_be_dismissed(registrant: User, expert: User, administrator: User) -> None:
    first = a_case_in_review(by=registrant)
    second = a_case_in_review(by=registrant)
    transitions.approve(first, by=expert, round_number=1, rationale="Sound.")
    transitions.assign(first, by=administrator)
    part = rounds_of(second)[0].sections[0]
    blocks = next(each for each in part.findings if each.severity == "blocking")
    with pytest.raises(FindingBlocks):
        dismissals.dismiss_finding(
            second, by=expert, round_number=1, section=blocks.section, code=blocks.code, reason="Please."
        )
    assert not Dismissal.objects.exists()


def test_only_experts_of_the_case_can_dismiss(
    advised: Case, registrant: User, participant: User, administrator: User, signed_in: SignIn
) -> None:
    section, code, _ = advice_on(advised)
    words = {"round_number": 1, "section": section, "code": code, "reason": "Mine."}
    for person in (registrant, participant, administrator):
        assert signed_in(person).post(f"/desk/cases/{advised.pk}/dismiss-finding/", words).status_code == 404
    assert not Dismissal.objects.exists()


def test_the_review_is_not_for_others(
    case: Case, registrant: User, participant: User, administrator: User, signed_in: SignIn
) -> None:
    for person in (registrant, participant, administrator):
        for what in ("", "verdict/approve/", "hand-over/"):
            assert signed_in(person).get(f"/desk/cases/{case.pk}/{what}").status_code == 404


def test_a_question_that_is_not_on_the_list_is_refused(case: Case, expert: User) -> None:
    for key in ("", "purpose-kinds\n", "pürpose-kinds", "purpose-kindss", "purpose-kinds٣"):
        with pytest.raises(UnknownQuestion):
            save_marks(case, by=expert, round_number=1, marks={key: Mark(is_ticked=True)})
    assert not ChecklistMark.objects.exists()


def test_the_number_of_queries_does_not_grow_with_rounds(
    case: Case, registrant: User, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    client = signed_in(expert)
    client.get(f"/desk/cases/{case.pk}/")
    expert_actions.claim_case(case, by=other_expert)
    save_marks(case, by=expert, round_number=1, marks={"purpose-kinds": Mark(note="Which?")})
    case = resubmitted(case, expert=expert)
    comments.comment(case, by=registrant, round_number=2, text="Better?", section="purpose")
    few = queries(client, case)
    for number in range(5):
        comments.comment(case, by=registrant, round_number=2, text=f"Better {number}?", section="syntax")
    marks = {question.key: Mark(is_ticked=True, note="Good.") for question in CHECKLIST}
    save_marks(case, by=expert, round_number=2, marks=marks)
    save_marks(case, by=other_expert, round_number=2, marks=marks)
    assert queries(client, case) == few


def queries(client: Client, case: Case) -> int:
    with CaptureQueriesContext(connection) as asked:
        assert client.get(f"/desk/cases/{case.pk}/").status_code == 200
    return len(asked)


def verdict(case: Case, name: str) -> str:
    return f"/desk/cases/{case.pk}/verdict/{name}/"


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
    for name in ("insert", "more", "keep", "discard", "point"):
        filled.pop(name, None)
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
    case = actions.anticipate_standards_action(
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
    actions.anticipate_standards_action(case, by=expert, anticipated=True, reason="It is for a standard.")
    transitions.forward_report(case, by=expert, round_number=1, report="Earlier findings.")
    transitions.return_to_experts(case, by=liaison, reason="Say who assigns the names.")
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
    assert page.text.count(message[:20]) == page.text.count('class="notice error"') == 1


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
    transitions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
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
    transitions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
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
    transitions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
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
    expert_actions.claim_case(case, by=other_expert)
    assert (
        f"{other_expert} has been reviewing this case since"
        in signed_in(expert).get(verdict(case, "approve")).text
    )
    assert "has been reviewing this case" not in signed_in(other_expert).get(verdict(case, "approve")).text


@pytest.mark.parametrize("name", ["assign", "withdraw", "direct", "nothing", "approve%0A", "äpprove"])
def test_an_unknown_verdict_is_not_found(name: str, case: Case, expert: User, signed_in: SignIn) -> None:
    assert signed_in(expert).get(verdict(case, name)).status_code == 404


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


def test_findings_and_canned_texts_are_added_to_the_action_points_of_a_verdict(
    advised: Case, expert: User, canned: CannedText, signed_in: SignIn
) -> None:
    section, _, message = advice_on(advised)
    client, address = signed_in(expert), verdict(advised, "request-changes")
    fields = fields_of(client.get(address), address) | {
        "points-0-section": "syntax",
        "points-0-text": "Mine.",
    }
    for name in ("insert", "more", "keep", "discard", "point"):
        fields.pop(name, None)
    answer = client.post(address, fields | {"point": f"{section}|{message}"})
    fields = fields_of(answer, address)
    assert (fields["points-0-text"], fields["points-1-text"]) == ("Mine.", message)
    assert fields["points-1-section"] == section
    for name in ("insert", "more", "keep", "discard", "point"):
        fields.pop(name, None)
    fields = fields_of(client.post(address, fields | {"point": "", "canned": str(canned.pk)}), address)
    assert "The template is sound." in fields["points-2-text"]
    advised.refresh_from_db()
    assert advised.state == State.IN_REVIEW


@pytest.fixture
def canned(expert: User) -> CannedText:
    return canned_texts.keep(by=expert, title="Sound", text="The template is sound.\n\nThank you.")


def test_a_canned_text_is_appended(case: Case, expert: User, canned: CannedText, signed_in: SignIn) -> None:
    words = {"round_number": 1, "rationale": "Trees need names.", "canned": canned.pk, "insert": "1"}
    page = signed_in(expert).post(verdict(case, "approve"), words)
    assert page.status_code == 200
    assert re.search(
        r"Trees need names\.\s+The template is sound\.\s+Thank you\.</textarea>", page.content.decode()
    )
    case.refresh_from_db()
    assert case.state == State.IN_REVIEW


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
        transitions.decline(case, by=expert, round_number=1, reason=text)
    with pytest.raises(canned_texts.OnlyCannedText):
        transitions.request_changes(
            case, by=expert, round_number=1, rationale="", action_points=[("purpose", text)]
        )


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
    assert transitions.approve(case, by=expert, round_number=1, rationale=text).state == State.APPROVED


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
