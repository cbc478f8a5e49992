"""The form of a draft: saved, checked and submitted; nothing that was typed is lost."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, CoEditor, State
from registry.cases.workflow import functions
from registry.core.validators import MAX_FORM_LENGTH, BodySize
from registry.namespaces.models import Kind
from registry.registration_template.formatting import format_template
from tests.cases.conftest import reread
from tests.support.browser import fields_of, fill_in, page, signed_in, submit_draft
from tests.support.factories import a_body, a_case_in_review, a_draft, a_template


def test_a_purpose_over_the_limit_is_rejected_with_a_message(writer: Client, draft: Case) -> None:
    before, purpose = draft.draft_template, "Names trees. " + "x" * 300_000
    answer = fill_in(writer, page("edit", draft.pk), purpose=purpose)
    assert answer.status_code == 422
    assert "purpose has 300,013 characters; the limit for the whole template is 250,000." in answer.text
    assert purpose in answer.text
    assert reread(draft).draft_template == before


@pytest.mark.parametrize(
    ("length", "message"),
    [
        (MAX_FORM_LENGTH, "A form can have at most 500,000 characters, in all fields together."),
        (BodySize.TEMPLATE, "the limit of this address is 3,145,728."),
    ],
)
def test_a_form_over_the_size_limit_is_rejected_with_a_message(
    writer: Client, draft: Case, length: int, message: str
) -> None:
    answer = fill_in(writer, page("edit", draft.pk), purpose="x" * length)
    assert answer.status_code == 413
    assert message in answer.text
    assert "your browser may still have your text" in answer.text
    assert reread(draft).draft_stamp == draft.draft_stamp


def test_a_draft_with_findings_is_saved(writer: Client, draft: Case) -> None:
    typed = {"date": "tomorrow", "namespace_identifier": "-bad-", "syntax": "", "registrant_phone": "12"}
    answer = fill_in(writer, page("edit", draft.pk), save="1", **typed)
    assert "Draft saved." in answer.text
    template = reread(draft).draft_template
    assert (template.date, template.namespace_identifier, template.syntax) == ("tomorrow", "-bad-", "")
    assert template.registrant.phone == "12"
    assert template.purpose == a_template().purpose


def test_the_form_says_what_the_registrant_is_to_do(
    registrant: User, expert: User, administrator: User
) -> None:
    case = a_case_in_review(by=registrant)

    def shown() -> str:
        return signed_in(registrant).get(page("edit", case.pk)).text

    assert "A round of this template is in review." in shown()
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    functions.return_to_registrant(case, by=administrator, reason="The address is wrong.")
    assert "Edit the template as the administrator requested, and submit it again." in shown()


def test_the_form_lists_the_action_points_as_the_task(sent_back: Case) -> None:
    shown = signed_in(sent_back.registrant).get(page("edit", sent_back.pk)).text
    assert "Edit the template to address the action points of the last review, and submit it again." in shown


def test_the_form_reads_the_history_only_if_the_status_depends_on_it(
    writer: Client, draft: Case, sent_back: Case
) -> None:
    for case, reads in ((draft, 0), (sent_back, 1)):
        with CaptureQueriesContext(connection) as queries:
            assert writer.get(page("edit", case.pk)).status_code == 200
        assert sum('FROM "audit_log_event"' in each["sql"] for each in queries) == reads


def test_the_form_shows_the_saved_draft(writer: Client, draft: Case) -> None:
    text = "\n\n  Indented & <b>odd</b>\n\n    more;\r\nlast  "
    fill_in(writer, page("edit", draft.pk), save="1", purpose=text)
    once = reread(draft).draft_template
    fill_in(writer, page("edit", draft.pk), save="1")
    assert reread(draft).draft_template == once
    assert "Indented & <b>odd</b>" in once.purpose


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("section", "typed"),
    [
        ("date", "2026-11-2١"),
        ("date", ""),
        ("namespace_identifier", "x-tree"),
        ("namespace_identifier", ""),
        ("security_and_privacy", ""),
        ("resolution", " \n\t"),
    ],
)
def test_a_blocking_finding_is_shown_at_its_field_and_prevents_submission(
    writer: Client, draft: Case, section: str, typed: str
) -> None:
    answer = submit_draft(writer, page("edit", draft.pk), **{section: typed})
    assert answer.status_code == 422
    row = next(row for row in answer.context["form"].rows() if row.section.key == section)
    assert any(finding.severity == "blocking" for finding in row.findings)
    assert str(row.findings[0].message) in answer.context["form"].findings[0].message
    assert reread(draft).state == State.DRAFT
    assert getattr(reread(draft).draft_template, section) == typed.strip()  # saved all the same


def test_save_and_check_shows_findings_and_stays_a_draft(writer: Client, draft: Case) -> None:
    answer = fill_in(writer, page("edit", draft.pk), check="1", interoperability="")
    assert "Not ready to submit" in answer.text
    assert reread(draft).state == State.DRAFT
    calm = writer.get(page("edit", draft.pk))
    assert "Not ready to submit" not in calm.text


def test_save_and_submit_leads_to_the_public_case(writer: Client, draft: Case) -> None:
    answer = submit_draft(writer, page("edit", draft.pk), purpose="Names trees. Any garden may use it.")
    assert answer.redirect_chain == [(page("detail", draft.pk), 302)]
    assert reread(draft).state == State.IN_REVIEW
    assert reread(draft).rounds.get().template.purpose.startswith("Names trees.")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("purpose", "hidden\x00nothing", "U+0000"),
        ("registrant_other", "bell\x07", "U+0007"),
        ("syntax", "y" * 250_001, "250,000"),
        ("date", "2026\x00", "U+0000"),
    ],
)
def test_unstorable_text_stays_in_the_form_with_an_error(
    writer: Client, draft: Case, field: str, typed: str, sentence: str
) -> None:
    answer = fill_in(writer, page("edit", draft.pk), save="1", **{field: typed, "resolution": "Kept too."})
    assert answer.status_code == 422
    form = answer.context["form"]
    assert sentence in str(form.errors[field])
    assert form[field].value() == typed
    assert form["resolution"].value() == "Kept too."
    assert reread(draft).draft_template == draft.draft_template


def test_a_draft_over_the_total_limit_is_rejected(writer: Client, draft: Case) -> None:
    answer = fill_in(writer, page("edit", draft.pk), purpose="x" * 200_000, syntax="y" * 100_000)
    assert answer.status_code == 422
    assert "250,000" in answer.text
    assert answer.context["form"]["syntax"].value() == "y" * 100_000


@pytest.mark.sampled(4)
@pytest.mark.parametrize("stamp", ["", "x", "1\n", "١"])
def test_a_form_without_a_stamp_is_rejected_and_kept(writer: Client, draft: Case, stamp: str) -> None:
    answer = fill_in(writer, page("edit", draft.pk), stamp=stamp, purpose="Still here.")
    assert answer.status_code in {409, 422}
    assert "Still here." in answer.text
    assert reread(draft).draft_template == draft.draft_template


def test_a_stale_save_from_another_window_is_rejected(writer: Client, draft: Case, co_editor: User) -> None:
    CoEditor.objects.create(case=draft, user=co_editor)
    address = page("edit", draft.pk)
    stale = fields_of(writer.get(address), address)
    fill_in(signed_in(co_editor), address, purpose="The co-editor's words.")

    answer = writer.post(address, stale | {"purpose": "My own words."})

    assert answer.status_code == 409
    assert reread(draft).draft_template.purpose == "The co-editor's words."
    sent_again = fields_of(answer, address)
    assert sent_again["purpose"] == "My own words."
    changed = {section.key: section for section in answer.context["conflict"].changes.changed}
    assert list(changed) == ["purpose"]
    assert "co-editor" in answer.text
    writer.post(address, sent_again | {"save": "1"})
    assert reread(draft).draft_template.purpose == "My own words."


def test_a_stale_form_is_not_submitted_either(writer: Client, draft: Case) -> None:
    address = page("edit", draft.pk)
    stale = fields_of(writer.get(address), address)
    fill_in(writer, address, purpose="Newer words.")
    answer = writer.post(address, stale | {"submit": "1"})
    assert answer.status_code == 409
    assert reread(draft).state == State.DRAFT


def test_review_and_submit_saves_and_asks_for_confirmation(writer: Client, draft: Case) -> None:
    address = page("edit", draft.pk)
    answer = fill_in(writer, address, submit="1", registrant_phone="+1 555 0100", date="2026-11-22")
    assert answer.redirect_chain == [(page("transition", draft.pk, "submit"), 302)]
    assert "Review and confirm" in answer.text
    personal_data = answer.text.partition('id="personal-data"')[2].partition("</dl>")[0]
    assert "+1 555 0100" in personal_data
    assert a_template().registrant.email in personal_data
    assert "It is posted to the discussion list" in answer.text
    assert "What happens next" in answer.text
    assert "urn-N" not in answer.text
    assert reread(draft).state == State.DRAFT
    assert reread(draft).draft_template.date == "2026-11-22"


def test_the_number_of_an_informal_namespace_is_agreed_to(writer: Client, registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    consent = writer.get(page("transition", case.pk, "submit")).text.partition('id="consent"')[2]
    assert 'the number takes the place of <span class="nid">urn-N</span> in the text' in consent


def test_the_registrant_confirms_to_act_for_the_body_on_the_fast_track(
    writer: Client, registrant: User
) -> None:
    consent = "Example Standards Body authorised you to request the namespace on the fast track"
    case = a_draft(by=registrant, body=a_body(name="Example Standards Body"))
    assert consent in writer.get(page("transition", case.pk, "submit")).text
    other = a_draft(by=registrant, namespace_identifier="example-hedges")
    assert consent not in writer.get(page("transition", other.pk, "submit")).text


@pytest.mark.exhaustive
def test_pressing_review_and_submit_twice_leads_to_the_confirmation(writer: Client, draft: Case) -> None:
    address = page("edit", draft.pk)
    form = fields_of(writer.get(address), address) | {"submit": "1"}
    for _ in range(2):
        assert writer.post(address, form)["Location"] == page("transition", draft.pk, "submit")
    assert reread(draft).draft_stamp == 1
    fill_in(writer, page("transition", draft.pk, "submit"))
    answer = writer.post(address, form, follow=True)
    assert answer.redirect_chain == [(draft.get_absolute_url(), 302)]
    assert "You submitted this text as round 1 at " in answer.text
    assert draft.rounds.count() == 1


def test_another_text_in_an_old_form_is_not_submitted(writer: Client, draft: Case) -> None:
    address = page("edit", draft.pk)
    form = fields_of(writer.get(address), address) | {"submit": "1"}
    assert writer.post(address, form).status_code == 302
    answer = writer.post(address, form | {"purpose": "Other words."})
    assert answer.status_code == 409
    assert "Other words." in answer.text
    assert draft.rounds.count() == 0


def test_the_same_text_again_is_no_new_round(writer: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    answer = submit_draft(writer, page("edit", case.pk))
    assert answer.status_code == 409
    assert "No changes since the last round" in answer.text


@pytest.mark.exhaustive
def test_typed_text_is_recovered_when_the_case_is_closed(
    writer: Client, registrant: User, expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    address = page("edit", case.pk)
    form = fields_of(writer.get(address), address)
    functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    assert writer.get(address).status_code == 409
    answer = writer.post(address, form | {"purpose": "A long new purpose."})
    assert answer.status_code == 409
    assert "draft can&#x27;t be edited" in answer.text
    assert "A long new purpose." in answer.text


def test_a_co_editor_writes_but_does_not_submit(draft: Case, co_editor: User) -> None:
    CoEditor.objects.create(case=draft, user=co_editor)
    shown = signed_in(co_editor).get(page("edit", draft.pk))
    assert 'name="save"' in shown.text
    assert 'name="submit"' not in shown.text


@pytest.mark.parametrize("name", ["edit", "paste", "draft"])
def test_only_editors_can_edit_a_public_case(registrant: User, participant: User, name: str) -> None:
    case = a_case_in_review(by=registrant)
    assert signed_in(participant).get(page(name, case.pk)).status_code == 404
    if name != "draft":
        assert signed_in(participant).post(page(name, case.pk), {"template": "x"}).status_code == 404


def test_an_informal_draft_has_no_identifier_field(writer: Client, registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    fill_in(writer, page("edit", case.pk), namespace_identifier="example-mine")
    assert reread(case).draft_template.namespace_identifier == ""


@pytest.mark.exhaustive
def test_the_registrant_sets_the_standards_action_only_before_the_first_round(
    writer: Client, draft: Case
) -> None:
    submit_draft(writer, page("edit", draft.pk), standards_action="on")
    assert reread(draft).standards_action
    assert "standards_action" not in writer.get(page("edit", draft.pk)).context["form"].fields
    with pytest.raises(drafts.DraftClosed):
        drafts.save_draft(
            draft,
            draft.draft_template,
            by=draft.registrant,
            stamp=reread(draft).draft_stamp,
            standards_action=False,
        )


def test_the_saved_draft_is_there_as_plain_text(writer: Client, draft: Case) -> None:
    answer = writer.get(page("draft", draft.pk))
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("Namespace Identifier:")


def test_findings_on_contact_details_stand_at_their_field(writer: Client, draft: Case) -> None:
    typed = {"registrant_email": "name at museum.example", "registrant_phone": "call me maybe"}
    fields = fields_of(writer.get(page("edit", draft.pk)), page("edit", draft.pk)) | typed
    for answer in (
        fill_in(writer, page("edit", draft.pk), submit="1", **typed),
        writer.post(page("autosave", draft.pk), fields | {"stamp": "1"}),
    ):
        for field, words in (("email", "is not an e-mail address"), ("phone", "is not a phone number")):
            at_field = answer.text.partition(f'id="registrant_{field}-remarks"')[2].partition("</div>")[0]
            assert words in at_field
    assert reread(draft).state == State.DRAFT


def test_a_finding_on_the_address_stands_at_its_field_alone(writer: Client, draft: Case) -> None:
    answer = fill_in(writer, page("edit", draft.pk), save="1", registrant_address="")
    words = "does not contain the address of the organisation"
    at_field = answer.text.partition('id="registrant_address-remarks"')[2].partition("</div>")[0]
    assert words in at_field
    assert answer.text.count(words) == 1


@pytest.mark.parametrize(("text", "stage"), [("tbd", "needs fixing"), ("None", "no content")])
def test_a_section_without_content_is_not_done(writer: Client, draft: Case, text: str, stage: str) -> None:
    answer = fill_in(writer, page("edit", draft.pk), save="1", security_and_privacy=text)
    (row,) = (row for row in answer.context["form"].rows() if row.section.key == "security_and_privacy")
    assert row.stage == stage
    assert answer.context["form"].progress.is_complete == (stage == "no content")


def test_a_pasted_template_of_another_namespace_is_remarked(writer: Client, registrant: User) -> None:
    case = a_draft(by=registrant, namespace_identifier="museum", date="2026-11-22")
    text = format_template(a_template(namespace_identifier="isbn", version=2, date="2017-01-02"))
    answer = fill_in(writer, page("paste", case.pk), template=text)
    for sentence in (
        "The text is for “isbn”. This request is for “museum”.",
        "The text is version 2. This request is for version 1.",
        "The text has the date 2017-01-02. This request has 2026-11-22",
    ):
        assert sentence in answer.text


def test_what_to_correct_is_said_in_one_box_and_advice_in_another(writer: Client, draft: Case) -> None:
    answer = fill_in(writer, page("edit", draft.pk), submit="1", resolution="", syntax="Opaque digits.")
    assert answer.text.count('class="notice error"') == 1
    error, advice = (
        answer.text.partition(f'id="{name}"')[2].partition("</section>")[0] for name in ("checked", "advice")
    )
    assert "Resolution is empty" in error
    assert "r-, q- and f-components" not in error
    assert "r-, q- and f-components" in advice
