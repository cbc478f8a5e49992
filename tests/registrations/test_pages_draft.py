"""Beginning a case, its draft, pasting, revising: nothing that was typed is lost."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from registry.accounts.models import Body, User
from registry.namespaces.models import Kind
from registry.registrations import actions, drafts
from registry.registrations.models import CoEditor, Procedure, Registration, State
from tests.browsing import fields_of, fill_in, page, signed_in
from tests.factories import a_case_in_review, a_draft, a_namespace, a_submission, an_approved_case

TEMPLATE = """\
Some words before it all.

Namespace Identifier: example-pasted
Version: 1
Date: 2026-11-21
Registrant:
  Organization: Example Gardens
Purpose:
  Names pasted things.
Syntax:
  Opaque.
"""


@pytest.fixture
def draft(registrant: User) -> Registration:
    return a_draft(by=registrant)


@pytest.fixture
def writer(registrant: User) -> Client:
    return signed_in(registrant)


def reread(case: Registration) -> Registration:
    return Registration.objects.get(pk=case.pk)


# Too much


def test_far_too_long_a_purpose_comes_back_with_a_sentence(writer: Client, draft: Registration) -> None:
    before, purpose = draft.content, "Names trees. " + "x" * 3_000_000
    answer = fill_in(writer, page("edit", draft.pk), purpose=purpose)
    assert answer.status_code == 422
    assert "purpose has 3,000,013 characters; a submission may have 250,000 in all." in answer.text
    assert purpose in answer.text
    assert reread(draft).content == before


def test_what_is_too_long_to_be_read_is_refused_in_words(writer: Client, draft: Registration) -> None:
    fields = fields_of(writer.get(page("edit", draft.pk)), page("edit", draft.pk))
    sent = urlencode(fields | {"purpose": "x" * 9_000_000})
    answer = writer.post(page("edit", draft.pk), sent, content_type="application/x-www-form-urlencoded")
    assert answer.status_code == 400
    assert "The request could not be read; it may be too long." in answer.text
    assert "your browser still holds what you wrote" in answer.text


# Beginning


@pytest.mark.parametrize("kind", Kind)
def test_a_draft_is_begun(writer: Client, kind: Kind) -> None:
    answer = fill_in(writer, page("begin"), kind=kind)
    case = Registration.objects.get()
    assert answer.redirect_chain == [(page("edit", case.pk), 302)]
    assert (case.kind, case.state, case.procedure) == (kind, State.DRAFT, Procedure.COMMUNITY)


def test_a_body_asks_on_the_fast_track_and_is_known_again(writer: Client) -> None:
    for name in ("Example Standards Body", " example standards  body "):
        fill_in(writer, page("begin"), procedure="fast_track", body=name)
    assert Body.objects.count() == 1
    assert {case.body for case in Registration.objects.all()} == {Body.objects.get()}


def test_a_body_is_known_again_as_the_database_compares_names(writer: Client) -> None:
    for name in ("Example Kin", "Example \N{KELVIN SIGN}in"):  # one in lower case, two in upper case
        assert fill_in(writer, page("begin"), procedure="fast_track", body=name).status_code in {200, 302}
    assert {case.body for case in Registration.objects.all()} == {Body.objects.get()}


def test_the_body_that_a_draft_names_is_not_told_to_others(writer: Client, participant: User) -> None:
    fill_in(writer, page("begin"), procedure="fast_track", body="Example Body of Secrets")
    assert "Body of Secrets" not in signed_in(participant).get(page("begin")).text
    case = Registration.objects.get()
    content = a_submission(documentation="https://example.org/spec")
    case = drafts.save_draft(case, content, by=case.registrant, stamp=0)
    actions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)
    assert "Body of Secrets" in signed_in(participant).get(page("begin")).text


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"procedure": "fast_track"}, "Name the body"),
        ({"procedure": "fast_track", "body": " \n"}, "Name the body"),
        ({"procedure": "fast_track", "body": "x" * 201}, "at most 200 characters"),
        ({"procedure": "fast_track", "body": "a\x00b"}, "Null characters"),
        ({"procedure": "fast_track", "body": "\u200b"}, "Write the name of the body"),
        ({"procedure": "fast_track", "body": "a\x1bb"}, "U+001B"),
        ({"kind": ""}, "required"),
        ({"kind": "formal\n"}, "not one of the available choices"),
        ({"kind": "fórmal"}, "not one of the available choices"),
        ({"template": "No template at all, only these words."}, "template"),
        ({"template": TEMPLATE + "\x00"}, "U+0000"),
        ({"template": TEMPLATE + "x" * 1_000_000}, "characters"),
    ],
)
def test_a_beginning_that_is_refused_keeps_what_was_typed(
    writer: Client, typed: dict[str, str], sentence: str
) -> None:
    typed = {"template": "Purpose:\n  Kept words."} | typed
    answer = fill_in(writer, page("begin"), **typed)
    assert answer.status_code == 422
    assert sentence in answer.text
    assert typed["template"][:20] in answer.text
    assert not Registration.objects.exists()


def test_a_pasted_template_is_split_and_the_rest_is_shown(writer: Client) -> None:
    answer = fill_in(writer, page("begin"), template=TEMPLATE)
    content = Registration.objects.get().content
    assert content.namespace_identifier == "example-pasted"
    assert content.registrant.organization == "Example Gardens"
    assert content.purpose == "Names pasted things."
    assert "Some words before it all." in answer.text
    again = writer.get(answer.request["PATH_INFO"])
    assert "Some words before it all." in again.text
    saved = fill_in(writer, answer.request["PATH_INFO"])
    assert "Some words before it all." not in saved.text


# The draft


def test_a_draft_is_saved_unsound_as_it_is(writer: Client, draft: Registration) -> None:
    typed = {"date": "tomorrow", "namespace_identifier": "-bad-", "syntax": "", "registrant_phone": "12"}
    answer = fill_in(writer, page("edit", draft.pk), save="1", **typed)
    assert "The draft is saved." in answer.text
    content = reread(draft).content
    assert (content.date, content.namespace_identifier, content.syntax) == ("tomorrow", "-bad-", "")
    assert content.registrant.phone == "12"
    assert content.purpose == a_submission().purpose


def test_what_is_saved_is_what_the_form_shows_again(writer: Client, draft: Registration) -> None:
    text = "\n\n  Indented & <b>odd</b>\n\n    more;\r\nlast  "
    fill_in(writer, page("edit", draft.pk), save="1", purpose=text)
    once = reread(draft).content
    fill_in(writer, page("edit", draft.pk), save="1")
    assert reread(draft).content == once
    assert "Indented & <b>odd</b>" in once.purpose


@pytest.mark.parametrize(
    ("section", "typed"),
    [
        ("date", "yesterday"),
        ("date", "2026-02-30"),
        ("date", "2026-11-2١"),
        ("date", ""),
        ("namespace_identifier", "x-tree"),
        ("namespace_identifier", "ab"),
        ("namespace_identifier", "bäume"),
        ("namespace_identifier", "a" * 33),
        ("namespace_identifier", ""),
        ("security_and_privacy", ""),
        ("resolution", " \n\t"),
    ],
)
def test_a_fault_is_shown_beside_its_field_and_stops_the_submission(
    writer: Client, draft: Registration, section: str, typed: str
) -> None:
    answer = fill_in(writer, page("edit", draft.pk), submit="1", **{section: typed})
    assert answer.status_code == 422
    row = next(row for row in answer.context["form"].rows() if row.section.key == section)
    assert any(finding.severity == "blocking" for finding in row.findings)
    assert str(row.findings[0].message) in answer.context["form"].findings[0].message
    assert reread(draft).state == State.DRAFT
    assert getattr(reread(draft).content, section) == typed.strip()  # saved all the same


def test_save_and_check_shows_findings_and_stays_a_draft(writer: Client, draft: Registration) -> None:
    answer = fill_in(writer, page("edit", draft.pk), check="1", interoperability="")
    assert "Not ready to be submitted" in answer.text
    assert reread(draft).state == State.DRAFT
    calm = writer.get(page("edit", draft.pk))
    assert "Not ready to be submitted" not in calm.text


def test_save_and_submit_leads_to_the_public_case(writer: Client, draft: Registration) -> None:
    answer = fill_in(
        writer, page("edit", draft.pk), submit="1", purpose="Names trees. Any garden may use it."
    )
    assert answer.redirect_chain == [(page("detail", draft.pk), 302)]
    assert reread(draft).state == State.IN_REVIEW
    assert reread(draft).submissions.get().submission.purpose.startswith("Names trees.")


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("purpose", "hidden\x00nothing", "U+0000"),
        ("registrant_other", "bell\x07", "U+0007"),
        ("syntax", "y" * 250_001, "250,000"),
        ("date", "2026\x00", "U+0000"),
    ],
)
def test_what_can_not_be_kept_stays_in_the_form_beside_its_reason(
    writer: Client, draft: Registration, field: str, typed: str, sentence: str
) -> None:
    answer = fill_in(writer, page("edit", draft.pk), save="1", **{field: typed, "resolution": "Kept too."})
    assert answer.status_code == 422
    form = answer.context["form"]
    assert sentence in str(form.errors[field])
    assert form[field].value() == typed
    assert form["resolution"].value() == "Kept too."
    assert reread(draft).content == draft.content


def test_everything_together_can_be_too_much(writer: Client, draft: Registration) -> None:
    answer = fill_in(writer, page("edit", draft.pk), purpose="x" * 200_000, syntax="y" * 100_000)
    assert answer.status_code == 422
    assert "250,000" in answer.text
    assert answer.context["form"]["syntax"].value() == "y" * 100_000


@pytest.mark.parametrize("stamp", ["", "x", "1\n", "١"])
def test_a_form_without_its_stamp_is_told_and_kept(writer: Client, draft: Registration, stamp: str) -> None:
    answer = fill_in(writer, page("edit", draft.pk), stamp=stamp, purpose="Still here.")
    assert answer.status_code in {409, 422}
    assert "Still here." in answer.text
    assert reread(draft).content == draft.content


def test_two_windows_never_overwrite_each_other_unseen(
    writer: Client, draft: Registration, co_editor: User
) -> None:
    CoEditor.objects.create(registration=draft, user=co_editor)
    address = page("edit", draft.pk)
    stale = fields_of(writer.get(address), address)
    fill_in(signed_in(co_editor), address, purpose="The co-editor's words.")

    answer = writer.post(address, stale | {"purpose": "My own words."})

    assert answer.status_code == 409
    assert reread(draft).content.purpose == "The co-editor's words."
    sent_again = fields_of(answer, address)
    assert sent_again["purpose"] == "My own words."
    changed = {section.key: section for section in answer.context["conflict"].changes.changed}
    assert list(changed) == ["purpose"]
    assert "co-editor" in answer.text
    writer.post(address, sent_again | {"save": "1"})
    assert reread(draft).content.purpose == "My own words."


def test_a_stale_form_is_not_submitted_either(writer: Client, draft: Registration) -> None:
    address = page("edit", draft.pk)
    stale = fields_of(writer.get(address), address)
    fill_in(writer, address, purpose="Newer words.")
    answer = writer.post(address, stale | {"submit": "1"})
    assert answer.status_code == 409
    assert reread(draft).state == State.DRAFT


def test_pressing_submit_twice_makes_one_round(writer: Client, draft: Registration) -> None:
    address = page("edit", draft.pk)
    form = fields_of(writer.get(address), address) | {"submit": "1"}
    assert writer.post(address, form).status_code == 302
    answer = writer.post(address, form, follow=True)
    assert answer.redirect_chain == [(draft.get_absolute_url(), 302)]
    assert "You submitted this as round 1 at " in answer.text
    assert draft.submissions.count() == 1


def test_pressing_submit_twice_with_other_words_is_told(writer: Client, draft: Registration) -> None:
    address = page("edit", draft.pk)
    form = fields_of(writer.get(address), address) | {"submit": "1"}
    assert writer.post(address, form).status_code == 302
    answer = writer.post(address, form | {"purpose": "Other words."})
    assert answer.status_code == 409
    assert "Other words." in answer.text
    assert draft.submissions.count() == 1


def test_the_same_text_again_is_no_new_round(writer: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    answer = fill_in(writer, page("edit", case.pk), submit="1")
    assert answer.status_code == 409
    assert "Nothing changed" in answer.text


def test_what_was_typed_comes_back_when_the_case_moved_on(
    writer: Client, registrant: User, expert: User
) -> None:
    case = a_case_in_review(by=registrant)
    address = page("edit", case.pk)
    form = fields_of(writer.get(address), address)
    actions.approve(case, by=expert, round_number=1, rationale="Sound.")
    assert writer.get(address).status_code == 409
    answer = writer.post(address, form | {"purpose": "A long new purpose."})
    assert answer.status_code == 409
    assert "can&#x27;t change there" in answer.text
    assert "A long new purpose." in answer.text


def test_a_co_editor_writes_but_does_not_submit(draft: Registration, co_editor: User) -> None:
    CoEditor.objects.create(registration=draft, user=co_editor)
    shown = signed_in(co_editor).get(page("edit", draft.pk))
    assert 'name="save"' in shown.text
    assert 'name="submit"' not in shown.text


@pytest.mark.parametrize("name", ["edit", "paste", "draft"])
def test_a_public_case_is_not_everybodys_to_edit(registrant: User, participant: User, name: str) -> None:
    case = a_case_in_review(by=registrant)
    assert signed_in(participant).get(page(name, case.pk)).status_code == 404
    if name != "draft":
        assert signed_in(participant).post(page(name, case.pk), {"template": "x"}).status_code == 404


def test_an_informal_draft_asks_for_no_identifier(writer: Client, registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    fill_in(writer, page("edit", case.pk), namespace_identifier="example-mine")
    assert reread(case).content.namespace_identifier == ""


def test_a_standards_action_is_the_registrants_to_say_only_before_the_first_round(
    writer: Client, draft: Registration
) -> None:
    fill_in(writer, page("edit", draft.pk), submit="1", standards_action="on")
    assert reread(draft).standards_action
    assert "standards_action" not in writer.get(page("edit", draft.pk)).context["form"].fields
    with pytest.raises(drafts.DraftClosed):
        drafts.save_draft(
            draft, draft.content, by=draft.registrant, stamp=reread(draft).draft_stamp, standards_action=False
        )


def test_the_saved_draft_is_there_as_plain_text(writer: Client, draft: Registration) -> None:
    answer = writer.get(page("draft", draft.pk))
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.text.startswith("Namespace Identifier:")


# Pasting


def test_pasting_changes_nothing_until_it_is_saved(writer: Client, draft: Registration) -> None:
    answer = fill_in(writer, page("paste", draft.pk), template=TEMPLATE)
    assert answer.status_code == 200
    assert "Nothing is saved yet" in answer.text
    assert "Some words before it all." in answer.text
    assert reread(draft).content == draft.content
    form = fields_of(answer, page("edit", draft.pk))
    writer.post(page("edit", draft.pk), form)
    assert reread(draft).content.purpose == "Names pasted things."


@pytest.mark.parametrize("text", ["", " \n", "only words", TEMPLATE + TEMPLATE, TEMPLATE + "\x00"])
def test_what_can_not_be_read_stays_on_the_page(writer: Client, draft: Registration, text: str) -> None:
    answer = fill_in(writer, page("paste", draft.pk), template=text)
    assert answer.status_code == 422
    assert answer.context["form"]["template"].value() == text
    assert answer.context["form"].errors["template"]


# Revising


def test_a_revision_is_begun_by_its_registrant_alone(
    writer: Client, registrant: User, expert: User, administrator: User, participant: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    address = page("revise", "Example-TREES")
    assert signed_in(participant).get(address).status_code == 404
    assert signed_in(participant).post(address).status_code == 404
    assert Client().post(address).status_code == 302
    assert namespace.registrations.count() == 1

    answer = fill_in(writer, address)

    case = namespace.registrations.get(is_revision=True)
    assert answer.redirect_chain == [(page("edit", case.pk), 302)]
    assert case.content.version == 2
    assert page("detail", case.pk) in writer.get(address).text


@pytest.mark.parametrize("nid", ["nobody", "x-foo", "n\n", "n\x00", "bäume", "a" * 300])
def test_there_is_no_revising_what_is_not_registered(writer: Client, nid: str) -> None:
    assert writer.get(page("revise", nid)).status_code == 404


def test_an_expired_form_is_refused_without_harm(registrant: User, expert: User) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(registrant)
    assert strict.post(page("move", case.pk, "withdraw"), {"reason": "No token."}).status_code == 403
    assert reread(case).state == State.APPROVED
