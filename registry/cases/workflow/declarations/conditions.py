"""The conditions of RFC 8141, Sections 6.2 and 6.3, under which actions are available."""

from datetime import timedelta

from django.utils import timezone

from registry.accounts.models import Recognition
from registry.actions.declarations import Condition
from registry.audit_log.models import Event
from registry.cases.findings import cannot_be_registered
from registry.cases.models import Case, State, Verdict
from registry.cases.workflow.exceptions import DiscussionClosed, NothingToDiscuss

TIME_TO_TAKE_BACK = timedelta(hours=1)
# The states to which a verdict leads. It is acted on when the case leaves them.
STATE_AFTER = {State.APPROVED: Verdict.APPROVE, State.AWAITING_DIRECTION: Verdict.REPORT}


def is_declined_by_approval_body(case: Case) -> bool:
    """Whether the approval body itself declined the request, first or on appeal."""
    if case.state != State.DECLINED:
        return False
    return Event.objects.filter(case_number=case.pk, verb="direct", to_state=State.DECLINED).exists()


def _can_be_taken_back(case: Case) -> bool:
    """Whether the latest verdict is the last step of the case, and recent. The cheap questions come first."""
    earliest = timezone.now() - TIME_TO_TAKE_BACK
    is_in_review = case.state == State.IN_REVIEW
    if not case.needs_two_experts if is_in_review else case.state_since < earliest:
        return False
    verdict = case.latest_verdict
    if verdict is None or verdict.at < earliest:
        return False
    if is_in_review:
        return verdict.round == case.latest_round and verdict.at >= case.state_since
    return verdict.verdict == STATE_AFTER.get(State(case.state))


COMMUNITY = Condition[Case](
    lambda case: not case.is_fast_track,
    "On the fast track, reviews are advice and the requesting body decides (RFC 8141, Section 6.3, step 3).",
)
FAST_TRACK = Condition[Case](
    lambda case: case.is_fast_track,
    "This case follows the community procedure (RFC 8141, Section 6.2), not the fast track.",
)
NO_STANDARDS_ACTION = Condition[Case](
    lambda case: not case.standards_action,
    "A standards action is anticipated, so report to the approval body (RFC 8141, Section 6.2, step 4).",
)
STANDARDS_ACTION = Condition[Case](
    lambda case: case.standards_action,
    "No standards action is anticipated, so no report is needed (RFC 8141, Section 6.2, step 4).",
)
BODY_RECOGNISED = Condition[Case](
    lambda case: case.recognition == Recognition.RECOGNISED,
    "The approval body has not yet recognised the requesting body (RFC 8141, Section 6.3).",
)
RECOGNITION_PENDING = Condition[Case](
    lambda case: case.recognition == Recognition.PENDING,
    "The approval body has already decided on the recognition of the requesting body.",
)
NOT_YET_APPEALED = Condition[Case](
    lambda case: case.appealed_at is None,
    "This case was already appealed. A case can be appealed only once.",
)
DECLINED_BY_EXPERTS = Condition[Case](
    lambda case: not is_declined_by_approval_body(case),
    "The approval body itself declined this request, so it can't decide on an appeal. Start a new case instead.",
)
NOT_ON_APPEAL = Condition[Case](
    lambda case: case.appealed_at is None,
    "The registrant appealed the experts' decision, so the approval body decides.",
)
STILL_THE_REGISTRANT = Condition[Case](
    lambda case: not case.is_of_former_registrant,
    "The namespace was transferred after this revision was started. Only the new registrant can revise it.",
)
RETURNABLE = Condition[Case](
    lambda case: not case.is_fast_track or cannot_be_registered(case),
    "The requesting body decided to complete the registration (RFC 8141, Section 6.3, step 4). The case can be returned "
    "only if a check refuses the registration.",
)
VERDICT_IS_OPEN = Condition[Case](
    _can_be_taken_back,
    "A verdict can be taken back for an hour, unless someone has acted on it.",
)
HAS_INVITATIONS = Condition[Case](
    lambda case: bool(case.invitations.all()), "This case has no open invitations."
)
HAS_CO_EDITORS = Condition[Case](lambda case: bool(case.co_editors.all()), "This case has no co-editors.")
# Of a declined case.
APPEALABLE = (NOT_YET_APPEALED, DECLINED_BY_EXPERTS)
SUBMITTED = Condition[Case](
    lambda case: case.is_public,
    "This case is a draft. Comments are possible after its first submission.",
    NothingToDiscuss,
)
UNDER_DISCUSSION = Condition[Case](
    lambda case: (
        case.is_open or (case.state == State.DECLINED and all(each.holds(case) for each in APPEALABLE))
    ),
    lambda case: (
        f"Case {case.pk} is {case.get_state_display()} and closed for comments. Earlier comments stay public."
    ),
    DiscussionClosed,
)
