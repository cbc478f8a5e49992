"""The inputs of actions in cases, beside those of all actions."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.forms import OptionalAccountField
from registry.accounts.models import User
from registry.actions.parameters import Address, FieldParameter, Number, Parameter, Stamp, Text
from registry.cases.drafts.drafts import StaleDraft
from registry.cases.workflow.exceptions import CommentRefused, StaleRound
from registry.core.exceptions import RegistryError
from registry.core.validators import BodySize, TextMissing, TextTooLong, UnstorableCharacter
from registry.registration_template.sections import SECTIONS

MAX_ACTION_POINTS = 60
SECTION_CHOICES = [(section.key, section.title) for section in SECTIONS]


@dataclass(frozen=True, slots=True)
class InvitedAddress(Address):
    """An address that is invited to the case: chosen from a list on the page."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        invited = [invitation.email for invitation in subject.invitations.order_by("pk")]
        return forms.ChoiceField(label=self.label, choices=[(email, email) for email in invited])


@dataclass(frozen=True, slots=True)
class ActionPoints(Parameter):
    """(section, text) pairs, at most MAX_ACTION_POINTS, which are rows of a formset."""

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEXTS

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return TextMissing, UnstorableCharacter, TextTooLong


@dataclass(frozen=True, slots=True)
class ProfileToConfirm(Parameter):
    """The profile that is set with the registration: a ConfirmedProfile, or None to set none."""

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEXTS

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return UnstorableCharacter, TextTooLong


@dataclass(frozen=True, slots=True)
class CoEditorAddress(Address):
    """The address of a co-editor of the case, who is chosen from a list on the page."""

    @property
    def field_name(self) -> str:
        return "person"

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        people = {str(link.user.pk): link.user for link in subject.co_editors.select_related("user")}
        return forms.TypedChoiceField(
            label="Co-editor",
            choices=[(key, str(person)) for key, person in people.items()],
            coerce=lambda key: people[key].email,
        )


@dataclass(frozen=True, slots=True)
class OptionalAccount(FieldParameter):
    """An account, by its address, or None."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        widget = forms.EmailInput({"autocomplete": "off"})
        return OptionalAccountField(label=self.label, help_text=self.help_text, required=False, widget=widget)


@dataclass(frozen=True, slots=True)
class CommentedSection(Text):
    """The key of the section that a comment is about; "" for the whole template."""

    is_optional: bool = True

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return (CommentRefused,)

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        choices = [("", "The whole template"), *SECTION_CHOICES]
        return forms.ChoiceField(label="About", choices=choices, required=False)


class NumberOfRound:
    """The number of a round. Requests and responses of the API name a round by `round`."""

    __slots__ = ()
    argument: str

    @property
    def member(self) -> str:
        return "round"

    @property
    def field_name(self) -> str:
        return self.argument


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStamp(NumberOfRound, Stamp):
    """The latest round that the person has read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommentedRound(NumberOfRound, Number):
    """The round that a comment is about. It may be an earlier one, so it is never out of date, and no refusal replaces it."""

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return (CommentRefused,)

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.IntegerField(widget=forms.HiddenInput, initial=subject.latest_round_number)


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
