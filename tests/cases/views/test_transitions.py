"""The pages of transitions: access, fields, and the response to a refusal."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, Review, State
from registry.cases.workflow import functions
from registry.cases.workflow.functions.people import dismiss_finding
from registry.namespaces.models import Namespace
from tests.cases.conftest import reread
from tests.cases.workflow.matrix import COMMUNITY, TRANSITION_BY_NAME, place_of, put_down, rows
from tests.support.browser import fields_of, fill_in, page, post_form, signed_in
from tests.support.factories import (
    a_body,
    a_case_in_review,
    a_draft,
    a_template,
    an_approved_case,
    put_in_state,
)

NAMESPACE = "/namespaces/example-trees/"

# Each action with a page, and the role.
OPEN = {name.replace("_", "-"): role for name, (role, _) in rows(COMMUNITY).items() if name != "take_back"}
OPEN |= {"anticipate-standards-action": "expert", "recuse": "expert"}


@pytest.fixture
def cast(registrant: User, expert: User, administrator: User, liaison: User) -> dict[str, User]:
    return {
        "registrant": registrant,
        "expert": expert,
        "administrator": administrator,
        "liaison": liaison,
    }


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def case_for(slug: str, registrant: User) -> Case:
    case, transition = a_case_in_review(by=registrant), slug.replace("-", "_")
    return put_down(case, *place_of(transition)[:2]) if transition in TRANSITION_BY_NAME else case


@pytest.mark.parametrize("role", ["administrator", "registrant", "expert", "liaison"])
@pytest.mark.sampled(4)
def test_an_unavailable_transition_is_reported_on_the_case_page(cast: dict[str, User], role: str) -> None:
    case = put_in_state(a_case_in_review(by=cast["registrant"]), State.WITHDRAWN)
    client, typed = signed_in(cast[role]), {"reason": "My long reason.", "round_number": "1"}
    addresses = [page("transition", case.pk, name) for name, needed in OPEN.items() if needed == role]
    assert addresses
    for answer in (client.get(addresses[0]), *(client.post(each, typed) for each in addresses)):
        assert answer.status_code == 409
        assert f"The state of case {case.pk} has been “withdrawn” since" in answer.text
        assert "cases/detail.html" in [template.name for template in answer.templates]
    assert reread(case).state == State.WITHDRAWN


def test_typed_text_is_recovered_when_another_person_acted_first(
    case: Case, expert: User, other_expert: User
) -> None:
    client, address = signed_in(expert), page("transition", case.pk, "request-changes")
    form = fields_of(client.get(address), address)
    functions.approve(case, by=other_expert, round_number=1, rationale="Sound.")
    typed = {"rationale": "Nearly.", "points-0-section": "syntax", "points-0-text": "Give the ABNF."}
    answer = client.post(address, form | typed)
    assert answer.status_code == 409
    assert "Nearly." in answer.text
    assert "Give the ABNF." in answer.text
    assert reread(case).state == State.APPROVED


@pytest.mark.sampled(3)
@pytest.mark.parametrize("transition", ["approve", "request-changes", "decline"])
def test_a_stale_round_shows_the_latest_round(case: Case, expert: User, transition: str) -> None:
    client, address = signed_in(expert), page("transition", case.pk, transition)
    stale = fields_of(client.get(address), address)
    saved = drafts.save_draft(
        case,
        a_template(purpose="Names trees, and hedges too."),
        by=case.registrant,
        stamp=case.draft_stamp,
    )
    functions.submit(saved, by=case.registrant, draft_stamp=saved.draft_stamp)
    typed = {"rationale": "My words.", "reason": "My words."}
    typed |= {"points-0-section": "syntax", "points-0-text": "My point."}

    answer = client.post(address, stale | typed)

    assert answer.status_code == 409
    assert "round 2 is the latest" in answer.text
    assert "Names trees, and hedges too." in answer.text
    assert "My words." in answer.text
    assert not Review.objects.exists()
    answer = client.post(address, fields_of(answer, address), follow=True)
    assert answer.redirect_chain == [(page("detail", case.pk), 302)]
    assert Review.objects.get().round.number == 2


INVALID: dict[str, list[tuple[dict[str, str], str]]] = {
    "approve": [
        ({"rationale": ""}, "Enter the rationale"),
        ({"rationale": " \n\t"}, "Enter the rationale"),
        ({"rationale": "a\x00b"}, "Null characters"),
        ({"rationale": "x" * 50_001}, "at most 50000 characters"),
        ({"round_number": "x"}, "whole number"),
        ({"round_number": "1٫"}, "whole number"),
        ({"round_number": ""}, "required"),
    ],
    "decline": [
        ({"reason": ""}, "Enter the rationale"),
    ],
    "direct": [
        ({"reference": "Minutes"}, "required"),
        ({"is_approved": "yes", "reference": ""}, "Enter the reference"),
        ({"is_approved": "maybe", "reference": "Minutes"}, "not one of the available choices"),
    ],
    "recognise": [
        ({"reference": "x" * 501}, "at most 500 characters"),
        ({"reference": "\n"}, "Enter the reference"),
    ],
    "refuse-recognition": [
        ({"reference": ""}, "Enter the reference"),
    ],
    "appeal": [
        ({"reason": ""}, "Enter the reason for the appeal"),
    ],
    "return-to-registrant": [
        ({"reason": ""}, "Enter the reason"),
    ],
    "forward-report": [
        ({"report": ""}, "Enter the rationale"),
    ],
    "anticipate-standards-action": [
        ({"anticipated": "yes", "reason": ""}, "Enter the reason"),
    ],
    "request-changes": [
        ({"rationale": "Hm."}, "at least one action point"),
        ({"points-0-text": "No section."}, "Action point 1: the section is missing"),
        ({"points-0-section": "syntax"}, "the text of action point 1"),
        ({"points-0-section": "syntax\n", "points-0-text": "x"}, "available choices"),
        ({"points-0-section": "sýntax", "points-0-text": "x"}, "available choices"),
        ({"points-0-section": "syntax", "points-0-text": "\x00"}, "Null characters"),
        ({"points-TOTAL_FORMS": "x"}, "The form was incomplete"),
        ({"points-TOTAL_FORMS": ""}, "The form was incomplete"),
    ],
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("transition", INVALID)
def test_an_invalid_text_is_reported_and_kept(cast: dict[str, User], transition: str) -> None:
    case = case_for(transition, cast["registrant"])
    client, address = signed_in(cast[OPEN[transition]]), page("transition", case.pk, transition)
    form = fields_of(client.get(address), address)
    for typed, sentence in INVALID[transition]:
        answer = post_form(client, address, form | typed)
        assert answer.status_code == 422, typed
        assert sentence in answer.text
        for name in typed.keys() - {"round_number", "points-TOTAL_FORMS", "is_approved"}:
            fields = answer.context["form"].fields
            assert name not in fields or answer.context["form"][name].value() == typed[name]
        assert reread(case).state == case.state


def test_action_points_are_kept_in_their_order(case: Case, expert: User) -> None:
    answer = fill_in(
        signed_in(expert),
        page("transition", case.pk, "request-changes"),
        **{"points-0-section": "syntax", "points-0-text": "First."},
        **{"points-2-section": "purpose", "points-2-text": "Second."},
    )
    assert reread(case).state == State.CHANGES_REQUESTED
    points = Review.objects.get().action_points.all()
    assert [(point.section, point.text) for point in points] == [("syntax", "First."), ("purpose", "Second.")]
    assert "First." in answer.text


def test_rows_are_added_without_javascript_and_keep_their_texts(case: Case, expert: User) -> None:
    client, address = signed_in(expert), page("transition", case.pk, "request-changes")
    form = fields_of(client.get(address), address)
    assert "points-2-text" in form
    assert "points-3-text" not in form
    more = client.post(address, form | {"points-1-text": "Kept.", "rationale": "Kept too.", "more": "1"})
    assert more.status_code == 200
    form = fields_of(more, address)
    assert (form["points-1-text"], form["rationale"]) == ("Kept.", "Kept too.")
    filled = {"points-1-section": "syntax", "points-5-section": "purpose", "points-5-text": "In the last."}
    client.post(address, form | filled)
    assert [point.text for point in Review.objects.get().action_points.all()] == ["Kept.", "In the last."]


def test_too_many_action_points_are_rejected_and_kept(case: Case, expert: User) -> None:
    rows = {f"points-{n}-section": "syntax" for n in range(61)}
    rows |= {f"points-{n}-text": f"Point {n}." for n in range(61)}
    client, address = signed_in(expert), page("transition", case.pk, "request-changes")
    answer = fill_in(client, address, **rows, **{"points-TOTAL_FORMS": "61"})
    assert answer.status_code == 422
    assert "at most 60 action points" in answer.text
    assert "Point 60." in answer.text


def test_submitting_an_incomplete_draft_lists_findings(registrant: User) -> None:
    case = a_draft(by=registrant, purpose="", date="2026-13-01")
    client, address = signed_in(registrant), page("transition", case.pk, "submit")
    assert "Purpose" in client.get(address).text
    answer = fill_in(client, address)
    assert answer.status_code == 422
    assert "2026-13-01" in answer.text
    assert reread(case).state == State.DRAFT


def test_submitting_shows_the_text_that_becomes_public(registrant: User) -> None:
    case = a_draft(by=registrant)
    answer = signed_in(registrant).get(page("transition", case.pk, "submit"))
    assert "Namespace Identifier:  example-trees" in answer.text


@pytest.mark.exhaustive
def test_dismissed_advice_does_not_return_before_the_section_changes(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant, resolution="It is a TODO.")
    text = a_template(resolution="It is a TODO.", purpose="Names trees, for gardeners.")
    case = drafts.save_draft(case, text, by=registrant, stamp=case.draft_stamp)
    address = page("transition", case.pk, "submit")

    def advice() -> set[tuple[str, str]]:
        found = signed_in(registrant).get(address).context["findings"]
        return {(each.section, each.code) for each in found} & {("resolution", "placeholder")}

    assert advice()
    case = dismiss_finding(
        case, by=expert, round_number=1, section="resolution", code="placeholder", reason="It is their word."
    )
    assert not advice()
    text = a_template(resolution="It is another TODO.")
    drafts.save_draft(case, text, by=registrant, stamp=case.draft_stamp)
    assert advice()


@pytest.mark.exhaustive
@pytest.mark.parametrize("outcome", ["recognised", "refused", "left"])
def test_a_registration_under_the_community_procedure_does_not_claim_the_fast_track(
    outcome: str, registrant: User, expert: User, administrator: User, liaison: User
) -> None:
    case = a_case_in_review(by=registrant, body=a_body())
    if outcome == "recognised":
        case = functions.recognise(case, by=liaison, reference="Minutes 7")
        case = functions.request_completion(case, by=registrant)
    else:
        if outcome == "refused":
            case = functions.refuse_recognition(case, by=liaison, reference="Minutes 7")
        else:
            case = functions.leave_fast_track(case, by=registrant)
        case = functions.approve(case, by=expert, round_number=1, rationale="Sound.")
    functions.assign(case, by=administrator)
    requested, instead = "requested (RFC 8141, Section 6.3)", "; the community procedure applies instead"
    for address in (case.get_absolute_url(), NAMESPACE, f"{NAMESPACE}versions/1/"):
        text = signed_in(registrant).get(address).text
        assert requested in text
        assert (instead in text) == (outcome != "recognised")


def test_a_changed_draft_is_not_submitted(registrant: User) -> None:
    case = a_draft(by=registrant)
    client, address = signed_in(registrant), page("transition", case.pk, "submit")
    stale = fields_of(client.get(address), address)
    drafts.save_draft(case, a_template(purpose="Names newer trees."), by=registrant, stamp=case.draft_stamp)
    answer = client.post(address, stale)
    assert answer.status_code == 409
    assert "Names newer trees." in answer.text
    client.post(address, fields_of(answer, address))
    assert reread(case).state == State.IN_REVIEW


def test_confirming_a_submission_twice_leads_to_the_case_both_times(registrant: User) -> None:
    case = a_draft(by=registrant)
    client, address = signed_in(registrant), page("transition", case.pk, "submit")
    form = fields_of(client.get(address), address)
    assert client.post(address, form)["Location"] == case.get_absolute_url()
    answer = client.post(address, form, follow=True)
    assert answer.redirect_chain == [(case.get_absolute_url(), 302)]
    assert "You submitted this text as round 1 at " in answer.text
    assert case.rounds.count() == 1


def test_the_assign_page_previews_the_effect(registrant: User, expert: User, administrator: User) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    client, address = signed_in(administrator), page("transition", case.pk, "assign")
    assert "Registers example-trees, version 1, permanently." in client.get(address).text
    fill_in(client, address)
    assert Namespace.objects.get().nid == "example-trees"


@pytest.mark.exhaustive
def test_assigning_a_taken_nid_shows_the_reason(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    first = an_approved_case(by=registrant, expert=expert)
    second = an_approved_case(by=participant, expert=expert)
    client = signed_in(administrator)
    fill_in(client, page("transition", first.pk, "assign"))
    answer = fill_in(client, page("transition", second.pk, "assign"))
    assert answer.status_code == 409
    assert "has been registered since" in answer.text
    assert reread(second).state == State.APPROVED
    assert Namespace.objects.count() == 1


@pytest.mark.parametrize("name", ["nothing", "edit-", "approve-", "détruire", "state", "__init__"])
def test_an_unknown_transition_is_not_found(case: Case, registrant: User, name: str) -> None:
    assert signed_in(registrant).get(f"/cases/{case.pk}/{name}/").status_code == 404


def test_an_expired_form_is_refused_without_harm(registrant: User, expert: User) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(registrant)
    assert strict.post(page("transition", case.pk, "withdraw"), {"reason": "No token."}).status_code == 403
    assert reread(case).state == State.APPROVED
