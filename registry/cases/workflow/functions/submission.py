"""Functions of transitions: submission, withdrawal, and deletion of a draft."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F, prefetch_related_objects

from registry.accounts.models import Recognition, User
from registry.actions.engine import performs
from registry.cases.drafts import replies
from registry.cases.drafts.drafts import DraftClosed, check_stamp, complete_template, requested_nid
from registry.cases.findings import blocking_findings_of
from registry.cases.models import Case, Procedure, Reply, Round, State
from registry.cases.permissions import is_registrant
from registry.cases.workflow.committed_texts import digest_of_replies
from registry.cases.workflow.declarations.transitions import LEAVE_FAST_TRACK, SUBMIT, WITHDRAW
from registry.cases.workflow.exceptions import AlreadySubmitted, NothingChanged, SubmissionIncomplete
from registry.cases.workflow.subject import CASE, CaseContext
from registry.core.digests import digest_of
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import count_post
from registry.core.validators import check_optional_text
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from registry.registration_template.template import RegistrationTemplate


def check_deletable(case: Case, *, by: User) -> None:
    """Raise NotPermitted or DraftClosed unless `by` may delete the draft."""
    if not is_registrant(by, case):
        raise NotPermitted(f"You are not the registrant of case {case.pk}.")
    if case.is_public or case.state not in {State.DRAFT, State.WITHDRAWN}:
        raise DraftClosed(
            f"Case {case.pk} was submitted, so its text is public. Withdraw the request to close the case."
        )


@transaction.atomic
def delete_draft(case: Case, *, by: User) -> None:
    """Delete the text with its history, the answers and the invitations. The number of the case is not used again."""
    case = Case.objects.select_for_update().get(pk=case.pk)
    check_deletable(case, by=by)
    if case.state == State.DRAFT:
        withdraw(case, by=by)
    case.invitations.all().delete()
    case.draft_versions.all().delete()
    Case.objects.filter(pk=case.pk).update(
        draft={}, draft_profile={}, draft_replies={}, requested_nid="", draft_stamp=F("draft_stamp") + 1
    )


@performs(SUBMIT, CASE)
def submit(context: CaseContext, *, draft_stamp: int) -> None:
    """Freeze the draft as the next round, with the answers to the action points of the previous round, unless it has
    blocking findings or unanswered action points (6.2, steps 1 to 3).
    """
    case = context.case
    if case.draft_stamp != draft_stamp:
        check_not_submitted(case, case.draft_template, case.proposed_profile, by=context.actor)
    check_stamp(case, draft_stamp)
    if faults := blocking_findings_of(case):
        raise SubmissionIncomplete(faults)
    points = replies.answered_points_of(case)
    template = complete_template(case, case.draft_template)
    check_changed(case, template)
    count_post(case.pk)
    round_ = _create_round(case, template, by=context.actor)
    case.requested_nid = requested_nid(case, template)
    takes_recognition = _take_standing_recognition(case, by=context.actor)
    case.draft_stamp += 1  # a second click, or a concurrent one, is refused
    context.text_digest = round_.digest
    prefetch_related_objects([case], "co_editors", "recusals")
    context.details = _event_details(case, round_, replies.publish_replies(case, round_, points))
    if takes_recognition:
        context.details["recognised"] = True
    # They are read once for the event and the mails; the caller's case is to read later changes.
    context.afterwards = partial(case.refresh_from_db, fields=["co_editors", "recusals"])


def check_not_submitted(
    case: Case, template: RegistrationTemplate, proposed: ProposedProfile, *, by: User
) -> None:
    """Raise AlreadySubmitted if `by` submitted this text as the round in review."""
    latest = case.latest_round
    if latest is None or case.state != State.IN_REVIEW or latest.submitted_by_id != by.pk:
        return
    if (latest.template, latest.proposed_profile) == (complete_template(case, template), proposed):
        raise AlreadySubmitted(latest)


def check_changed(case: Case, template: RegistrationTemplate) -> None:
    """Raise NothingChanged if the draft is the round in review."""
    if is_in_review(case, template):
        raise NothingChanged(
            f"The draft is identical to round {case.latest_round_number}, which is in review. Change it before you submit."
        )


def is_in_review(case: Case, template: RegistrationTemplate) -> bool:
    """Whether the draft, which is this complete template, is the round in review."""
    latest = case.latest_round
    if latest is None or case.state != State.IN_REVIEW:
        return False
    return (latest.template, latest.profile) == (template, case.draft_profile)


def _create_round(case: Case, template: RegistrationTemplate, *, by: User) -> Round:
    latest = case.latest_round
    case.latest_round = Round.objects.create(
        case=case,
        number=latest.number + 1 if latest else 1,
        submitted_by=by,
        profile=case.draft_profile,
        **Round.columns_of(template, latest),
    )
    return case.latest_round


def _event_details(case: Case, round_: Round, published: Sequence[Reply]) -> dict[str, Any]:
    """The details of the event of a submission; those without a value are absent."""
    details = {
        "profile_digest": round_.profile and digest_of(round_.profile),
        "authorised_by": case.body.name if case.body and case.is_fast_track else "",
        "co_editors": sorted(each.user_id for each in case.co_editors.all()),
        # The event of a recusal from a draft is this one: a draft has no events.
        "recused": sorted(each.user_id for each in case.recusals.all()) if round_.number == 1 else [],
        "organisation": case.organisation_id,
        "replies": len(published),
        "replies_digest": digest_of_replies(published) if published else "",
    }
    return {"round": round_.number} | {name: value for name, value in details.items() if value}


def _take_standing_recognition(case: Case, *, by: User) -> bool:
    """Apply an earlier decision of the approval body on the requesting body to this case (6.3, step 4). Return whether it
    recognises the body.

    The recognition applies to a recorded representative who submits, also if another person began the case.
    """
    if case.body is None or not case.is_fast_track or case.recognition != Recognition.PENDING:
        return False
    represents = case.body.representatives.filter(pk=by.pk).exists()
    if case.body.recognition == Recognition.RECOGNISED and not represents:
        return False  # anyone can name a body; the liaison decides whether they represent it
    case.recognition = case.body.recognition
    if case.recognition == Recognition.REFUSED:
        case.procedure = Procedure.COMMUNITY
    return case.recognition == Recognition.RECOGNISED


@performs(LEAVE_FAST_TRACK, CASE)
def leave_fast_track(context: CaseContext, *, reason: str = "") -> None:
    """Continue under the community procedure: the fast track is an option of the requesting body (6.3)."""
    context.reason = check_optional_text(reason, "the reason")
    context.case.procedure = Procedure.COMMUNITY


@performs(WITHDRAW, CASE)
def withdraw(context: CaseContext, *, reason: str = "") -> None:
    """Withdraw the request. The case and its history stay public."""
    context.reason = check_optional_text(reason, "the reason")
