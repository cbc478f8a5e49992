"""Beginning a case, anew or from a namespace, and pasting a template into it: nothing that was typed is lost."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import Body, User
from registry.cases.drafts import drafts
from registry.cases.models import Case, Procedure, State
from registry.cases.workflow import functions
from registry.namespaces.models import Kind
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.formatting import format_template
from registry.registration_template.parsing.parser import MAX_NOTES
from tests.cases.conftest import opened, reread, sent_by_itself
from tests.support.browser import fields_of, fill_in, page, post_form, signed_in
from tests.support.factories import PASSWORD, a_draft, a_namespace, a_template

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


# Beginning


@pytest.mark.parametrize("kind", Kind)
def test_a_draft_is_created(writer: Client, kind: Kind) -> None:
    answer = fill_in(writer, page("begin"), kind=kind)
    case = Case.objects.get()
    assert answer.redirect_chain == [(page("edit", case.pk), 302)]
    assert (case.kind, case.state, case.procedure) == (kind, State.DRAFT, Procedure.COMMUNITY)


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("kind=informal", ("informal", "community", "")),
        ("kind=formal&procedure=fast_track", ("formal", "fast_track", "")),
        ("nid=example-oaks", ("formal", "community", "example-oaks")),
        ("kind=fomal&procedure=quick&nid=-a-", ("formal", "community", "")),
    ],
)
def test_what_the_guide_chose_arrives_in_the_form_through_the_sign_in(
    client: Client, registrant: User, query: str, shown: tuple[str, str, str]
) -> None:
    sign_in = client.get(f"{page('begin')}?{query}")["Location"]
    typed = fields_of(client.get(sign_in), "/accounts/login/") | {
        "login": registrant.email,
        "password": PASSWORD,
    }
    answer = client.post("/accounts/login/", typed, follow=True)
    fields = fields_of(answer, page("begin"))
    assert (fields["kind"], fields["procedure"], fields["nid"]) == shown
    assert ('id="chosen-nid"' in answer.text) == bool(shown[2])


def test_the_links_of_the_guide_say_what_they_lead_to(client: Client) -> None:
    guide = client.get("/guide/").text
    assert 'href="/cases/new/?kind=informal"' in guide
    assert 'href="/cases/new/?kind=formal&amp;procedure=fast_track"' in guide


def test_a_template_pasted_at_the_start_is_compared_with_the_request(writer: Client) -> None:
    text = format_template(a_template(namespace_identifier="isbn", version=2, date="2017-01-02"))
    answer = fill_in(writer, page("begin") + "?nid=museum", template=text)
    assert answer.redirect_chain
    for sentence in (
        "The text is for “isbn”. This request is for “museum”.",
        "The text is version 2. This request is for version 1.",
        "The text has the date 2017-01-02. This request has ",
    ):
        assert sentence in answer.text


def test_a_text_for_a_registered_namespace_can_revise_it(
    writer: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    template = a_template(namespace_identifier=namespace.nid, version=2, purpose="Names all trees.")
    answer = fill_in(writer, page("begin"), template=format_template(template))
    draft = Case.objects.get(state=State.DRAFT)
    fill_in(writer, page("edit", draft.pk), profile_title="Trees of the world")
    address = f"{page('revise', namespace.nid)}?from={draft.pk}"
    assert f'id="nid-revise" href="{address}"' in answer.text
    assert "The revision begins with the text of" in writer.get(address).text
    writer.post(address)
    revision = Case.objects.get(is_revision=True)
    assert (revision.draft_template.purpose, revision.next_version) == ("Names all trees.", 2)
    assert revision.proposed_profile == ProposedProfile(title="Trees of the world")
    assert reread(draft).draft_template.purpose == "Names all trees."


def test_only_own_drafts_for_the_namespace_are_the_text_of_a_revision(
    writer: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    others = a_draft(by=expert, namespace_identifier=namespace.nid)
    unrelated = a_draft(by=registrant, namespace_identifier="museum")
    for number in (str(others.pk), str(unrelated.pk), "", "x", "9" * 40, "١"):
        answer = writer.get(page("revise", namespace.nid), {"from": number})
        assert answer.status_code == 404
        assert "save it with this identifier" in answer.text
        assert (
            writer.post(f"{page('revise', namespace.nid)}?{urlencode({'from': number})}").status_code == 404
        )
    assert not namespace.cases.filter(is_revision=True).exists()


def test_a_revision_is_offered_with_a_saved_text_only(
    writer: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    draft = a_draft(by=registrant, namespace_identifier="museum")
    offered, advice = 'id="nid-revise"', "save the draft first"
    text = format_template(a_template(namespace_identifier=namespace.nid, purpose="Names all trees."))
    pasted = fill_in(writer, page("paste", draft.pk), template=text)
    assert (offered in pasted.text, advice in pasted.text) == (False, True)
    saved = sent_by_itself(writer, draft, fields_of(pasted, page("edit", draft.pk)))
    assert (offered in saved.text, advice in saved.text) == (True, False)
    opened_anew = writer.get(page("edit", draft.pk)).text
    assert (offered in opened_anew, advice in opened_anew) == (True, False)
    stale = sent_by_itself(writer, draft, opened(writer, draft) | {"stamp": "0", "purpose": "Names oaks."})
    assert (offered in stale.text, advice in stale.text) == (False, True)


def test_a_text_for_a_namespace_of_another_person_leads_to_a_claim(
    registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    text = format_template(a_template(namespace_identifier=namespace.nid, version=2))
    answer = fill_in(signed_in(administrator), page("begin"), template=text)
    assert f'id="nid-claim" href="/namespaces/{namespace.nid}/claim/"' in answer.text
    assert "nid-revise" not in answer.text


@pytest.mark.exhaustive
def test_notes_on_a_pasted_text_end_when_the_text_is_corrected(writer: Client) -> None:
    template = a_template(namespace_identifier="isbn", version=2, date="2017-01-02")
    text = f"Left over.\n\n{format_template(template)}"
    fill_in(writer, page("begin") + "?nid=museum", template=text)
    case = Case.objects.get()
    fields = opened(writer, case)
    on_time, number = "The text has the date 2017-01-02.", "The text is version 2."
    for typed, expected in (
        ({"purpose": "Names museums."}, [True, True, True]),
        ({"date": timezone.localdate().isoformat()}, [False, True, True]),
        ({"additional_information": "It was Left\nover."}, [False, True, False]),
    ):
        fields |= typed
        answer = sent_by_itself(writer, reread(case), fields, stamp=str(reread(case).draft_stamp))
        for shown in (answer.text, writer.get(page("edit", case.pk)).text):
            assert [each in shown for each in (on_time, number, "Left over.")] == expected


def test_a_note_stays_until_its_line_is_copied_though_sections_have_its_words(
    writer: Client, draft: Case
) -> None:
    long = "These words are no section of the template. " * 20
    lines = ["12", "things", "Opaque", long.strip()]
    text = "\n\n".join([*lines, TEMPLATE.replace("Opaque.", "Opaque, with 12 digits.")])
    answer = fill_in(writer, page("paste", draft.pk), template=text)
    assert [note[1][:500] for note in answer.context["notes"]["unplaced"]][:4] == [
        line[:500] for line in lines
    ]
    fields = fields_of(answer, page("edit", draft.pk))
    copied = {"additional_information": f"Things 12, {long}"}
    answer = sent_by_itself(writer, draft, fields | copied)
    assert [note[1] for note in answer.context["notes"]["unplaced"]][:2] == ["things", "Opaque"]
    assert not any("These words" in note[1] for note in answer.context["notes"]["unplaced"])


def test_the_number_of_lines_without_a_note_stays_without_the_others(writer: Client, draft: Case) -> None:
    text = "Left over.\n" * (MAX_NOTES + 1) + TEMPLATE.partition("\n")[2]
    answer = fill_in(writer, page("paste", draft.pk), template=text)
    expected = "1 more line that does not belong to a section is not shown."
    assert expected in answer.text
    fields = fields_of(answer, page("edit", draft.pk)) | {"additional_information": "Left over."}
    answer = sent_by_itself(writer, draft, fields)
    assert (expected in answer.text, "Left over." in answer.text) == (True, False)


def test_a_pasted_template_without_identifier_and_date_gets_those_of_the_request(writer: Client) -> None:
    text = "Registrant:\n  Organization: Example Museums\nPurpose:\n  Names museums.\nSyntax:\n  Opaque.\n"
    answer = fill_in(writer, page("begin") + "?nid=museum", template=text)
    draft = Case.objects.get().draft_template
    assert (draft.namespace_identifier, draft.date) == ("museum", timezone.localdate().isoformat())
    assert draft.purpose == "Names museums."
    assert "Notes on the pasted text" not in answer.text


@pytest.mark.exhaustive
def test_the_date_is_filled_in_and_kept_current(writer: Client, expert: User) -> None:
    fill_in(writer, page("begin"))
    case = Case.objects.get()
    today = timezone.localdate().isoformat()
    assert case.draft_template.date == today

    def shown() -> str:
        return fields_of(writer.get(page("edit", case.pk)), page("edit", case.pk))["date"]

    def save(date: str) -> None:
        current = reread(case)
        template = a_template(date=date)
        drafts.save_draft(current, template, by=current.registrant, stamp=current.draft_stamp)

    assert shown() == today
    long_ago = timezone.now() - timedelta(days=40)
    Case.objects.filter(pk=case.pk).update(created_at=long_ago)
    save(timezone.localdate(long_ago).isoformat())
    assert shown() == today
    save("2020-02-02")  # entered
    assert shown() == "2020-02-02"
    functions.submit(reread(case), by=case.registrant, draft_stamp=reread(case).draft_stamp)
    assert shown() == "2020-02-02"  # still that of the round in review
    points = [("syntax", "Say more.")]
    functions.request_changes(reread(case), by=expert, round_number=1, rationale="", action_points=points)
    assert shown() == today


def test_a_fast_track_draft_reuses_a_known_body(writer: Client) -> None:
    for name in ("Example Standards Body", " example standards  body "):
        fill_in(writer, page("begin"), procedure="fast_track", body=name)
    assert Body.objects.count() == 1
    assert {case.body for case in Case.objects.all()} == {Body.objects.get()}


def test_a_body_is_found_by_its_name_regardless_of_case(writer: Client) -> None:
    for name in ("Example Kin", "Example \N{KELVIN SIGN}in"):  # one in lower case, two in upper case
        assert fill_in(writer, page("begin"), procedure="fast_track", body=name).status_code in {200, 302}
    assert {case.body for case in Case.objects.all()} == {Body.objects.get()}


def test_the_body_of_a_draft_is_not_suggested_to_others(writer: Client, participant: User) -> None:
    fill_in(writer, page("begin"), procedure="fast_track", body="Example Body of Secrets")
    assert "Body of Secrets" not in signed_in(participant).get(page("begin")).text
    case = Case.objects.get()
    template = a_template(documentation="https://example.org/spec")
    case = drafts.save_draft(case, template, by=case.registrant, stamp=0)
    functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)
    assert "Body of Secrets" in signed_in(participant).get(page("begin")).text


def test_an_invalid_form_keeps_its_input(writer: Client) -> None:
    form = fields_of(writer.get(page("begin")), page("begin"))
    for typed, sentence in (
        ({"procedure": "fast_track"}, "Enter the name of the requesting body"),
        ({"procedure": "fast_track", "body": " \n"}, "Enter the name of the requesting body"),
        ({"procedure": "fast_track", "body": "x" * 201}, "at most 200 characters"),
        ({"procedure": "fast_track", "body": "a\x00b"}, "Null characters"),
        ({"procedure": "fast_track", "body": "\u200b"}, "Enter the name of the body"),
        ({"procedure": "fast_track", "body": "a\x1bb"}, "U+001B"),
        ({"kind": ""}, "required"),
        ({"kind": "formal\n"}, "not one of the available choices"),
        ({"kind": "fórmal"}, "not one of the available choices"),
        ({"template": "No template at all, only these words."}, "template"),
        ({"template": TEMPLATE + "\x00"}, "U+0000"),
        ({"template": TEMPLATE + "x" * 300_000}, "characters"),
    ):
        kept = {"template": "Purpose:\n  Kept words."} | typed
        answer = post_form(writer, page("begin"), form | kept)
        assert answer.status_code == 422, typed
        assert sentence in answer.text
        assert kept["template"][:20] in answer.text
        assert not Case.objects.exists()


@pytest.mark.parametrize("nid", ["a" * 33, "é", "n\n", "-"])
def test_a_malformed_nid_in_the_url_is_ignored(writer: Client, nid: str) -> None:
    address = page("begin") + "?" + urlencode({"nid": nid})
    assert writer.post(address, fields_of(writer.get(address), page("begin"))).status_code == 302
    assert Case.objects.get().draft_template.namespace_identifier == ""


def test_a_pasted_template_is_parsed_and_unplaced_lines_are_shown(writer: Client) -> None:
    answer = fill_in(writer, page("begin"), template=TEMPLATE)
    template = Case.objects.get().draft_template
    assert template.namespace_identifier == "example-pasted"
    assert template.registrant.organization == "Example Gardens"
    assert template.purpose == "Names pasted things."
    assert "Some words before it all." in answer.text
    again = writer.get(answer.request["PATH_INFO"])
    assert "Some words before it all." in again.text
    saved = fill_in(writer, answer.request["PATH_INFO"])
    assert "Some words before it all." not in saved.text


# Pasting


def test_pasting_changes_nothing_until_it_is_saved(writer: Client, draft: Case) -> None:
    answer = fill_in(writer, page("paste", draft.pk), template=TEMPLATE)
    assert answer.status_code == 200
    assert "Nothing is saved yet" in answer.text
    assert "Some words before it all." in answer.text
    assert reread(draft).draft_template == draft.draft_template
    form = fields_of(answer, page("edit", draft.pk))
    writer.post(page("edit", draft.pk), form)
    assert reread(draft).draft_template.purpose == "Names pasted things."


@pytest.mark.parametrize("text", ["", " \n", "only words", TEMPLATE + TEMPLATE, TEMPLATE + "\x00"])
def test_an_unreadable_template_stays_on_the_page(writer: Client, draft: Case, text: str) -> None:
    answer = fill_in(writer, page("paste", draft.pk), template=text)
    assert answer.status_code == 422
    assert answer.context["form"]["template"].value() == text
    assert answer.context["form"].errors["template"]


# Revising


def test_only_the_registrant_can_start_a_revision(
    writer: Client, registrant: User, expert: User, administrator: User, participant: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    address = page("revise", "Example-TREES")
    assert signed_in(participant).get(address).status_code == 404
    assert signed_in(participant).post(address).status_code == 404
    assert Client().post(address).status_code == 302
    assert namespace.cases.count() == 1

    answer = fill_in(writer, address)

    case = namespace.cases.get(is_revision=True)
    assert answer.redirect_chain == [(page("edit", case.pk), 302)]
    assert case.draft_template.version == 2
    assert page("detail", case.pk) in writer.get(address).text


@pytest.mark.parametrize("nid", ["nobody", "x-foo", "n\n", "n\x00", "bäume", "a" * 300])
def test_an_unregistered_namespace_cannot_be_revised(writer: Client, nid: str) -> None:
    assert writer.get(page("revise", nid)).status_code == 404


# Damaged texts

SIGNED = f"{TEMPLATE}\n-- \nRobin Example\n"
WHAT = "A signature or a closing was removed"


@pytest.mark.parametrize("name", ["begin", "paste"])
def test_what_was_undone_is_shown_before_the_text_is_taken_over(writer: Client, name: str) -> None:
    address = _address(writer, name)
    asked = fill_in(writer, address, template=SIGNED)
    assert asked.status_code == 422
    assert WHAT in asked.text
    assert "Lines 13, 14" in asked.text
    assert "Robin Example" in fields_of(asked, address)["template"]
    answer = fill_in(writer, address, template=SIGNED, shown="signature")
    assert answer.status_code == 200
    assert _syntax(answer) == "Opaque."
    assert WHAT in answer.text


@pytest.mark.parametrize("name", ["begin", "paste"])
def test_a_change_can_be_undone(writer: Client, name: str) -> None:
    answer = fill_in(writer, _address(writer, name), template=SIGNED, shown="signature", keep="signature")
    assert answer.status_code == 200
    assert _syntax(answer).split() == ["Opaque.", "--", "Robin", "Example"]
    assert WHAT not in answer.text


def test_a_choice_that_the_page_does_not_offer_is_refused(writer: Client) -> None:
    assert fill_in(writer, page("begin"), template=SIGNED, keep="all").status_code == 422


def _syntax(answer: Any) -> str:
    """The text in the form of the draft."""
    return fields_of(answer, page("edit", Case.objects.get().pk))["syntax"]


def _address(writer: Client, name: str) -> str:
    if name == "begin":
        return page("begin")
    fill_in(writer, page("begin"))
    return page("paste", Case.objects.get().pk)
