"""A draft that saves itself: what it answers with, and what is said beside the fields."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply, replies_in
from registry.cases.models import ActionPoint, Case, Outcome, State
from registry.cases.workflow import functions
from registry.namespaces.models import Kind
from tests.cases.conftest import opened, reread, sent_by_itself
from tests.support.browser import fields_of, fill_in, page, signed_in, submit_draft
from tests.support.factories import a_case_in_review, a_draft, a_namespace

# Saving


def test_autosave_saves_and_returns_a_new_stamp(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    first = sent_by_itself(writer, draft, fields, purpose="Names trees.")
    assert first.status_code == 200
    assert 'name="stamp" value="1"' in first.text
    assert "Saved at" in first.text
    second = sent_by_itself(writer, draft, fields | {"stamp": "1"}, purpose="Names trees and hedges.")
    assert second.status_code == 200
    assert reread(draft).draft_template.purpose == "Names trees and hedges."


def test_the_autosave_response_has_no_text_fields(writer: Client, sent_back: Case) -> None:
    answer = sent_by_itself(writer, sent_back, opened(writer, sent_back))
    assert answer.status_code == 200
    assert "<textarea" not in answer.text
    assert answer.text.count("<input") == answer.text.count('name="stamp"') == 1
    assert "<html" not in answer.text


def test_every_part_of_the_autosave_response_has_a_target_on_the_page(
    writer: Client, sent_back: Case
) -> None:
    shown = writer.get(page("edit", sent_back.pk)).text
    answer = sent_by_itself(writer, sent_back, opened(writer, sent_back)).text
    places = [piece.split('"')[1] for piece in answer.split(" id=")[1:] if "hx-swap-oob" in piece[:80]]
    assert len(places) > 15
    for place in places:
        assert shown.count(f'id="{place}"') == 1, place


def test_autosave_keeps_the_notes_on_unplaced_lines(writer: Client) -> None:
    pasted = "Some words before it all.\n\nNamespace Identifier: example-pasted\nPurpose:\n  Names things.\n"
    fill_in(writer, page("begin"), template=pasted)
    case = Case.objects.get()
    sent_by_itself(writer, case, opened(writer, case), purpose="Names pasted things.")
    assert "Some words before it all." in writer.get(page("edit", case.pk)).text


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("purpose", "bell\x07", "U+0007"),
        ("registrant_phone", "1\x00", "U+0000"),
        ("syntax", "y" * 250_001, "250,000"),
    ],
)
def test_autosave_reports_unstorable_text_at_its_field(
    writer: Client, draft: Case, field: str, typed: str, sentence: str
) -> None:
    answer = sent_by_itself(writer, draft, opened(writer, draft), **{field: typed})
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "Not saved. Correct the fields that are marked." in answer.text
    assert 'name="stamp"' not in answer.text
    assert reread(draft).draft_template == draft.draft_template


@pytest.mark.parametrize("stamp", ["", "x", "1\n", "١"])
def test_without_a_stamp_nothing_is_saved(writer: Client, draft: Case, stamp: str) -> None:
    answer = sent_by_itself(writer, draft, opened(writer, draft), stamp=stamp, purpose="Other.")
    assert answer.status_code in {409, 422}
    assert reread(draft).draft_template == draft.draft_template


def test_autosave_returns_404_to_others(draft: Case, participant: User) -> None:
    stranger = signed_in(participant)
    assert stranger.post(page("autosave", draft.pk), {"stamp": "0"}).status_code == 404
    assert Client().post(page("autosave", draft.pk), {"stamp": "0"}).status_code == 302


def test_only_editors_can_autosave_a_public_case(registrant: User, participant: User) -> None:
    case = a_case_in_review(by=registrant)
    fields = opened(signed_in(registrant), case)
    assert sent_by_itself(signed_in(participant), case, fields, purpose="Mine.").status_code == 404
    assert reread(case).draft_template == case.draft_template


def test_autosave_requires_post(writer: Client, draft: Case) -> None:
    assert writer.get(page("autosave", draft.pk)).status_code == 405


def test_autosave_reports_a_closed_case(writer: Client, registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    fields = opened(writer, case)
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    answer = sent_by_itself(writer, case, fields, purpose="Too late.")
    assert answer.status_code == 409
    assert "draft can&#x27;t be edited" in answer.text


# What is said beside the fields


def remarks(answer: Any, key: str) -> str:
    text = str(answer.text)
    return text.partition(f'id="{key}-remarks"')[2].partition("-remarks")[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("nid", "said"),
    [
        ("example-birds", "is free"),
        ("Example-Birds", "is free"),
        ("example-oaks", "has been registered since"),
        ("example-moss", "is already requested in case"),
        ("ab", "not available"),
        ("ab\n", "not available"),
        ("bäume", "not valid"),
        ("a" * 33, "not valid"),
        ("x-tree", "not available"),
        ("urn-12", "not available"),
    ],
)
def test_autosave_reports_on_the_nid(
    writer: Client,
    draft: Case,
    registrant: User,
    participant: User,
    expert: User,
    administrator: User,
    nid: str,
    said: str,
) -> None:
    a_namespace(
        by=participant, expert=expert, administrator=administrator, namespace_identifier="example-oaks"
    )
    a_case_in_review(by=participant, namespace_identifier="example-moss")
    answer = sent_by_itself(writer, draft, opened(writer, draft), namespace_identifier=nid)
    assert said in remarks(answer, "namespace_identifier")


def test_a_case_does_not_compete_with_itself(writer: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    assert "is free" in remarks(writer.get(page("edit", case.pk)), "namespace_identifier")


def test_autosave_shows_competing_cases(writer: Client, draft: Case, participant: User) -> None:
    competing_case = a_case_in_review(by=participant, namespace_identifier="example-moss")
    answer = sent_by_itself(writer, draft, opened(writer, draft), namespace_identifier="example-moss")
    assert competing_case.get_absolute_url() in answer.text


def test_example_urns_are_shown_in_their_parts(writer: Client, draft: Case) -> None:
    text = "As in urn:example-trees:12?+r?=q#f, but not urn:example-trees:a?=."
    answer = sent_by_itself(writer, draft, opened(writer, draft), syntax=text)
    said = remarks(answer, "syntax")
    for key, label, part in (
        ("nid", "identifier (NID)", "example-trees"),
        ("nss", "name (NSS)", "12"),
        ("r", "r-component", "r"),
        ("q", "q-component", "q"),
        ("f", "f-component", "f"),
    ):
        shown = f'<span class="part-{key}"><span class="part-text">{part}</span>'
        assert f'{shown}<span class="part-label">{label}</span>' in said
    assert "is not a valid URN" in said
    assert "urn-parts" not in remarks(answer, "resolution")


@pytest.mark.exhaustive
def test_many_examples_are_not_all_taken_apart(writer: Client, draft: Case) -> None:
    text = " ".join(f"urn:example-trees:{number}" for number in range(3000))
    answer = sent_by_itself(writer, draft, opened(writer, draft), syntax=text)
    assert remarks(answer, "syntax").count('class="urn-parts"') == 12


def test_markup_in_an_example_stays_text(writer: Client, draft: Case) -> None:
    answer = sent_by_itself(writer, draft, opened(writer, draft), syntax="urn:example-trees:'&amp;'&<i>")
    assert "<i>" not in remarks(answer, "syntax")


def test_missing_sections_are_not_reported_before_a_check(writer: Client, registrant: User) -> None:
    case = drafts.create_case(by=registrant, kind=Kind.FORMAL)
    calm = sent_by_itself(writer, case, opened(writer, case), purpose="Names trees. Any garden may use it.")
    assert "is empty" not in calm.text
    assert "<strong>1 of 9</strong>" in calm.text
    asked = sent_by_itself(writer, case, opened(writer, case, "?check=1"))
    assert "Syntax is empty" in asked.text


def test_a_resolved_finding_is_removed(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    wrong = sent_by_itself(writer, draft, fields, date="tomorrow")
    assert "does not have the format YYYY-MM-DD" in remarks(wrong, "date")
    assert "needs fixing" in wrong.text
    right = sent_by_itself(writer, draft, fields | {"stamp": "1"}, date="2026-11-22")
    assert "YYYY-MM-DD" not in remarks(right, "date")
    assert "Ready to submit" in right.text


def test_an_informal_draft_shows_who_assigns_the_number(writer: Client, registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    shown = writer.get(page("edit", case.pk)).text
    assert "The registry assigns the number" in shown
    assert "3 to 32 ASCII letters" not in shown
    assert "leave it empty" not in shown.partition('id="date"')[0]


# Action points


@pytest.mark.exhaustive
def test_replies_to_action_points_are_entered_in_the_draft_form(writer: Client, sent_back: Case) -> None:
    point = ActionPoint.objects.get()
    name = f"point_{point.pk}"
    refused = submit_draft(writer, page("edit", sent_back.pk))
    assert refused.status_code == 422
    assert "Say whether zeros lead." in refused.text
    assert "Answer each action point before you submit" in refused.text
    assert "Every action point needs one before you submit." in refused.text

    half = sent_by_itself(writer, sent_back, opened(writer, sent_back), **{f"{name}_outcome": "not_done"})
    assert "explain why not" in half.text
    fields = opened(writer, sent_back)
    assert fields[f"{name}_outcome"] == "not_done"
    whole = sent_by_itself(writer, sent_back, fields, **{f"{name}_text": "They don't matter."})
    assert "<strong>1 of 1</strong> action point" in whole.text
    assert replies_in(reread(sent_back)) == {point.pk: DraftReply(Outcome.NOT_DONE, "They don't matter.")}

    shown = submit_draft(writer, page("edit", sent_back.pk))
    assert reread(sent_back).state == State.IN_REVIEW
    assert "They don&#x27;t matter." in shown.text  # beside the point, on the public page
    public = Client().get(page("detail", sent_back.pk))
    second, first = public.context["rounds"]
    assert [answer.point for answer in second.replies] == [point]
    assert first.replies == ()
    assert "Answers to the action points of round 1" in public.text
    assert public.text.count("They don&#x27;t matter.") == 2  # at the round that says it, and at the point


def test_the_transition_page_refuses_unanswered_points_too(writer: Client, sent_back: Case) -> None:
    answer = fill_in(writer, page("transition", sent_back.pk, "submit"))
    assert answer.status_code == 422
    assert "Answer each action point before you submit" in answer.text


@pytest.mark.parametrize("outcome", ["done\n", "dóne", "not done", "done "])
def test_an_invalid_reply_is_rejected(writer: Client, sent_back: Case, outcome: str) -> None:
    name = f"point_{ActionPoint.objects.get().pk}_outcome"
    answer = sent_by_itself(writer, sent_back, opened(writer, sent_back), **{name: outcome})
    assert answer.status_code == 422
    assert replies_in(reread(sent_back)) == {}


def test_an_unstorable_reply_stays_on_the_page(writer: Client, sent_back: Case) -> None:
    name = f"point_{ActionPoint.objects.get().pk}_text"
    answer = fill_in(writer, page("edit", sent_back.pk), save="1", **{name: "bell\x07"})
    assert answer.status_code == 422
    assert "U+0007" in answer.text
    assert fields_of(answer, page("edit", sent_back.pk))[name] == "bell\x07"


# The text


def test_the_text_is_previewed_as_it_will_be_posted(writer: Client, draft: Case) -> None:
    answer = fill_in(writer, page("edit", draft.pk), preview="1", purpose="Names <trees>.")
    assert answer.redirect_chain == [(page("preview", draft.pk), 302)]
    assert "Names &lt;trees&gt;." in answer.text
    assert writer.get(page("draft", draft.pk)).text == answer.context["text"]


@pytest.mark.parametrize("name", ["preview", "autosave"])
def test_the_preview_is_for_editors(draft: Case, participant: User, name: str) -> None:
    assert signed_in(participant).get(page(name, draft.pk)).status_code in {404, 405}
