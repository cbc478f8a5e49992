"""How a namespace comes to be or is revised: cases, their rounds, and what is said of them."""

from registry.cases.models.cases import WAITING_FOR, Case, CaseQuerySet, known_bodies
from registry.cases.models.people import CoEditor, Recusal, Subscription
from registry.cases.models.rounds import ActionPoint, Dismissal, Reply, Review, Round
from registry.cases.models.states import CLOSED_STATES, OPEN_STATES, Outcome, Procedure, State, Verdict
from registry.cases.models.texts import CannedText, Comment

__all__ = [
    "CLOSED_STATES",
    "OPEN_STATES",
    "WAITING_FOR",
    "ActionPoint",
    "CannedText",
    "Case",
    "CaseQuerySet",
    "CoEditor",
    "Comment",
    "Dismissal",
    "Outcome",
    "Procedure",
    "Recusal",
    "Reply",
    "Review",
    "Round",
    "State",
    "Subscription",
    "Verdict",
    "known_bodies",
]
