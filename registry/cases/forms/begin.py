"""Forms to start a case and to paste a template.

The content is checked by `registration_template` and by the actions.
"""

from dataclasses import replace
from typing import Any, ClassVar, cast

from django import forms

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.drafts.dates import today
from registry.cases.models import Case, Procedure
from registry.core.exceptions import RegistryError
from registry.core.rate_limits import counted_before
from registry.core.text_limits import MAX_BODY_NAME_LENGTH
from registry.namespaces.models import Kind
from registry.organisations.inputs import OrganisationChoiceField
from registry.organisations.models import EDITING_PARTS
from registry.registration_template.exceptions import InvalidTemplate, UnreadableTemplate
from registry.registration_template.parsing.parser import ParsedTemplate, parse_template
from registry.registration_template.sections import SECTIONS
from registry.registration_template.template import RegistrationTemplate

SECTION_CHOICES = [(section.key, section.title) for section in SECTIONS]


class RawTextField(forms.Field):
    """A text that is neither stripped nor checked."""

    def to_python(self, value: Any) -> str:
        return value or ""


def raw_text_field(label: str, *, lines: int = 1, **attrs: Any) -> RawTextField:
    """A field for one or more lines of text."""
    widget = forms.Textarea({"rows": lines, **attrs}) if lines > 1 else forms.TextInput(attrs)
    return RawTextField(label=label, required=False, widget=widget)


class PasteForm(forms.Form):
    """A template as plain text, which is parsed into sections."""

    may_be_empty: ClassVar[bool] = False

    template = raw_text_field("Completed template, as plain text", lines=16, spellcheck="false")

    @property
    def pasted(self) -> RegistrationTemplate:
        """The template that was pasted, or an empty one."""
        return self.parsed.template if self.parsed else RegistrationTemplate()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.parsed: ParsedTemplate | None = None
        if cleaned["template"].strip() or not self.may_be_empty:
            try:
                self.parsed = parse_template(cleaned["template"])
            except (UnreadableTemplate, InvalidTemplate) as fault:
                self.add_error("template", str(fault))
        return cleaned


class NewCaseForm(PasteForm):
    """The kind of namespace, the procedure, and optionally a completed template."""

    may_be_empty = True

    kind = forms.ChoiceField(choices=Kind.choices, widget=forms.RadioSelect, initial=Kind.FORMAL)
    procedure = forms.ChoiceField(
        choices=Procedure.choices, widget=forms.RadioSelect, initial=Procedure.COMMUNITY
    )
    body = forms.CharField(
        max_length=MAX_BODY_NAME_LENGTH,
        required=False,
        label="Name of the body",
        widget=forms.TextInput({"list": "bodies"}),
    )
    organisation = OrganisationChoiceField(label="For whom")
    # Set by links from the NID check.
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

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = cast("OrganisationChoiceField", self.fields["organisation"])
        offered.offer(by, *EDITING_PARTS)

    def create(self, *, by: User, template: RegistrationTemplate | None = None, **choices: Any) -> Case:
        """Create the case, with `template` in place of the pasted one. Counted first, so that a refusal creates no body."""
        is_fast_track = self.cleaned_data["procedure"] == Procedure.FAST_TRACK
        with counted_before("drafts", by=by):
            return drafts.create_case(
                by=by,
                kind=Kind(self.cleaned_data["kind"]),
                body=drafts.body_named(self.cleaned_data["body"]) if is_fast_track else None,
                organisation=self.cleaned_data["organisation"],
                template=template or self._draft(),
                **choices,
            )

    @property
    def requested(self) -> RegistrationTemplate:
        """What is known of the request without a pasted text."""
        is_formal = self.cleaned_data["kind"] == Kind.FORMAL
        nid = self.cleaned_data["nid"] if is_formal else ""
        return RegistrationTemplate(namespace_identifier=nid, date=today())

    def _draft(self) -> RegistrationTemplate:
        """The pasted text, and what is known of the request where the text says nothing."""
        pasted, requested = self.pasted, self.requested
        return replace(
            pasted,
            namespace_identifier=pasted.namespace_identifier or requested.namespace_identifier,
            date=pasted.date or requested.date,
        )
