"""How a namespace comes to be or is revised: cases, their rounds, and what is said of them."""

from registry.registrations.models.cases import WAITING_FOR, Registration, RegistrationQuerySet, known_bodies
from registry.registrations.models.people import CoEditor, Recusal, Watch
from registry.registrations.models.rounds import ActionPoint, Answer, Review, SetAside, Submission
from registry.registrations.models.states import (
    CLOSED_STATES,
    OPEN_STATES,
    Outcome,
    Procedure,
    State,
    Verdict,
)
from registry.registrations.models.words import CannedText, Comment

__all__ = [
    "CLOSED_STATES",
    "OPEN_STATES",
    "WAITING_FOR",
    "ActionPoint",
    "Answer",
    "CannedText",
    "CoEditor",
    "Comment",
    "Outcome",
    "Procedure",
    "Recusal",
    "Registration",
    "RegistrationQuerySet",
    "Review",
    "SetAside",
    "State",
    "Submission",
    "Verdict",
    "Watch",
    "known_bodies",
]
