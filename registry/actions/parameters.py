"""The inputs of actions. The form of a page and the body of a request are built from them.

An app that needs another kind of input subclasses `FieldParameter`, or `Parameter` if a form of its own has the fields; the
API knows each kind (`registry.api.framework.actions`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.db.models import TextChoices
from django.utils.text import capfirst

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.core.names import NameRefused
from registry.core.validators import (
    MAX_ADDRESS_LENGTH,
    MAX_REASON_LENGTH,
    MAX_REFERENCE_LENGTH,
    MAX_TEXT_LENGTH,
    MAX_URL_LENGTH,
    BodySize,
    InvalidAddress,
    TextMissing,
    TextTooLong,
    UnstorableCharacter,
)

# The attributes of a field for an identifier or for code, which browsers neither correct nor complete.
IDENTIFIER = {"class": "nid", "autocapitalize": "none", "spellcheck": "false", "autocomplete": "off"}


def text_widget(lines: int, attrs: Mapping[str, Any]) -> forms.Widget:
    """The widget of a text with one or more lines."""
    return forms.Textarea({"rows": lines, **attrs}) if lines > 1 else forms.TextInput({**attrs})


OPTIONAL_TEXT_REFUSALS: tuple[type[RegistryError], ...] = (UnstorableCharacter, TextTooLong)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A keyword argument of an action. `sample` is its value in the example of the API; None omits it."""

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

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        """The exceptions with which an action refuses a value."""
        return ()

    @property
    def body_size(self) -> BodySize:
        """The size of a request with this input."""
        return BodySize.SMALL


@dataclass(frozen=True, slots=True)
class FieldParameter(Parameter, ABC):
    """A parameter that is one field on a page."""

    @abstractmethod
    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        """The field. The action checks the value, so that page and API refuse it with the same message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp(FieldParameter):
    """A number that identifies what the person has seen. `current` reads it from the subject; `refusal` is the
    exception that the action raises if it is out of date.
    """

    current: Callable[[Any], int]
    refusal: type[RegistryError]

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return (self.refusal,)

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.IntegerField(widget=forms.HiddenInput)


class ActionTextField(forms.CharField):
    """A text that the action checks. That it is required is only said on the page."""

    def validate(self, value: str) -> None:
        """The action refuses an empty text."""


@dataclass(frozen=True, slots=True)
class Text(FieldParameter):
    """A text, with `lines` lines on a page. The action checks that it is not empty, unless it is optional.

    An identifier, such as a domain, is neither corrected nor completed by browsers.
    """

    lines: int = 8
    is_optional: bool = False
    max_length: int = MAX_TEXT_LENGTH
    is_identifier: bool = False

    @property
    def body_size(self) -> BodySize:
        return BodySize.TEXTS if self.max_length > MAX_REASON_LENGTH else BodySize.SMALL

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return OPTIONAL_TEXT_REFUSALS if self.is_optional else (TextMissing, *OPTIONAL_TEXT_REFUSALS)

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return ActionTextField(
            label=self.label,
            help_text=self.help_text,
            widget=text_widget(self.lines, IDENTIFIER if self.is_identifier else {}),
            max_length=self.max_length,
            required=not self.is_optional,
        )


@dataclass(frozen=True, slots=True)
class Name(Text):
    """A name that others see. The action checks it with `registry.core.names.check_name`."""

    lines: int = 1

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return NameRefused, TextMissing, *OPTIONAL_TEXT_REFUSALS


@dataclass(frozen=True, slots=True)
class Address(Text):
    """An e-mail address, which may belong to no account. Browsers do not complete one that is mostly another person's."""

    lines: int = 1
    max_length: int = MAX_ADDRESS_LENGTH
    is_often_own: bool = False

    @property
    def refusals(self) -> tuple[type[RegistryError], ...]:
        return InvalidAddress, TextMissing, *OPTIONAL_TEXT_REFUSALS

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        widget = forms.EmailInput({} if self.is_often_own else {"autocomplete": "off"})
        return ActionTextField(
            label=self.label,
            help_text=self.help_text,
            widget=widget,
            max_length=self.max_length,
            required=not self.is_optional,
        )


@dataclass(frozen=True, slots=True)
class WebAddress(Text):
    """The address of a page, which may be empty. The registry never requests it."""

    lines: int = 1
    is_optional: bool = True
    max_length: int = MAX_URL_LENGTH

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.URLField(
            label=self.label,
            help_text=self.help_text,
            max_length=self.max_length,
            required=False,
            assume_scheme="https",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(FieldParameter):
    """A decision between two labelled alternatives. `proposed` chooses one beforehand, such as that which changes something."""

    yes: str
    no: str
    proposed: Callable[[Any], bool] | None = None

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.TypedChoiceField(
            label=self.label,
            choices=[("yes", self.yes), ("no", self.no)],
            coerce=lambda value: value == "yes",
            widget=forms.RadioSelect,
            initial=None if self.proposed is None else "yes" if self.proposed(subject) else "no",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection(FieldParameter):
    """One of several named alternatives. Form and request refuse others before the action does."""

    alternatives: type[TextChoices]
    initial: Callable[[Any], str] = lambda _: ""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.ChoiceField(
            label=self.label,
            help_text=self.help_text,
            choices=[(value, capfirst(label)) for value, label in self.alternatives.choices],
            widget=forms.RadioSelect,
            initial=self.initial(subject),
        )


@dataclass(frozen=True, slots=True)
class Texts(FieldParameter, ABC):
    """A list of texts, which may be empty. The action checks them; a subclass says how a page enters them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number(FieldParameter):
    """A whole number. The action checks its limits, too."""

    is_optional: bool = False

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.IntegerField(
            label=self.label,
            help_text=self.help_text,
            required=not self.is_optional,
            min_value=0,
            max_value=10**18 - 1,
        )


@dataclass(frozen=True, slots=True)
class Day(FieldParameter):
    """A day, without a time."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.DateField(
            label=self.label, help_text=self.help_text, widget=forms.DateInput({"type": "date"})
        )


@dataclass(frozen=True, slots=True)
class AddressPart(Parameter):
    """A part of the address of the page, which has no field."""


@dataclass(frozen=True, slots=True)
class BooleanOption(FieldParameter):
    """An option; the default is False."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        return forms.BooleanField(label=self.label, required=False)


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


def optional_reason(
    help_text: str = "Optional.", label: str = "Reason", *, lines: int = 4, max_length: int = MAX_TEXT_LENGTH
) -> Text:
    return Text("reason", label, help_text, lines=lines, is_optional=True, max_length=max_length)


def public_reason(
    help_text: str = "The reason is public.", *, is_optional: bool = False, sample: Any = None
) -> Text:
    """The reason of a decision about a namespace or an organisation."""
    return Text(
        "reason", "Reason", help_text, sample, lines=4, is_optional=is_optional, max_length=MAX_REASON_LENGTH
    )
