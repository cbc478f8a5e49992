"""Models of cases, rounds, reviews and comments."""

from registry.cases.models.cases import WAITING_FOR, Case, CaseQuerySet
from registry.cases.models.decisions import PERSONAL_ACTIONS, bodies_recognised_by, excluding_decisions
from registry.cases.models.draft_versions import DraftChange, DraftVersion
from registry.cases.models.interests import associates_of, known_bodies, of_interest_to
from registry.cases.models.people import CoEditor, Invitation, Recusal, Subscription
from registry.cases.models.rounds import ActionPoint, Dismissal, Reply, Review, Round, TakenBackReview
from registry.cases.models.states import (
    CLOSED_STATES,
    DECIDING_VERDICTS,
    EDITABLE_STATES,
    EXPERT_STATES,
    OPEN_STATES,
    PUBLIC_STATES,
    REGISTRANT_STATES,
    STATUS_BY_STATE,
    Outcome,
    Procedure,
    State,
    Status,
    Verdict,
)
from registry.cases.models.texts import CannedText, Comment

__all__ = [
    "CLOSED_STATES",
    "DECIDING_VERDICTS",
    "EDITABLE_STATES",
    "EXPERT_STATES",
    "OPEN_STATES",
    "PERSONAL_ACTIONS",
    "PUBLIC_STATES",
    "REGISTRANT_STATES",
    "STATUS_BY_STATE",
    "WAITING_FOR",
    "ActionPoint",
    "CannedText",
    "Case",
    "CaseQuerySet",
    "CoEditor",
    "Comment",
    "Dismissal",
    "DraftChange",
    "DraftVersion",
    "Invitation",
    "Outcome",
    "Procedure",
    "Recusal",
    "Reply",
    "Review",
    "Round",
    "State",
    "Status",
    "Subscription",
    "TakenBackReview",
    "Verdict",
    "associates_of",
    "bodies_recognised_by",
    "excluding_decisions",
    "known_bodies",
    "of_interest_to",
]
