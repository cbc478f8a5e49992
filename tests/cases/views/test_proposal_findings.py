"""A proposed profile after the submission: its findings on the desk, and conflicts with what was set since."""

from html import unescape

import pytest

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, State
from registry.cases.workflow import functions
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.cases.conftest import reread
from tests.cases.transitions.test_assign_profile import approved_with
from tests.namespaces.proposals.samples import EXAMPLES, a_proposal
from tests.support.browser import fields_of, fill_in, page, post_form, signed_in
from tests.support.factories import a_profile, a_template

FORBIDDEN = "urn:example-trees:98:4 is an example, but:"


@pytest.fixture
def proposing(registrant: User, expert: User) -> Case:
    return approved_with(a_proposal(), by=registrant, expert=expert)


@pytest.fixture
def outdated(proposing: Case, registrant: User, administrator: User) -> Case:
    """A revision in review whose examples the grammar forbids that was set after its submission."""
    confirmed = ConfirmedProfile(a_proposal(), ("science",))
    namespace = functions.assign(proposing, by=administrator, profile=confirmed).namespace
    assert namespace is not None
    case = drafts.start_revision(namespace, by=registrant)
    case = drafts.save_draft(
        case,
        a_template(version=2, revision_information="The examples change."),
        by=registrant,
        stamp=case.draft_stamp,
        profile=ProposedProfile(examples=EXAMPLES.replace("99:4", "98:4")),
    )
    case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    other = a_profile(pattern="[0-9]+:[0-9]{4}", examples=("1:1111", "2:2222", "3:3333"))
    set_profile(namespace, by=administrator, profile=other, basis="Syntax.", replaces=1)
    return case


@pytest.mark.exhaustive
def test_experts_see_the_findings_on_the_proposal(outdated: Case, expert: User) -> None:
    desk = signed_in(expert)
    shown = unescape(desk.get(f"/desk/cases/{outdated.pk}/").text).partition('id="section-profile"')[2]
    assert FORBIDDEN in shown
    verdict = unescape(desk.get(f"/desk/cases/{outdated.pk}/verdict/approve/").text)
    assert FORBIDDEN in verdict.partition("Open findings")[2]


def test_administrators_see_the_findings_on_the_proposal_before_they_assign(
    outdated: Case, expert: User, administrator: User
) -> None:
    functions.approve(outdated, by=expert, round_number=1, rationale="Sound.")
    desk, address = signed_in(administrator), page("transition", outdated.pk, "assign")
    assert FORBIDDEN in unescape(desk.get("/desk/assignments/").text)
    shown = unescape(desk.get(address).text)
    assert FORBIDDEN in shown.partition('id="profile_examples-remarks"')[2]
    fill_in(desk, address, profile_examples="")
    assert reread(outdated).state == State.REGISTERED
    assert FORBIDDEN not in unescape(desk.get(f"/desk/cases/{outdated.pk}/").text)


def test_a_sound_proposal_is_named_on_the_desk(proposing: Case, administrator: User) -> None:
    assert "The proposed profile has no findings." in signed_in(administrator).get("/desk/assignments/").text


@pytest.mark.exhaustive
def test_a_refusal_for_another_reason_does_not_hide_that_the_profile_has_changed(
    outdated: Case, expert: User, administrator: User
) -> None:
    functions.approve(outdated, by=expert, round_number=1, rationale="Sound.")
    desk, address = signed_in(administrator), page("transition", outdated.pk, "assign")
    read = {"profile_examples": "", "profile_title": "Oaks", "profile_version": "1"}
    answer = fill_in(desk, address, **read, round_number="7")
    assert "You have read round 7, but round 1 is the latest." in answer.text
    fields = fields_of(answer, address)
    assert (fields["round_number"], fields["profile_version"]) == ("1", "1")
    answer = post_form(desk, address, fields)
    assert answer.status_code == 409
    assert "now has version 2 of its profile" in answer.text
    assert fields_of(answer, address)["profile_version"] == "2"
    assert reread(outdated).state == State.APPROVED
