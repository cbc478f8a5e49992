"""What the registrant's pages ask for: a beginning, a pasted template.

They carry words; whether the words will do is asked of `registration_template`, and of the actions.
"""

from typing import Any, ClassVar, cast

from django import forms
from django.http import QueryDict

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, Procedure
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Kind
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate, parse_template
from registry.registration_template.sections import SECTIONS
from registry.registration_template.template import RegistrationTemplate

SECTION_CHOICES = [(section.key, section.title) for section in SECTIONS]


class Words(forms.Field):
    """Text as it was typed: nothing is stripped, nothing refused here."""

    def to_python(self, value: Any) -> str:
        return value or ""


def words(label: str, *, lines: int = 1, **attrs: Any) -> Words:
    """A field for a line of text, or for several."""
    widget = forms.Textarea({"rows": lines, **attrs}) if lines > 1 else forms.TextInput(attrs)
    return Words(label=label, required=False, widget=widget)


def with_values(posted: object, **values: object) -> QueryDict:
    """What was posted, with some of its values replaced."""
    changed = cast("QueryDict", posted).copy()
    for name, value in values.items():
        changed[name] = str(value)
    return changed


class PasteForm(forms.Form):
    """A whole template as plain text, read into its sections."""

    may_be_empty: ClassVar[bool] = False

    template = words("The completed template, as plain text", lines=16, spellcheck="false")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.parsed: ParsedTemplate | None = None
        if cleaned["template"].strip() or not self.may_be_empty:
            try:
                self.parsed = parse_template(cleaned["template"])
            except (UnreadableTemplate, InvalidTemplate) as fault:
                self.add_error("template", str(fault))
        return cleaned


class BeginForm(PasteForm):
    """Which kind of namespace, under which procedure; and a template, if it is written already."""

    may_be_empty = True

    kind = forms.ChoiceField(choices=Kind.choices, widget=forms.RadioSelect, initial=Kind.FORMAL)
    procedure = forms.ChoiceField(
        choices=Procedure.choices, widget=forms.RadioSelect, initial=Procedure.COMMUNITY
    )
    body = forms.CharField(
        max_length=drafts.LONGEST_BODY_NAME,
        required=False,
        label="Name of the body",
        widget=forms.TextInput({"list": "bodies"}),
    )
    # Where somebody comes from a page that said that it is free.
    nid = forms.CharField(max_length=32, required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("procedure") == Procedure.FAST_TRACK and not cleaned.get("body"):
            self.add_error(
                "body", "Enter the name of the requesting body, which the fast track requires (6.3)."
            )
        elif cleaned.get("procedure") == Procedure.FAST_TRACK:
            try:
                drafts.check_body_name(cleaned["body"])
            except RegistryError as refusal:
                self.add_error("body", str(refusal))
        return cleaned

    def begin(self, *, by: User) -> Case:
        is_fast_track = self.cleaned_data["procedure"] == Procedure.FAST_TRACK
        return drafts.begin(
            by=by,
            kind=Kind(self.cleaned_data["kind"]),
            body=drafts.body_named(self.cleaned_data["body"]) if is_fast_track else None,
            template=self.parsed.template if self.parsed else self._blank(),
        )

    def _blank(self) -> RegistrationTemplate:
        is_formal = self.cleaned_data["kind"] == Kind.FORMAL
        return RegistrationTemplate(namespace_identifier=self.cleaned_data["nid"] if is_formal else "")
