"""submit: a draft becomes a round, frozen, public and posted."""

import pytest
from django.test import Client

from registry.accounts.models import Body, Recognition, User
from registry.actions.declarations import ConditionNotMet
from registry.cases import comments
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import StaleDraft
from registry.cases.models import ActionPoint, Case, CoEditor, Procedure, Round, State
from registry.cases.workflow import functions
from registry.cases.workflow.exceptions import AlreadySubmitted, NothingChanged, SubmissionIncomplete
from registry.cases.workflow.functions import people
from registry.core.digests import digest_of
from registry.mail.models import Message
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from registry.namespaces.models import Kind
from tests.cases.traces import digest_of_round, one_event, refused
from tests.cases.transitions.rounds import next_round, saved
from tests.support.factories import a_body, a_case_in_review, a_draft, a_namespace, a_person, all_done


def test_the_draft_becomes_round_1_and_the_case_is_public(draft: Case, registrant: User) -> None:
    with one_event(
        verb="submit",
        by=registrant,
        case=draft.pk,
        moved=("draft", "in_review"),
        details={"round": 1},
    ):
        case = functions.submit(draft, by=registrant, draft_stamp=0)
    assert case.state == State.IN_REVIEW
    assert case.is_public
    frozen = case.rounds.get()
    assert (frozen.number, frozen.submitted_by) == (1, registrant)
    assert frozen.template == draft.draft_template
    assert frozen.digest == frozen.template.digest(frozen.commitments) != frozen.template.digest()
    assert "example-trees" in frozen.text


def test_a_later_draft_leaves_the_round_as_it_was(in_review: Case) -> None:
    before = in_review.rounds.values().get()
    saved(in_review, purpose="Something else entirely.")
    assert in_review.rounds.values().get() == before


def test_a_new_round_returns_to_the_expert_who_requested_changes(
    in_review: Case, registrant: User, expert: User, other_expert: User
) -> None:
    case = functions.request_changes(
        in_review, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say who benefits.")]
    )
    point = ActionPoint.objects.get(review__round__case=case)
    case = all_done(saved(case, purpose="Trees, for gardens."))
    Message.objects.all().delete()
    with one_event(
        verb="submit",
        by=registrant,
        case=case.pk,
        moved=("changes_requested", "in_review"),
        details={"round": 2, "replies": 1, "replies_digest": digest_of([[point.pk, "done", ""]])},
    ):
        functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert set(Message.objects.filter(name="submit").values_list("to", flat=True)) == {
        registrant.email,
        expert.email,
    }


def test_a_round_goes_to_all_experts_if_its_reviewer_is_recused(
    in_review: Case, expert: User, other_expert: User
) -> None:
    functions.request_changes(
        in_review, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say who benefits.")]
    )
    people.recuse(in_review, by=expert)
    Message.objects.all().delete()
    next_round(in_review)
    told = set(Message.objects.filter(name="submit").values_list("to", flat=True))
    assert other_expert.email in told
    assert expert.email not in told


def test_comments_are_reason_enough_for_a_new_round_during_the_review(
    in_review: Case, registrant: User, participant: User
) -> None:
    kept = comments.comment(in_review, by=participant, round_number=1, section="purpose", text="Whose?")
    case = saved(in_review, purpose="Trees of gardens.")
    with one_event(
        verb="submit",
        by=registrant,
        case=case.pk,
        moved=("in_review", "in_review"),
        details={"round": 2},
    ):
        case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert case.state_since == in_review.state_since
    kept.refresh_from_db()
    assert kept.round.number == 1


def test_a_comment_on_the_round_before_is_kept_while_the_next_is_submitted(
    in_review: Case, participant: User
) -> None:
    next_round(in_review)
    kept = comments.comment(in_review, by=participant, round_number=1, text="I was writing meanwhile.")
    assert kept.round.number == 1


def test_the_event_lists_the_editors_of_the_round(draft: Case, registrant: User, co_editor: User) -> None:
    CoEditor.objects.create(case=draft, user=co_editor)
    with one_event(
        verb="submit",
        by=registrant,
        case=draft.pk,
        moved=("draft", "in_review"),
        details={"round": 1, "co_editors": [co_editor.pk]},
    ):
        functions.submit(draft, by=registrant, draft_stamp=0)


def test_the_event_names_the_body_that_authorised_the_fast_track(
    registrant: User, body: Body, client: Client
) -> None:
    case = a_draft(by=registrant, body=body)
    with one_event(
        verb="submit",
        by=registrant,
        case=case.pk,
        moved=("draft", "in_review"),
        details={"round": 1, "authorised_by": body.name},
    ):
        case = functions.submit(case, by=registrant, draft_stamp=0)
    line = f"Authorised by {body.name}, as the registrant confirmed"
    assert client.get(case.get_absolute_url()).text.count(line) == 1
    case = next_round(functions.leave_fast_track(case, by=registrant))
    assert client.get(case.get_absolute_url()).text.count(line) == 1


def test_a_blocking_finding_prevents_submission(registrant: User) -> None:
    case = a_draft(by=registrant, purpose="", namespace_identifier="urn-17")
    with refused(SubmissionIncomplete):
        functions.submit(case, by=registrant, draft_stamp=0)
    with pytest.raises(SubmissionIncomplete) as refusal:
        functions.submit(case, by=registrant, draft_stamp=0)
    assert {finding.section for finding in refusal.value.findings} == {"purpose", "namespace_identifier"}


def test_a_stale_draft_is_not_submitted(draft: Case, registrant: User) -> None:
    saved(draft, purpose="Saved in another window.")
    with refused(StaleDraft):
        functions.submit(draft, by=registrant, draft_stamp=0)


def test_a_double_submit_creates_one_round(draft: Case, registrant: User) -> None:
    functions.submit(draft, by=registrant, draft_stamp=0)
    with refused(AlreadySubmitted, "as round 1 at "):
        functions.submit(draft, by=registrant, draft_stamp=0)


def test_a_returned_round_is_not_reported_as_submitted(draft: Case, registrant: User, expert: User) -> None:
    case = functions.submit(draft, by=registrant, draft_stamp=0)
    points = [("purpose", "Say who benefits.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    with refused(StaleDraft):
        functions.submit(draft, by=registrant, draft_stamp=0)


def test_a_changed_draft_is_not_reported_as_submitted(draft: Case, registrant: User) -> None:
    saved(functions.submit(draft, by=registrant, draft_stamp=0), purpose="Saved in another window.")
    with refused(StaleDraft):
        functions.submit(draft, by=registrant, draft_stamp=0)


def test_an_unchanged_round_is_refused_while_in_review(in_review: Case, registrant: User) -> None:
    with refused(NothingChanged, "round 1"):
        functions.submit(in_review, by=registrant, draft_stamp=in_review.draft_stamp)


def test_a_round_may_say_the_same_after_changes_were_requested(
    in_review: Case, registrant: User, expert: User
) -> None:
    case = functions.request_changes(
        in_review, by=expert, round_number=1, rationale="", action_points=[("purpose", "Say who benefits.")]
    )
    case = all_done(case)
    case = functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert digest_of_round(case, 1) == digest_of_round(case, 2)


def test_the_requested_nid_of_a_public_case_is_that_of_its_latest_round(in_review: Case) -> None:
    changed = saved(in_review, namespace_identifier="example-hedges")
    assert changed.requested_nid == "example-trees"
    case = functions.submit(changed, by=changed.registrant, draft_stamp=changed.draft_stamp)
    assert case.requested_nid == "example-hedges"


def test_a_nid_registered_since_blocks_the_submission(
    draft: Case, registrant: User, participant: User, expert: User, administrator: User
) -> None:
    a_namespace(by=participant, expert=expert, administrator=administrator)
    with refused(SubmissionIncomplete, "A NID is never reused"):
        functions.submit(draft, by=registrant, draft_stamp=0)


def test_an_earlier_recognition_applies_to_the_case(registrant: User) -> None:
    body = a_body(recognition=Recognition.RECOGNISED)
    body.representatives.add(registrant)
    case = a_case_in_review(by=registrant, body=body)
    assert (case.recognition, case.procedure) == (Recognition.RECOGNISED, Procedure.FAST_TRACK)


def test_a_body_that_is_refused_for_good_leads_into_the_community_procedure(registrant: User) -> None:
    case = a_case_in_review(by=registrant, body=a_body(recognition=Recognition.REFUSED))
    assert (case.recognition, case.procedure) == (Recognition.REFUSED, Procedure.COMMUNITY)
    assert case.state == State.IN_REVIEW


def test_a_refusal_in_this_case_outlives_a_later_recognition_of_the_body(
    fast_track: Case, liaison: User
) -> None:
    case = functions.refuse_recognition(fast_track, by=liaison, reference="Minutes 1")
    assert case.body is not None
    case.body.recognition = Recognition.RECOGNISED
    case.body.save()
    assert next_round(case).procedure == Procedure.COMMUNITY


def test_the_fast_track_needs_a_specification(registrant: User) -> None:
    case = a_draft(by=registrant, body=a_body(), documentation="")
    with refused(SubmissionIncomplete, "Documentation"):
        functions.submit(case, by=registrant, draft_stamp=0)


def test_a_revision_must_describe_the_differences(
    registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = drafts.start_revision(namespace, by=registrant)
    case = saved(case, version=2, revision_information="")
    with refused(SubmissionIncomplete):
        functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)


def test_a_former_registrant_submits_no_revision(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = saved(drafts.start_revision(namespace, by=registrant), revision_information="Hyphens.")
    accept_transfer(offer_transfer(namespace, by=registrant, to=participant.email), by=participant)
    with refused(ConditionNotMet, "transferred"):
        functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)


def test_an_informal_case_names_no_nid(registrant: User) -> None:
    case = a_case_in_review(by=registrant, kind=Kind.INFORMAL)
    assert (case.requested_nid, case.rounds.get().template.namespace_identifier) == ("", "")


def test_a_co_editor_writes_and_the_registrant_submits(draft: Case, co_editor: User) -> None:
    CoEditor.objects.create(case=draft, user=co_editor)
    written = drafts.save_draft(draft, draft.draft_template, by=co_editor, stamp=0)
    assert functions.submit(written, by=draft.registrant, draft_stamp=1).state == State.IN_REVIEW


def test_the_text_is_posted_to_the_list_as_it_was_frozen(draft: Case, registrant: User) -> None:
    a_person(email="bystander@example.org")
    case = functions.submit(draft, by=registrant, draft_stamp=0)
    posted = Message.objects.get(name="post_to_list")
    last = case.rounds.get().text.strip().splitlines()[-1].strip()
    assert last in posted.body
    assert Round.objects.count() == 1
