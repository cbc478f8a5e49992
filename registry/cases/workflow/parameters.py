"""The inputs of actions. The form of the page and the request body of the endpoint are built from them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from registry.cases.drafts.drafts import StaleDraft
from registry.cases.models import Case
from registry.cases.workflow.exceptions import StaleRound
from registry.core.exceptions import RegistryError
from registry.core.text_limits import MAX_ADDRESS_LENGTH, MAX_REFERENCE_LENGTH, MAX_TEXT_LENGTH

MAX_ACTION_POINTS = 60


@dataclass(frozen=True, slots=True)
class Parameter:
    """A keyword argument of an action. `sample` is its value in the API example; None omits it."""

    argument: str
    label: str
    help_text: str = ""
    sample: Any = None

    @property
    def member(self) -> str:
        """The name in a request body."""
        return self.argument

    @property
    def field_name(self) -> str:
        """The name in a form."""
        return self.member


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp(Parameter):
    """A number that identifies what the person has seen. `current` reads it from the case; `refusal` is the
    exception that the action raises if it is out of date.
    """

    current: Callable[[Case], int]
    refusal: type[RegistryError]


@dataclass(frozen=True, slots=True)
class Text(Parameter):
    """A text, with `lines` lines on a page. The action checks that it is not empty, unless it is optional."""

    lines: int = 8
    is_optional: bool = False
    max_length: int = MAX_TEXT_LENGTH


@dataclass(frozen=True, slots=True)
class Address(Text):
    """An e-mail address, which may belong to no account."""

    lines: int = 1
    max_length: int = MAX_ADDRESS_LENGTH


@dataclass(frozen=True, slots=True)
class InvitedAddress(Address):
    """An address that is invited to the case: chosen from a list on the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Parameter):
    """A decision between two labelled alternatives."""

    yes: str
    no: str


@dataclass(frozen=True, slots=True)
class BooleanOption(Parameter):
    """An option; the default is False."""


@dataclass(frozen=True, slots=True)
class ActionPoints(Parameter):
    """(section, text) pairs, at most MAX_ACTION_POINTS."""


@dataclass(frozen=True, slots=True)
class ProfileToConfirm(Parameter):
    """The profile that is set with the registration: a ConfirmedProfile, or None to set none."""


@dataclass(frozen=True, slots=True)
class CoEditorAddress(Address):
    """The address of a co-editor of the case, who is chosen from a list on the page."""

    @property
    def field_name(self) -> str:
        return "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStamp(Stamp):
    """The number of the latest round that the person has read. Requests and responses of the API name a round by `round`."""

    @property
    def member(self) -> str:
        return "round"

    @property
    def field_name(self) -> str:
        return self.argument


ROUND_NUMBER = RoundStamp(
    "round_number",
    "Round",
    "The number of the latest round that you have read.",
    sample=1,
    current=lambda case: case.latest_round_number,
    refusal=StaleRound,
)
DRAFT_STAMP = Stamp(
    "draft_stamp",
    "Draft stamp",
    "The `draft_stamp` of the draft that you have read.",
    sample=3,
    current=lambda case: case.draft_stamp,
    refusal=StaleDraft,
)


def reference(label: str) -> Text:
    """A reference to a decision of the approval body."""
    return Text(
        "reference",
        label,
        "Where the decision is published, such as minutes, a ballot or a message.",
        sample="Minutes of 2026-11-21",
        lines=1,
        max_length=MAX_REFERENCE_LENGTH,
    )


def optional_reason(help_text: str = "Optional.", label: str = "Reason", *, lines: int = 4) -> Text:
    return Text("reason", label, help_text, lines=lines, is_optional=True)
