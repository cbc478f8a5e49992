"""What the registrant's pages ask for: a beginning, a draft, a pasted template.

They carry words; whether the words will do is asked of `appendix_a`, and of the actions.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from django import forms
from django.forms import BoundField
from django.http import QueryDict

from registry.accounts.models import User
from registry.appendix_a.errors import InvalidSubmission, UnreadableTemplate
from registry.appendix_a.findings import Finding
from registry.appendix_a.parsing import Parsed, parse
from registry.appendix_a.sections import SECTION_BY_KEY, SECTIONS, Section
from registry.appendix_a.submission import Registrant, Submission
from registry.errors import RegistryError
from registry.namespaces.models import Kind
from registry.registrations import drafts
from registry.registrations.findings import blocking, is_required
from registry.registrations.models import ActionPoint, Procedure, Registration, State

SECTION_CHOICES = [(section.key, section.title) for section in SECTIONS]


class Words(forms.Field):
    """Text as it was typed: nothing is stripped, nothing refused here."""

    def to_python(self, value: Any) -> str:
        return value or ""


def words(label: str, *, lines: int = 1, **attrs: Any) -> Words:
    """A field for a line of text, or for several."""
    widget = forms.Textarea({"rows": lines, **attrs}) if lines > 1 else forms.TextInput(attrs)
    return Words(label=label, required=False, widget=widget)


def with_values(posted: object, **values: int) -> QueryDict:
    """What was posted, with some of its values replaced."""
    changed = cast("QueryDict", posted).copy()
    for name, value in values.items():
        changed[name] = str(value)
    return changed


REGISTRANT_FIELDS: dict[str, dict[str, Any]] = {
    "organization": {"label": "Organization (or person) that registers the namespace"},
    "address": {"label": "Its address", "lines": 3},
    "contact_person": {"label": "Contact person"},
    "email": {"label": "E-mail", "inputmode": "email"},
    "phone": {"label": "Phone", "inputmode": "tel"},
    "postal_address": {"label": "Postal address of the contact person", "lines": 3},
    "other": {"label": "Anything else about the registrant", "lines": 3},
}
ONE_LINE = {"namespace_identifier", "date"}


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section on the form: its fields, and everything said of it."""

    section: Section
    fields: tuple[BoundField, ...]
    findings: tuple[Finding, ...]
    points: tuple[ActionPoint, ...]
    is_required: bool


class DraftForm(forms.Form):
    """The sections of the template, each in fields, with the stamp of the draft that was opened."""

    stamp = forms.IntegerField(widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        case: Registration,
        content: Submission | None = None,
        findings: Sequence[Finding] = (),
        points: Sequence[ActionPoint] = (),
        **kwargs: Any,
    ) -> None:
        self.case, self.findings, self.points = case, tuple(findings), tuple(points)
        kwargs["initial"] = _initial(case, content or case.content)
        super().__init__(*args, **kwargs)
        for section in SECTIONS:
            self._add_fields(section)
        if case.state == State.DRAFT and not case.is_fast_track:
            self.fields["standards_action"] = forms.BooleanField(
                required=False,
                label="The namespace, or its definition, is intended to become part of a standard",
            )

    def _add_fields(self, section: Section) -> None:
        if section.key == "registrant":
            self.fields.update(
                {f"registrant_{name}": words(**how) for name, how in REGISTRANT_FIELDS.items()}
            )
        elif section.key not in _not_asked(self.case):
            lines = 1 if section.key in ONE_LINE else 8
            attrs = {"aria-describedby": f"{section.key}-guidance {section.key}-remarks"}
            self.fields[section.key] = words(section.title, lines=lines, **attrs)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        try:
            self.content = self._submission(cleaned)
        except InvalidSubmission as fault:
            self.add_error(self._field_of(fault.section), str(fault))
        return cleaned

    def _submission(self, cleaned: dict[str, Any]) -> Submission:
        registrant = Registrant(**{name: cleaned[f"registrant_{name}"] for name in REGISTRANT_FIELDS})
        asked = {key: cleaned[key] for key in SECTION_BY_KEY if key in cleaned}
        return Submission(registrant=registrant, **asked)

    def _field_of(self, section: str) -> str | None:
        return next((name for name in (section, f"registrant_{section}") if name in self.fields), None)

    def save(self, *, by: User) -> Registration:
        """Keep the draft, sound or not."""
        choices = {key: self.cleaned_data[key] for key in ("standards_action",) if key in self.fields}
        stamp = self.cleaned_data["stamp"]
        self.take_stamp(drafts.save_draft(self.case, self.content, by=by, stamp=stamp, **choices))
        return self.case

    @property
    def has_blocking(self) -> bool:
        return bool(blocking(self.findings))

    @property
    def version(self) -> int:
        return self.case.next_version

    def take_stamp(self, case: Registration) -> None:
        """Let the same words be saved over what is in `case` now."""
        self.case = case
        self.data = with_values(self.data, stamp=case.draft_stamp)

    def typed(self) -> Iterator[tuple[str, str]]:
        """What was written, by label: to be given back when the form can't be shown any more."""
        for field in self.visible_fields() if self.is_bound else ():
            if isinstance(field.field, Words) and (text := field.value()):
                yield str(field.label), str(text)

    def rows(self) -> Iterator[SectionRow]:
        """The sections in the template's order, as the page shows them."""
        for section in SECTIONS:
            yield SectionRow(
                section=section,
                fields=tuple(self[name] for name in self.fields if self._belongs(name, section)),
                findings=tuple(finding for finding in self.findings if finding.section == section.key),
                points=tuple(point for point in self.points if point.section == section.key),
                is_required=is_required(section, self.case),
            )

    @staticmethod
    def _belongs(name: str, section: Section) -> bool:
        return name == section.key or (section.key == "registrant" and name.startswith("registrant_"))


def _not_asked(case: Registration) -> set[str]:
    """Sections that the registry writes itself in this case."""
    if case.is_revision or case.kind == Kind.INFORMAL:
        return {"version", "namespace_identifier"}
    return {"version"}


def _initial(case: Registration, content: Submission) -> dict[str, Any]:
    fields = content.to_json()
    registrant = fields.pop("registrant")
    fields |= {f"registrant_{name}": registrant[name] for name in REGISTRANT_FIELDS}
    return fields | {"stamp": case.draft_stamp, "standards_action": case.standards_action}


class PasteForm(forms.Form):
    """A whole template as plain text, read into its sections."""

    may_be_empty: ClassVar[bool] = False

    template = words("The completed template, as plain text", lines=16, spellcheck="false")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.parsed: Parsed | None = None
        if cleaned["template"].strip() or not self.may_be_empty:
            try:
                self.parsed = parse(cleaned["template"])
            except (UnreadableTemplate, InvalidSubmission) as fault:
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

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("procedure") == Procedure.FAST_TRACK and not cleaned.get("body"):
            self.add_error("body", "Name the body for which you ask: the fast track is for bodies (6.3).")
        elif cleaned.get("procedure") == Procedure.FAST_TRACK:
            try:
                drafts.check_body_name(cleaned["body"])
            except RegistryError as refusal:
                self.add_error("body", str(refusal))
        return cleaned

    def begin(self, *, by: User) -> Registration:
        is_fast_track = self.cleaned_data["procedure"] == Procedure.FAST_TRACK
        return drafts.begin(
            by=by,
            kind=Kind(self.cleaned_data["kind"]),
            body=drafts.body_named(self.cleaned_data["body"]) if is_fast_track else None,
            content=self.parsed.submission if self.parsed else None,
        )
