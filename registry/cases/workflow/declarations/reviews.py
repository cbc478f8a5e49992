"""The transitions of experts and of the approval body."""

from collections.abc import Callable

from registry.accounts.models import User
from registry.actions.parameters import BooleanOption, Choice, Text, optional_reason, reference
from registry.audit_log.history import REFERENCE, ROUND
from registry.cases import permissions
from registry.cases.canned_texts import OnlyCannedText
from registry.cases.models import Case, Review, Round, State, Verdict
from registry.cases.models.rounds import ReviewQuerySet
from registry.cases.workflow.declarations import conditions, definition
from registry.cases.workflow.declarations.definition import REGISTRANT_AND_SUBSCRIBERS, Audience, Transition
from registry.cases.workflow.declarations.parameters import ROUND_NUMBER, ActionPoints
from registry.cases.workflow.exceptions import OwnBenefit, PlaceholderLeft, SecondExpertNeeded, UnknownSection
from registry.core.markdown import AS_IN_COMMENTS

APPROVE_EFFECT = "An administrator registers this round, without changes."
REPORT_EFFECT = "The approval body receives the report and decides the case."
DECLINE_EFFECT = (
    "The case will be closed as declined. The registrant can then appeal once to the approval body."
)
DECISION_REFUSALS = (OnlyCannedText, SecondExpertNeeded)


def _after_one_or_two(success: str) -> Callable[[Case], str]:
    """The message after a decision: `success`, unless a second expert must give the same verdict."""
    waiting = "Your verdict is recorded. It takes effect when a second expert gives the same verdict."
    return lambda case: waiting if case.state == State.IN_REVIEW else success


def deciding_on(round_: Round | None) -> ReviewQuerySet:
    """The verdicts on a round that count for a decision."""
    return Review.objects.deciding().filter(round=round_)


def _of_one_or_two(verdict: Verdict, effect: str) -> Callable[[Case], str]:
    """What a verdict with this effect will do: nothing by itself, if it is the first of two."""

    def now(case: Case) -> str:
        if not case.needs_two_experts:
            return effect
        if deciding_on(case.latest_round).filter(verdict=verdict).exists():
            return f"An expert has given this verdict, so yours is the second. {effect}"
        return (
            "Two experts decide this case, and yours is the first such verdict, so the case stays in review. When a second "
            f"expert gives the same verdict: {effect}"
        )

    return now


def _may_decide(user: User, case: Case) -> bool:
    """Whether the expert gave none of two verdicts on the latest round: the second must be that of another one."""
    if not case.needs_two_experts:
        return True
    return not deciding_on(case.latest_round).filter(expert=user).exists()


# The number of the round is not needed: a newer one would be a step after the verdict.
TAKE_BACK = Transition(
    name="take_back",
    operation_id="takeBackVerdict",
    label="Take back your verdict",
    effect=(
        "Your verdict will no longer count, and the experts review the round again by the same date as before. "
        "The verdict stays on record. This is possible for an hour, unless someone has acted on it."
    ),
    success="Your verdict is taken back. The registrant, the subscribers and everyone who can act are notified.",
    past="Took back the verdict on round {round}",
    details=definition.TAKEN_BACK,
    permission=permissions.gave_latest_verdict,
    sources=frozenset({State.IN_REVIEW, *conditions.STATE_AFTER}),
    conditions=(conditions.COMMUNITY, conditions.VERDICT_IS_OPEN),
    parameters=(
        Text(
            "reason",
            "Reason",
            "What was wrong. It becomes part of the public record.",
            lines=4,
            sample="The answer was meant for another case.",
        ),
    ),
    mailed_to=(*REGISTRANT_AND_SUBSCRIBERS, Audience.NEXT_TO_ACT, Audience.PREVIOUSLY_ABLE_TO_ACT),
)
REQUEST_CHANGES = Transition(
    name="request_changes",
    effect="The case goes back to the registrant, who answers each action point and submits the next round.",
    success="Changes requested. The registrant is notified.",
    past="Requested changes",
    details=definition.CHANGES_REQUESTED,
    permission=permissions.is_expert,
    targets=(State.CHANGES_REQUESTED,),
    conditions=(conditions.COMMUNITY,),
    parameters=(
        ROUND_NUMBER,
        Text(
            "rationale",
            "General remarks",
            f"Your assessment of the round as a whole. Optional. {AS_IN_COMMENTS}",
            lines=5,
            is_optional=True,
        ),
        ActionPoints(
            "action_points",
            "Action points, at least one.",
            sample=[{"section": "purpose", "text": "Say who benefits."}],
        ),
    ),
    refusals=(OnlyCannedText, UnknownSection),
)
ADVISE = Transition(
    name="advise",
    operation_id="adviseOnCase",
    label="Give advice",
    effect="On the fast track, reviews are advice. The requesting body decides whether to follow it.",
    success="Your advice is recorded. The registrant is notified.",
    past="Gave advice",
    details=(ROUND,),
    permission=permissions.is_expert,
    conditions=(conditions.FAST_TRACK,),
    parameters=(
        ROUND_NUMBER,
        Text("rationale", "Advice", AS_IN_COMMENTS, sample="The syntax is clear, and the names are unique."),
    ),
    refusals=(OnlyCannedText,),
    mailed_to=REGISTRANT_AND_SUBSCRIBERS,
)
APPROVE = Transition(
    name="approve",
    effect=APPROVE_EFFECT,
    effect_now=_of_one_or_two(Verdict.APPROVE, APPROVE_EFFECT),
    offered_to=_may_decide,
    success=_after_one_or_two("Approved. Next, an administrator registers it."),
    past="Approved round {round}",
    details=(ROUND,),
    permission=permissions.is_expert,
    targets=(State.APPROVED, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY, conditions.NO_STANDARDS_ACTION),
    parameters=(
        ROUND_NUMBER,
        Text(
            "rationale",
            "Rationale",
            f"Why this round can be registered. It becomes part of the public record. {AS_IN_COMMENTS}",
            sample="The assignment of names is well defined.",
        ),
    ),
    refusals=DECISION_REFUSALS,
)
FORWARD_REPORT = Transition(
    name="forward_report",
    label="Forward the report",
    effect=REPORT_EFFECT,
    effect_now=_of_one_or_two(Verdict.REPORT, REPORT_EFFECT),
    offered_to=_may_decide,
    success=_after_one_or_two("The report was forwarded to the approval body."),
    past="Forwarded the report to the approval body",
    details=(ROUND,),
    permission=permissions.is_expert,
    targets=(State.AWAITING_DIRECTION, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY, conditions.STANDARDS_ACTION),
    parameters=(
        ROUND_NUMBER,
        Text(
            "report",
            "Report",
            "The findings of the review, and your recommendation. The report is public.",
            sample="We recommend registration.",
            lines=14,
        ),
    ),
    refusals=(*DECISION_REFUSALS, PlaceholderLeft),
)
DECLINE = Transition(
    name="decline",
    effect=DECLINE_EFFECT,
    effect_now=_of_one_or_two(Verdict.DECLINE, DECLINE_EFFECT),
    offered_to=_may_decide,
    success=_after_one_or_two("Declined. The registrant is notified of the reason."),
    past="Declined",
    details=(ROUND,),
    permission=permissions.is_expert,
    targets=(State.DECLINED, State.IN_REVIEW),
    conditions=(conditions.COMMUNITY,),
    parameters=(ROUND_NUMBER, Text("reason", "Reason", sample="The names would not be unique.")),
    refusals=DECISION_REFUSALS,
    is_grave=True,
)
VERDICTS = {each.name: each for each in (REQUEST_CHANGES, ADVISE, APPROVE, FORWARD_REPORT, DECLINE)}
DIRECT = Transition(
    name="direct",
    operation_id="recordDirection",
    label="Record the direction",
    effect="Records the decision of the approval body: to register the namespace, or to decline the request.",
    success="The direction is recorded.",
    past="Recorded the direction of the approval body",
    details=(ROUND, REFERENCE),
    permission=permissions.is_liaison,
    sources=frozenset({State.AWAITING_DIRECTION}),
    targets=(State.APPROVED, State.DECLINED),
    parameters=(
        ROUND_NUMBER,
        Choice(
            "is_approved",
            "Decision of the approval body",
            sample=True,
            yes="register the namespace",
            no="decline the request",
        ),
        reference("Reference to the decision"),
        optional_reason(label="Reason given by the approval body", lines=5),
    ),
)
RETURN_TO_EXPERTS = Transition(
    name="return_to_experts",
    label="Return to the experts",
    effect="The experts review the round again. Verdicts that they gave on it before no longer count.",
    success="Returned. The experts are notified of the reason.",
    past="Returned the report to the experts",
    details=(ROUND,),
    permission=permissions.is_liaison,
    sources=frozenset({State.AWAITING_DIRECTION}),
    conditions=(conditions.NOT_ON_APPEAL,),
    parameters=(
        ROUND_NUMBER,
        Text("reason", "Reason", sample="The report does not say who assigns the names."),
    ),
)
RECOGNISE = Transition(
    name="recognise",
    operation_id="recogniseBody",
    label="Recognise the body",
    effect="The body can use the fast track: reviews are advice, and it decides when to request completion.",
    success="The recognition is recorded.",
    past="Recorded the recognition of the requesting body",
    details=(REFERENCE, *definition.RECOGNITION),
    permission=permissions.is_liaison,
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(
        reference("Reference to the recognition"),
        BooleanOption("for_later_cases", "Also applies to later cases of this body"),
    ),
    refusals=(OwnBenefit,),
)
REFUSE_RECOGNITION = Transition(
    name="refuse_recognition",
    operation_id="refuseBodyRecognition",
    effect="The case will continue under the community procedure, and the experts decide. Its content is kept.",
    success="The refusal is recorded. The case continues under the community procedure.",
    past="Recorded that recognition of the requesting body was refused",
    details=(REFERENCE,),
    permission=permissions.is_liaison,
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(reference("Reference to the decision"),),
    is_grave=True,
)
