"""The section “Description, grammar and services” of a draft, and the profile on the pages of the case and of its assignment."""

from html import unescape

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, Round, State
from registry.cases.workflow import functions
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, ProfileVersion
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.cases.conftest import opened, reread, sent_by_itself
from tests.cases.transitions.test_assign_profile import a_revision_with, approve_with, approved_with
from tests.namespaces.proposals.samples import ABNF, EXAMPLES, a_proposal
from tests.support.browser import fields_of, fill_in, page, post_form, signed_in, submit_draft
from tests.support.factories import a_draft, a_profile, a_template

TYPED = {f"profile_{key}": text for key, text in a_proposal().to_json().items()}


@pytest.fixture
def proposing(registrant: User, expert: User) -> Case:
    return approved_with(a_proposal(), by=registrant, expert=expert)


@pytest.fixture
def namespace(proposing: Case, administrator: User) -> Namespace:
    confirmed = ConfirmedProfile(a_proposal(), ("science",))
    assigned = functions.assign(proposing, by=administrator, profile=confirmed).namespace
    assert assigned is not None
    return assigned


# The form of a draft


def test_autosave_keeps_the_fields_and_shows_the_place_of_an_error(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    answer = sent_by_itself(writer, draft, fields, **TYPED | {"profile_abnf": "tree = leaf\nleaf = ("})
    assert answer.status_code == 200
    assert reread(draft).proposed_profile == a_proposal(abnf="tree = leaf\nleaf = (")
    remarks = unescape(answer.text).partition('id="profile_abnf-remarks"')[2].partition("</div>")[0]
    assert "Line 2, column 9: An element is missing before the end." in remarks
    fixed = sent_by_itself(writer, draft, fields | TYPED | {"stamp": "1"})
    assert "column" not in fixed.text
    assert opened(writer, draft)["profile_abnf"] == ABNF


def test_a_text_that_cannot_be_stored_stays_on_the_page(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    answer = writer.post(page("edit", draft.pk), fields | {"profile_title": "Oaks\x01", "save": "1"})
    assert answer.status_code == 422
    assert "Character 5 of the title is U+0001" in answer.text
    assert 'value="Oaks\x01"' in answer.text
    assert not reread(draft).draft_profile


def test_a_conflict_offers_the_saved_text_of_each_member(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    saved = a_proposal(title="Saved title", summary="Saved summary.")
    drafts.save_draft(draft, draft.draft_template, by=draft.registrant, stamp=0, profile=saved)
    mine = TYPED | {"profile_title": "My title", "profile_summary": "My summary."}

    answer = sent_by_itself(writer, draft, fields, **mine)
    assert answer.status_code == 409
    assert 'value="profile_title"' in answer.text
    answer = writer.post(page("edit", draft.pk), fields | mine | {"take": "profile_title"})
    again = fields_of(answer, page("edit", draft.pk))
    assert (again["profile_title"], again["profile_summary"]) == ("Saved title", "My summary.")
    changed = [section.key for section in answer.context["conflict"].changes.changed]
    assert changed == ["profile_summary"]
    assert reread(draft).proposed_profile == saved


def test_empty_fields_are_taken_from_the_text(writer: Client, registrant: User) -> None:
    syntax = f"{ABNF}\n\nAs in urn:example-trees:12:4711, urn:example-trees:1:1 and urn:example-trees:9:9."
    case = a_draft(by=registrant, syntax=syntax)
    answer = fill_in(writer, page("edit", case.pk), profile_title="Oaks", prefill="1")
    assert "Empty fields were filled from the text." in answer.text
    proposed = reread(case).proposed_profile
    assert (proposed.title, proposed.abnf) == ("Oaks", ABNF)
    assert proposed.examples.split("\n")[0] == "urn:example-trees:12:4711"
    assert proposed.summary.startswith("Names trees in the care of botanical gardens")
    answer = fill_in(writer, page("edit", case.pk), prefill="1")
    assert "The text states nothing for the empty fields" in answer.text
    assert reread(case).proposed_profile == proposed


def test_a_prefill_does_not_overwrite_what_another_editor_saved(writer: Client, draft: Case) -> None:
    fields = opened(writer, draft)
    drafts.save_draft(
        draft, draft.draft_template, by=draft.registrant, stamp=0, profile=ProposedProfile(title="Saved")
    )
    answer = writer.post(page("edit", draft.pk), fields | {"profile_title": "Mine", "prefill": "1"})
    assert answer.status_code == 409
    assert fields_of(answer, page("edit", draft.pk))["profile_title"] == "Mine"
    assert reread(draft).proposed_profile.title == "Saved"


@pytest.mark.exhaustive
def test_an_incomplete_or_contradicting_proposal_cannot_be_submitted(writer: Client, draft: Case) -> None:
    for typed, sentence in (
        ({"profile_title": "Oaks"}, "The profile has no summary."),
        (TYPED | {"profile_abnf": "tree = 1*ALPHA", "profile_examples": "urn:example-trees:a\n" * 3},
         "forbids “urn:example-trees:12:4711”, which the section Syntax contains."),
    ):  # fmt: skip
        answer = submit_draft(writer, page("edit", draft.pk), **typed)
        assert answer.status_code == 422
        assert sentence in unescape(answer.text)
        assert fields_of(answer, page("edit", draft.pk))["profile_title"] == typed["profile_title"]
    assert reread(draft).state == State.DRAFT
    assert "Ready to submit" not in answer.text


def test_the_page_of_the_submission_shows_the_proposal_and_its_findings(writer: Client, draft: Case) -> None:
    faulty = a_proposal(abnf="tree = leaf")
    drafts.save_draft(draft, draft.draft_template, by=draft.registrant, stamp=0, profile=faulty)
    shown = unescape(writer.get(page("transition", draft.pk, "submit")).text)
    assert "Line 1, column 8: The rule “leaf” is not defined." in shown
    assert "tree = leaf</pre>" in shown


def test_a_sound_proposal_is_submitted_and_shown(writer: Client, draft: Case, client: Client) -> None:
    submit_draft(writer, page("edit", draft.pk), **TYPED)
    assert Round.objects.get().proposed_profile == a_proposal()
    shown = unescape(client.get(page("detail", draft.pk)).text)
    assert "Description, grammar and services" in shown
    assert ABNF in shown
    assert EXAMPLES in shown


@pytest.mark.exhaustive
def test_the_form_of_an_informal_namespace_names_the_placeholder(writer: Client, registrant: User) -> None:
    case = a_draft(by=registrant, kind=Kind.INFORMAL)
    answer = submit_draft(
        writer,
        page("edit", case.pk),
        **TYPED | {"profile_examples": EXAMPLES.replace("example-trees", "urn-N")},
    )
    assert reread(case).state == State.IN_REVIEW, answer.text
    assert "Write “urn-N” for the identifier." in writer.get(page("edit", case.pk)).text


def test_a_revision_shows_the_current_profile_and_proposes_nothing(
    writer: Client, namespace: Namespace
) -> None:
    case = drafts.start_revision(Namespace.objects.get(), by=namespace.registrant)  # type: ignore[arg-type]
    fields = opened(writer, case)
    assert {fields[name] for name in TYPED} == {""}
    shown = unescape(writer.get(page("edit", case.pk)).text).replace("\r", "")
    assert all(f"{text}</pre>" in shown for text in TYPED.values())
    assert "An empty field stays as it is in the current profile." in writer.get(page("edit", case.pk)).text


def test_the_first_round_of_a_revision_is_compared_with_the_current_profile(
    writer: Client, namespace: Namespace, registrant: User
) -> None:
    case = drafts.start_revision(Namespace.objects.get(), by=registrant)
    proposed = ProposedProfile(abnf=ABNF.replace("DIGIT", "ALPHA"))
    text = a_template(version=2, revision_information="Letters.")
    drafts.save_draft(case, text, by=registrant, stamp=0, profile=proposed)
    changes = writer.get(page("transition", case.pk, "submit")).context["changes"]
    assert proposed.abnf != ABNF
    assert [each.key for each in changes.changed if each.key.startswith("profile_")] == ["profile_abnf"]
    unchanged = {each.key for each in changes.unchanged if each.key.startswith("profile_")}
    assert unchanged == TYPED.keys() - {"profile_abnf"}


def test_rounds_are_compared_with_their_proposals(registrant: User, client: Client) -> None:
    case = a_draft(by=registrant)
    for proposed in (a_proposal(), a_proposal(title="Oaks of gardens")):
        case = Case.objects.get(pk=case.pk)
        case = drafts.save_draft(
            case, case.draft_template, by=registrant, stamp=case.draft_stamp, profile=proposed
        )
        case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    answer = client.get(page("compare", case.pk))
    assert [section.key for section in answer.context["changes"].changed] == ["profile_title"]


# The review


def test_the_review_page_shows_the_proposal_and_its_changes(
    namespace: Namespace, registrant: User, expert: User
) -> None:
    case = drafts.start_revision(namespace, by=registrant)
    case = drafts.save_draft(
        case,
        a_template(version=2, revision_information="The title changes."),
        by=registrant,
        stamp=case.draft_stamp,
        profile=a_proposal(title="Oaks of gardens"),
    )
    functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    answer = signed_in(expert).get(f"/desk/cases/{case.pk}/")
    shown = unescape(answer.text).partition('id="section-profile"')[2]
    assert "Oaks of gardens" in shown
    assert "Changed since the current profile" in shown
    assert [each.key for each in answer.context["workspace"].profile_changes] == ["profile_title"]


# The assignment


def test_the_administrator_changes_and_confirms_the_proposal(proposing: Case, administrator: User) -> None:
    desk, address = signed_in(administrator), page("transition", proposing.pk, "assign")
    assert fields_of(desk.get(address), address)["profile_title"] == a_proposal().title
    answer = fill_in(desk, address, profile_title="Trees of the world", profile_subjects="science")
    assert "Registered." in answer.text
    version = ProfileVersion.objects.get()
    assert version.value is not None
    assert (version.value.title, version.set_by) == ("Trees of the world", administrator)


def test_a_refused_profile_is_shown_at_its_field_and_nothing_is_lost(
    proposing: Case, administrator: User
) -> None:
    desk, address = signed_in(administrator), page("transition", proposing.pk, "assign")
    answer = fill_in(desk, address, profile_title="Typed title", profile_abnf="tree = (")
    assert answer.status_code == 422
    assert "Line 1, column 9" in unescape(answer.text).partition('id="profile_abnf-remarks"')[2]
    typed = fields_of(answer, address)
    assert (typed["profile_title"], typed["profile_abnf"]) == ("Typed title", "tree = (")
    answer = fill_in(desk, address)
    assert "Choose one to three subjects" in answer.text.partition('id="profile_subjects-remarks"')[2]
    assert reread(proposing).state == State.APPROVED


def test_an_emptied_proposal_sets_no_profile(proposing: Case, administrator: User) -> None:
    empty = dict.fromkeys(TYPED, "")
    fill_in(signed_in(administrator), page("transition", proposing.pk, "assign"), **empty)
    assert reread(proposing).state == State.REGISTERED
    assert not ProfileVersion.objects.exists()


@pytest.mark.exhaustive
def test_a_profile_set_between_page_and_confirmation_is_shown(
    namespace: Namespace, expert: User, administrator: User
) -> None:
    case = a_revision_with(namespace, a_proposal(title="Oaks"), expert=expert)
    desk, address = signed_in(administrator), page("transition", case.pk, "assign")
    fields = fields_of(desk.get(address), address)
    assert fields["profile_subjects"] == "science"
    set_profile(namespace, by=administrator, profile=a_profile(), basis="Syntax.", replaces=1)
    typed = fields | {"profile_title": "Typed title", "profile_abnf": ""}
    answer = post_form(desk, address, typed)
    assert answer.status_code == 409
    assert "now has version 2 of its profile" in answer.text
    again = fields_of(answer, address)
    assert (again["profile_title"], again["profile_version"]) == ("Typed title", "2")
    assert "Trees of gardens" in answer.text  # the current title, in the differences
    assert "Registered." in post_form(desk, address, again, follow=True).text
    last = ProfileVersion.objects.latest("version")
    assert last.value is not None
    assert (last.version, last.value.title, last.value.names.pattern) == (3, "Typed title", "[0-9]+:[0-9]+")


def test_the_desk_leads_to_the_page_that_shows_the_proposal(
    proposing: Case, registrant: User, expert: User, administrator: User
) -> None:
    other = approve_with(
        a_draft(by=registrant, namespace_identifier="example-oaks"), ProposedProfile(), expert=expert
    )
    shown = signed_in(administrator).get("/desk/assignments/").text
    assert f'href="{page("transition", proposing.pk, "assign")}"' in shown
    assert f'action="/desk/cases/{proposing.pk}/assign/' not in shown
    assert f"/cases/{other.pk}/assign/" in shown
