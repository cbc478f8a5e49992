"""The inputs of an action, declared once: the form of its page and the request body of its endpoint are built
from these.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from registry.accounts.models import Body
from registry.cases.models import Case
from registry.core.validators import MAX_TEXT_LENGTH

LONGEST_REFERENCE = Body._meta.get_field("recognition_reference").max_length or 0
MAX_ACTION_POINTS = 60


@dataclass(frozen=True, slots=True)
class Parameter:
    """A keyword argument of an action. `sample` is its value in the example of the API; None leaves it out."""

    argument: str
    label: str
    help_text: str = ""
    sample: Any = None

    @property
    def member(self) -> str:
        """Its name in a request body."""
        return self.argument

    @property
    def field_name(self) -> str:
        """Its name in a form."""
        return self.member


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp(Parameter):
    """A number that says what the person looked at. `current` reads it from the case."""

    current: Callable[[Case], int]


@dataclass(frozen=True, slots=True)
class Text(Parameter):
    """Text of `lines` lines on a page. The action checks that a text that is not optional is not empty."""

    lines: int = 8
    is_optional: bool = False
    max_length: int = MAX_TEXT_LENGTH


@dataclass(frozen=True, slots=True, kw_only=True)
class YesOrNo(Parameter):
    """A decision between two labelled alternatives."""

    yes: str
    no: str


@dataclass(frozen=True, slots=True)
class Flag(Parameter):
    """An option, False unless it is chosen."""


@dataclass(frozen=True, slots=True)
class ActionPoints(Parameter):
    """(section, text) pairs, at most MAX_ACTION_POINTS."""


@dataclass(frozen=True, slots=True)
class Account(Parameter):
    """A person, identified by the e-mail address of their account."""

    @property
    def member(self) -> str:
        return "email"


@dataclass(frozen=True, slots=True)
class CoEditorAccount(Account):
    """A co-editor of the case: chosen from a list on the page."""

    @property
    def field_name(self) -> str:
        return "person"


def _latest_round(case: Case) -> int:
    return case.latest_round.number if case.latest_round else 0


ROUND_NUMBER = Stamp("round_number", "The round that you looked at.", sample=1, current=_latest_round)
DRAFT_STAMP = Stamp(
    "draft_stamp",
    "The draft that you looked at: `draft_stamp` of the draft.",
    sample=3,
    current=lambda case: case.draft_stamp,
)


def reference(label: str) -> Text:
    """A reference to a decision of the approval body."""
    return Text(
        "reference",
        label,
        "Where the decision can be read: minutes, a ballot, a message.",
        sample="Minutes of 2026-11-21",
        lines=1,
        max_length=LONGEST_REFERENCE,
    )


def optional_reason(help_text: str = "It may stay empty.", label: str = "Reason", *, lines: int = 4) -> Text:
    return Text("reason", label, help_text, lines=lines, is_optional=True)
