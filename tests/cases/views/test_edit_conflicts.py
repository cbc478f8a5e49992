"""Two people edit one draft: the second to save sees both texts, and chooses one for each section."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.replies import DraftReply
from registry.cases.models import ActionPoint, Case, CoEditor, Outcome
from tests.cases.conftest import opened, reread, sent_by_itself
from tests.support.browser import fields_of, page, signed_in
from tests.support.factories import a_template


def test_a_stale_stamp_saves_nothing_and_shows_the_difference(
    writer: Client, draft: Case, co_editor: User
) -> None:
    CoEditor.objects.create(case=draft, user=co_editor)
    fields = opened(writer, draft)
    sent_by_itself(signed_in(co_editor), draft, fields, purpose="The other's words.")

    for _ in range(2):  # typing on changes nothing of it
        answer = sent_by_itself(writer, draft, fields, purpose="My own words.")
        assert answer.status_code == 409
        assert "<del>" in answer.text
        assert 'name="stamp"' not in answer.text
        assert reread(draft).draft_template.purpose == "The other's words."

    kept = writer.post(
        page("edit", draft.pk), fields | {"purpose": "My own words.", "over": "1"}, follow=True
    )
    assert "Draft saved." in kept.text
    assert reread(draft).draft_template.purpose == "My own words."


def test_a_section_is_taken_as_it_is_saved_and_the_rest_stays_typed(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    saved = a_template(purpose="Saved purpose.", syntax="Saved syntax.")
    drafts.save_draft(draft, saved, by=draft.registrant, stamp=0)
    typed = {"purpose": "My purpose.", "syntax": "My syntax."}

    answer = writer.post(page("edit", draft.pk), fields | typed | {"take": "purpose"})

    assert answer.status_code == 200
    again = fields_of(answer, page("edit", draft.pk))
    assert (again["purpose"], again["syntax"]) == ("Saved purpose.", "My syntax.")
    assert [section.key for section in answer.context["conflict"].changes.changed] == ["syntax"]
    assert "hx-post" not in answer.text.partition("<form class=")[2].partition(">")[0]
    assert reread(draft).draft_template.syntax == "Saved syntax."
    writer.post(page("edit", draft.pk), again | {"save": "1"})
    assert (reread(draft).draft_template.purpose, reread(draft).draft_template.syntax) == (
        "Saved purpose.",
        "My syntax.",
    )


def test_a_save_after_the_comparison_is_not_overwritten(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    for stamp in (0, 1):
        drafts.save_draft(draft, a_template(purpose=f"Saved {stamp}."), by=draft.registrant, stamp=stamp)
    answer = writer.post(page("edit", draft.pk), fields | {"purpose": "Mine.", "over": "1"})
    assert answer.status_code == 409
    assert reread(draft).draft_template.purpose == "Saved 1."


@pytest.mark.sampled(5)
@pytest.mark.parametrize("key", ["", "nothing", "stamp", "purpose\n", "pürpose"])
def test_an_unknown_section_cannot_be_taken(writer: Client, draft: Case, key: str) -> None:
    fields = opened(writer, draft)
    drafts.save_draft(draft, a_template(purpose="Saved."), by=draft.registrant, stamp=0)
    answer = writer.post(page("edit", draft.pk), fields | {"purpose": "Mine.", "take": key})
    assert fields_of(answer, page("edit", draft.pk))["purpose"] == "Mine."
    assert reread(draft).draft_template.purpose == "Saved."


def test_the_registrant_is_taken_whole(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    sent_by_itself(writer, draft, fields, registrant_phone="+1 555 0100", registrant_other="Saved.")
    answer = writer.post(page("edit", draft.pk), fields | {"registrant_phone": "mine", "take": "registrant"})
    again = fields_of(answer, page("edit", draft.pk))
    assert (again["registrant_phone"], again["registrant_other"]) == ("+1 555 0100", "Saved.")


def test_replies_and_choices_are_part_of_the_difference(
    writer: Client, sent_back: Case, registrant: User
) -> None:
    point = ActionPoint.objects.get()
    fields = opened(writer, sent_back)
    saved = {point.pk: DraftReply(Outcome.NOT_DONE, "It says so.")}
    drafts.save_draft(
        sent_back, sent_back.draft_template, by=registrant, stamp=sent_back.draft_stamp, replies=saved
    )
    typed = fields | {f"point_{point.pk}_outcome": "done"}

    answer = sent_by_itself(writer, sent_back, typed)
    assert answer.status_code == 409
    assert "not done It says so." in answer.text

    taken = writer.post(page("edit", sent_back.pk), typed | {"take": "answers"})
    assert "Both texts have the same words" in taken.text
    assert fields_of(taken, page("edit", sent_back.pk))[f"point_{point.pk}_outcome"] == "not_done"


def test_a_changed_standards_action_is_part_of_the_difference(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    sent_by_itself(writer, draft, fields, standards_action="on")
    answer = sent_by_itself(writer, draft, fields)
    assert "a standards action is anticipated" in answer.text
    taken = writer.post(page("edit", draft.pk), fields | {"take": "standards_action"})
    assert "standards_action" in fields_of(taken, page("edit", draft.pk))
