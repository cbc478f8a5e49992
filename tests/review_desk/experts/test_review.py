"""The review page: what it shows, and what is done there."""

import re

import pytest

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.models import Case, Comment
from registry.registration_template.sections import SECTIONS, Section
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.experts.checklist import CHECKLIST, questions_in_section
from registry.review_desk.experts.marks import Mark, UnknownQuestion, save_marks
from registry.review_desk.models import ChecklistMark
from tests.review_desk.conftest import SignIn, resubmitted
from tests.support.browser import fields_of, queries_of


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
    assert '<a class="anchor" href="#section-syntax" aria-label="Link to Syntax">' in page


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.key)
def test_the_checklist_asks_about_each_section(section: Section) -> None:
    """Version and Date need no judgement: the checks of the template compare them."""
    is_judged = section.key not in {"version", "date"}
    assert bool(questions_in_section(section.key)) is is_judged


@pytest.mark.parametrize(
    ("section", "reference", "words"),
    [
        ("namespace_identifier", "5.1", "another identifier system or a trademark"),
        ("registrant", "5.1 (1)", "maintain the namespace"),
        ("registrant", "5.1 (2)", "competent"),
        ("assignment", "5.1 (3)", "never reassigning"),
        ("syntax", "2.2", "IDNA, PRECIS or UAX #31"),
        ("syntax", "6.4.2 (2)", "special meaning"),
        ("syntax", "6.4.2 (3)", "several names can identify one resource"),
        ("security_and_privacy", "6.4.4", "RFC 6943"),
        ("security_and_privacy", "8", "special meaning"),
        ("resolution", "6.4.6", "intended or expected"),
        ("resolution", "2.3.2", "without a q-component"),
        ("documentation", "6.2, 6.3 (2)", "stable specification"),
        ("revision_information", "6.2", "changes of the underlying technology"),
        *(("purpose", f"6.4.1 ({item})", "") for item in range(1, 8)),
        *(("syntax", f"6.4.2 ({item})", "") for item in range(1, 6)),
        *(("assignment", f"6.4.3 ({item})", "") for item in range(1, 3)),
    ],
)
def test_the_checklist_asks_for_what_the_rfc_asks(section: str, reference: str, words: str) -> None:
    asked = (each.text for each in questions_in_section(section) if each.reference == reference)
    assert any(words in text for text in asked)


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
    assert "#comment-" in answer.headers["Location"]
    assert Comment.objects.get().section == "syntax"


@pytest.mark.exhaustive
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
    expert_actions.take_case(case, by=other_expert)
    save_marks(case, by=expert, round_number=1, marks={"purpose-kinds": Mark(note="Which?")})
    case = resubmitted(case, expert=expert)
    comments.comment(case, by=registrant, round_number=2, text="Better?", section="purpose")
    few = queries_of(client, f"/desk/cases/{case.pk}/")
    for number in range(5):
        comments.comment(case, by=registrant, round_number=2, text=f"Better {number}?", section="syntax")
    marks = {question.key: Mark(is_ticked=True, note="Good.") for question in CHECKLIST}
    save_marks(case, by=expert, round_number=2, marks=marks)
    save_marks(case, by=other_expert, round_number=2, marks=marks)
    assert queries_of(client, f"/desk/cases/{case.pk}/") == few
