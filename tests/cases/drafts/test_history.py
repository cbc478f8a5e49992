"""The history of a draft: which texts it keeps, and restoring one."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts, history
from registry.cases.models import Case, CoEditor, DraftChange, DraftVersion
from registry.cases.workflow import functions
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.cases.conftest import opened, reread, sent_by_itself
from tests.support.browser import fill_in, page, post_form, signed_in
from tests.support.factories import a_case_in_review

LONG = (
    "Names the trees in the care of botanical gardens, and what was recorded about each of them. " * 2
).strip()


def write(case: Case, by: User, **texts: Any) -> Case:
    case = reread(case)
    template = replace(case.draft_template, **texts)
    return drafts.save_draft(case, template, by=by, stamp=case.draft_stamp)


def kept(case: Case) -> list[tuple[int, str]]:
    return list(case.draft_versions.values_list("number", "change"))


def at(case: Case, number: int) -> str:
    return f"{page('history', case.pk)}{number}/"


def test_changes_within_minutes_are_one_text(draft: Case, registrant: User) -> None:
    for words in ("", " and hedges", " and hedges, and mosses"):
        write(draft, registrant, additional_information=f"Names the trees of gardens{words}, and more.")
    assert kept(draft) == [(2, DraftChange.EDITED), (1, DraftChange.STARTED)]
    last = draft.draft_versions.get(number=2).template
    assert last.additional_information == "Names the trees of gardens and hedges, and mosses, and more."


def test_a_later_change_and_another_editor_begin_a_text(
    draft: Case, registrant: User, participant: User
) -> None:
    write(draft, registrant, purpose="Names trees.")
    draft.draft_versions.update(began_at=F("began_at") - timedelta(minutes=6))
    write(draft, registrant, purpose="Names trees and hedges.")
    CoEditor.objects.create(case=draft, user=participant)
    write(draft, participant, purpose="Names trees, hedges and mosses.")
    editors = draft.draft_versions.values_list("number", "editor")
    assert list(editors) == [(4, participant.pk), (3, registrant.pk), (2, registrant.pk), (1, registrant.pk)]


@pytest.mark.parametrize("text", ["", "Something else.", LONG[:60], "Names " + LONG[-20:]])
def test_text_is_kept_before_it_is_replaced_or_removed(draft: Case, registrant: User, text: str) -> None:
    write(draft, registrant, purpose=LONG)
    last = draft.draft_versions.latest("number").number
    write(draft, registrant, purpose=text)
    assert kept(draft)[0] == (last + 1, DraftChange.REPLACED)
    assert draft.draft_versions.get(number=last).template.purpose == LONG


def test_an_unchanged_save_is_not_kept(draft: Case, registrant: User) -> None:
    write(draft, registrant)
    assert kept(draft) == [(1, DraftChange.STARTED)]


def test_the_text_of_a_draft_without_a_history_is_kept(draft: Case, registrant: User) -> None:
    stated = ProposedProfile(title="Trees")
    case = reread(draft)
    case = drafts.save_draft(case, case.draft_template, by=registrant, stamp=case.draft_stamp, profile=stated)
    draft.draft_versions.all().delete()
    write(draft, registrant, purpose="Something else.")
    assert [number for number, _ in kept(draft)] == [2, 1]
    first = draft.draft_versions.get(number=1)
    assert (first.template, first.proposed_profile) == (case.draft_template, stated)


@pytest.mark.exhaustive
def test_the_last_50_texts_are_kept(draft: Case, registrant: User) -> None:
    for number in range(2 * history.MAX_VERSIONS + 4):
        write(draft, registrant, additional_information="" if number % 2 else "None.")
    numbers = [number for number, _ in kept(draft)]
    assert len(numbers) == history.MAX_VERSIONS
    assert numbers[0] - numbers[-1] == history.MAX_VERSIONS - 1


def test_the_profile_is_restored_with_the_template(draft: Case, registrant: User) -> None:
    case = reread(draft)
    stated = ProposedProfile(title="Trees")
    case = drafts.save_draft(case, case.draft_template, by=registrant, stamp=case.draft_stamp, profile=stated)
    case = drafts.save_draft(
        case, case.draft_template, by=registrant, stamp=case.draft_stamp, profile=ProposedProfile()
    )
    version = case.draft_versions.get(number=2)
    assert version.changed_titles == ["Title (profile)"]
    case = drafts.restore_version(version, by=registrant, stamp=case.draft_stamp)
    assert case.proposed_profile == stated
    assert kept(case)[0] == (4, DraftChange.RESTORED)


@pytest.mark.exhaustive
def test_restoring_on_the_page_loses_nothing(writer: Client, draft: Case, registrant: User) -> None:
    before = reread(draft).draft_template.purpose
    sent_by_itself(writer, draft, opened(writer, draft), purpose="Wrong.")
    shown = writer.get(page("history", draft.pk)).text
    assert "Changed: Purpose" in shown
    assert at(draft, 1) in shown
    answer = fill_in(writer, at(draft, 1))
    assert "Text 1 is restored." in answer.text
    assert reread(draft).draft_template.purpose == before
    assert draft.draft_versions.get(number=2).template.purpose == "Wrong."
    assert kept(draft)[0] == (3, DraftChange.RESTORED)


def test_a_restored_text_does_not_overwrite_an_unseen_one(
    writer: Client, draft: Case, registrant: User
) -> None:
    stale = reread(draft).draft_stamp
    write(draft, registrant, purpose="Saved in another window.")
    answer = post_form(writer, at(draft, 1), {"stamp": stale})
    assert answer.status_code == 409
    assert "The draft has changed" in answer.text
    assert reread(draft).draft_template.purpose == "Saved in another window."


def test_a_restored_text_is_refused_by_an_open_form(writer: Client, draft: Case) -> None:
    form = opened(writer, draft)
    sent_by_itself(writer, draft, form, purpose="Wrong.")
    form = opened(writer, draft)
    fill_in(writer, at(draft, 1))
    assert sent_by_itself(writer, draft, form, purpose="Typed elsewhere.").status_code == 409


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_editors_see_the_history(
    method: str, registrant: User, participant: User, expert: User, administrator: User
) -> None:
    case = a_case_in_review(by=registrant)
    for user in (participant, expert, administrator):
        client: Any = signed_in(user)
        for address in (page("history", case.pk), at(case, 1)):
            refused = getattr(client, method)(address)
            assert refused.status_code == (
                405 if (method, address) == ("post", page("history", case.pk)) else 404
            )
    assert Client().get(at(case, 1)).status_code == 302


def test_texts_of_other_cases_are_not_found(writer: Client, draft: Case) -> None:
    assert writer.get(at(draft, 9)).status_code == 404
    assert writer.get(f"{page('history', draft.pk)}99999999999/").status_code == 404


def test_a_closed_draft_is_not_restored(writer: Client, registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    write(case, registrant, purpose="Next.")
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    case = reread(case)
    shown = writer.get(at(case, 1))
    assert "draft can’t be changed" in shown.text
    assert post_form(writer, at(case, 1), {"stamp": case.draft_stamp}).status_code == 409


def test_the_history_is_deleted_with_the_draft(draft: Case, registrant: User) -> None:
    write(draft, registrant, purpose="Names trees.")
    functions.delete_draft(draft, by=registrant)
    assert not DraftVersion.objects.exists()
