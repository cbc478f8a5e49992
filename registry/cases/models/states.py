"""The choices of the case models: states, procedures, verdicts and outcomes; and earlier decisions in a case that
keep a person from another decision in it: the separation of duties.
"""

from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.db.models import BigIntegerField, Q, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event, EventQuerySet


class State(models.TextChoices):
    DRAFT = "draft", "draft"
    IN_REVIEW = "in_review", "in review"
    CHANGES_REQUESTED = "changes_requested", "changes requested"
    AWAITING_DIRECTION = "awaiting_direction", "awaiting direction"
    APPROVED = "approved", "approved"
    REGISTERED = "registered", "registered"
    DECLINED = "declined", "declined"
    WITHDRAWN = "withdrawn", "withdrawn"


CLOSED_STATES = frozenset({State.REGISTERED, State.DECLINED, State.WITHDRAWN})
OPEN_STATES = frozenset(State) - CLOSED_STATES
PUBLIC_STATES = tuple(state for state in State if state != State.DRAFT)
# The role that acts in a state. In other open states the registrant acts.
ROLE_BY_STATE = {
    State.IN_REVIEW: RoleName.EXPERT,
    State.AWAITING_DIRECTION: RoleName.LIAISON,
    State.APPROVED: RoleName.ADMINISTRATOR,
}
EXPERT_STATES = frozenset(state for state, role in ROLE_BY_STATE.items() if role == RoleName.EXPERT)
REGISTRANT_STATES = OPEN_STATES.difference(ROLE_BY_STATE, {State.DRAFT})
# The states in which the editors can save the draft.
EDITABLE_STATES = frozenset({State.DRAFT, State.IN_REVIEW}) | REGISTRANT_STATES


@dataclass(frozen=True, slots=True)
class Status:
    """Who the case is with now ("" when it is closed), their task, and the next step. `described` tells the task to
    readers who have another part in the case.
    """

    holder: str
    task: str
    afterwards: str = ""
    described: str = ""


# In review, and in special cases, `cases.status` chooses another one.
STATUS_BY_STATE: dict[State, Status] = {
    State.DRAFT: Status(
        "The registrant",
        "Complete the template and submit it. Drafts are visible to their editors only.",
        "Next, the designated experts review it in public.",
    ),
    State.CHANGES_REQUESTED: Status(
        "The registrant",
        "Edit the template to address the action points of the last review, and submit it again.",
        "Next, it goes back to its reviewers.",
        "The registrant addresses the action points of the last review, and submits the template again.",
    ),
    State.AWAITING_DIRECTION: Status(
        "The approval body",
        "Decide on the request. The liaison records the decision here, with a reference.",
        "Next, an administrator registers the namespace, the case is declined, or the experts report again.",
        "The approval body decides on the request. The liaison records the decision here.",
    ),
    State.APPROVED: Status(
        "The administrators",
        "Check the approved round again, and register it.",
        "Next, the namespace is public in the registry.",
        "An administrator checks the approved round again, and registers it.",
    ),
    State.REGISTERED: Status(
        "",
        "The registration is complete and permanent.",
        "To change it, the registrant starts a revision on the page of the namespace.",
    ),
    State.WITHDRAWN: Status(
        "",
        "The registrant withdrew the request. The submitted rounds stay public.",
        "Anyone can still request the namespace in a new case.",
    ),
}


class Procedure(models.TextChoices):
    COMMUNITY = "community", "community (Section 6.2)"
    FAST_TRACK = "fast_track", "fast track (Section 6.3)"


class Verdict(models.TextChoices):
    REQUEST_CHANGES = "request_changes", "changes requested"
    APPROVE = "approve", "approved"
    DECLINE = "decline", "declined"
    REPORT = "forward_report", "report to the approval body"
    ADVICE = "advise", "advice"


# The verdicts that end a review. A request for changes does not, so one expert is enough for it.
DECIDING_VERDICTS = frozenset({Verdict.APPROVE, Verdict.DECLINE, Verdict.REPORT})


class Outcome(models.TextChoices):
    """The reply of the registrant to an action point: addressed or not."""

    DONE = "done", "done"
    NOT_DONE = "not_done", "not done"


# The event of the first of two equal verdicts.
FIRST_VERDICT_NAME = "first_verdict"
COMMENT_NAME = "comment"


def _first_verdict(verdict: Verdict) -> Q:
    return Q(verb=FIRST_VERDICT_NAME, details__verdict=verdict.value)


# Events of people who act for themselves, not for the registry.
PERSONAL_ACTIONS = (COMMENT_NAME, "recuse", "accept_invitation", "decline_invitation", "remove_co_editor")
APPROVALS = (
    Q(verb__in=[Verdict.APPROVE.value, "recognise"])
    | Q(verb="direct", to_state=State.APPROVED)
    | _first_verdict(Verdict.APPROVE)
)
DECLINES = Q(verb=Verdict.DECLINE.value) | _first_verdict(Verdict.DECLINE)
# Decisions on a body that also hold for later cases of the body.
STANDING_RECOGNITIONS = Q(verb="recognise_body") | Q(verb="recognise", details__for_later_cases=True)
# A person who approved a case does not register it; one who declined it does not direct its appeal.
EXCLUDED_BY_DECISION = {RoleName.ADMINISTRATOR: APPROVALS, RoleName.LIAISON: DECLINES}


def excluding_decisions(role: RoleName, user: User) -> EventQuerySet:
    """The decisions of `user` after which they can't act in `role` in the same case."""
    decisions = EXCLUDED_BY_DECISION.get(role)
    if decisions is None or not settings.SEPARATE_DUTIES:
        return Event.objects.none()
    return Event.objects.filter(decisions, actor=user)


def bodies_recognised_by(user: User) -> QuerySet[Event, int]:
    """The keys of the bodies that `user` recognised: a decision in advance on each of their fast-track cases."""
    made = Event.objects.filter(STANDING_RECOGNITIONS, actor=user, details__has_key="body")
    if not settings.SEPARATE_DUTIES:
        made = made.none()
    body = Cast(KeyTextTransform("body", "details"), BigIntegerField())
    return made.annotate(body=body).values_list("body", flat=True)
