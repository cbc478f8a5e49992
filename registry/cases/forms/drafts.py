"""The form of a draft: fields for the sections of the template, the proposed profile and the answers to action
points.

The content is checked by `registration_template` and by the actions.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any

from django import forms
from django.forms import BoundField

from registry.accounts.models import User
from registry.actions.parameters import IDENTIFIER
from registry.cases.drafts import drafts
from registry.cases.drafts.drafts import Progress, Stage, stage_of, with_current_date
from registry.cases.drafts.history import texts_to_change
from registry.cases.drafts.replies import DraftReply, checked_reply, open_points_of, replies_in
from registry.cases.findings import (
    blocking,
    current_profile,
    findings_on,
    findings_on_profile,
    guidance_for,
    is_required,
    nid_in_texts,
    reference_data_for,
    trial_of_services,
)
from registry.cases.forms.cases import RawTextField, raw_text_field
from registry.cases.forms.profiles import (
    ProfileRow,
    add_profile_fields,
    profile_row,
    profile_values,
    read_profile,
)
from registry.cases.models import ActionPoint, Case, Outcome, State
from registry.core.exceptions import RegistryError
from registry.core.form_views import with_values
from registry.namespaces.models import Kind, Namespace
from registry.namespaces.proposals.prefill import filled_from
from registry.namespaces.proposals.trials import Trial
from registry.registration_template.checks.examples import SECTIONS_WITH_EXAMPLES, Example, find_examples
from registry.registration_template.checks.findings import Finding, ReferenceData, Severity
from registry.registration_template.diff import unchanged_sections
from registry.registration_template.exceptions import InvalidTemplate
from registry.registration_template.nids.report import NIDReport
from registry.registration_template.sections import (
    SECTION_BY_KEY,
    SECTIONS,
    Registrant,
    Section,
    SectionFormat,
)
from registry.registration_template.template import RegistrationTemplate
from registry.registration_template.urn_parts import URNPart, split_urn


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A URN in a text, with its parts or its error."""

    example: Example

    def parts(self) -> Iterator[URNPart]:
        return split_urn(self.example.urn) if self.example.urn else iter(())


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section of the form: its fields, guidance, findings and action points."""

    section: Section
    guidance: tuple[str, ...]
    fields: tuple[BoundField, ...]
    findings: tuple[Finding, ...]
    points: tuple[ActionPoint, ...]
    examples: tuple[ShownExample, ...]
    nid: NIDReport | None
    is_required: bool
    stage: Stage
    is_checked: bool

    @property
    def shown_findings(self) -> tuple[Finding, ...]:
        """The findings, but for those on an empty section before a check."""
        return self.findings if self.is_checked or self.stage not in {Stage.TO_DO, Stage.OPTIONAL} else ()

    @property
    def is_advised(self) -> bool:
        """Whether there is advice, and nothing to fix before it."""
        return self.stage is not Stage.NEEDS_FIXING and any(
            finding.severity is Severity.ADVICE for finding in self.shown_findings
        )

    @property
    def is_open(self) -> bool:
        """Whether the section is open on a phone from the beginning: it has an error or an action point."""
        has_error = any(field.errors for field in self.fields)
        is_blocked = any(finding.severity is Severity.BLOCKING for finding in self.shown_findings)
        return has_error or is_blocked or bool(self.points)

    @property
    def remarks(self) -> tuple[Finding, ...]:
        """The findings to show below the fields."""
        reported = self.nid.finding.code if self.nid else ""
        return tuple(each for each in self.shown_findings if each.code != reported and not each.field)

    @property
    def shown_fields(self) -> Iterator[tuple[BoundField, tuple[Finding, ...]]]:
        """The fields, each with the findings to show beside it."""
        for field in self.fields:
            yield (
                field,
                tuple(each for each in self.shown_findings if field.name == f"registrant_{each.field}"),
            )


@dataclass(frozen=True, slots=True)
class PointRow:
    """An action point on the form, with the fields of its answer."""

    point: ActionPoint
    outcome: BoundField
    text: BoundField
    reply: DraftReply
    is_checked: bool

    @property
    def is_missing(self) -> bool:
        return self.is_checked and not self.reply.is_complete


REGISTRANT_FIELDS: dict[str, dict[str, Any]] = {
    "organization": {
        "label": "Organization or person",
        "autocomplete": "organization",
    },
    "address": {"label": "Address of the registrant", "lines": 3},
    "contact_person": {"label": "Contact person"},
    "email": {"label": "E-mail", "inputmode": "email", "autocomplete": "email"},
    "phone": {"label": "Phone", "inputmode": "tel", "autocomplete": "tel"},
    "postal_address": {"label": "Postal address of the contact person", "lines": 3},
    "other": {"label": "Further information about the registrant", "lines": 3},
}
# The attributes of a section's field, by the format of the section.
FIELD_ATTRIBUTES: dict[SectionFormat, dict[str, Any]] = {
    SectionFormat.IDENTIFIER: IDENTIFIER,
    SectionFormat.DATE: {"autocomplete": "off", "placeholder": "YYYY-MM-DD"},
    SectionFormat.TEXT: {"lines": 8},
}
# Grammars and names are set in a monospaced font.
MONOSPACED = {"syntax": {"class": "nid"}}
MAX_EXAMPLES = 12


class DraftForm(forms.Form):
    """The sections of the template as fields, with the stamp of the draft that was read."""

    stamp = forms.IntegerField(widget=forms.HiddenInput)
    # Set after a check, so that findings on empty sections stay visible.
    checked = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(
        self, *args: Any, case: Case, template: RegistrationTemplate | None = None, **kwargs: Any
    ) -> None:
        self.case, self.points = case, tuple(open_points_of(case))
        self.template = template or with_current_date(case, case.draft_template)
        self.replies, self.proposed = replies_in(case), case.proposed_profile
        self.reference_data = ReferenceData()
        self.findings: tuple[Finding, ...] = ()
        self.unchanged: frozenset[str] = frozenset()
        self.is_checked = False
        kwargs["initial"] = initial_values(case, self.template) | kwargs.get("initial", {})
        super().__init__(*args, **kwargs)
        for section in SECTIONS:
            self._add_fields(section)
        add_profile_fields(self)
        for point in self.points:
            self._add_reply(point)
        if case.state == State.DRAFT and not case.is_fast_track:
            self.fields["standards_action"] = forms.BooleanField(
                required=False,
                label="The namespace or its definition is intended to become part of a standard",
            )

    def _add_fields(self, section: Section) -> None:
        if section.format is SectionFormat.REGISTRANT:
            for name, how in REGISTRANT_FIELDS.items():
                remarks = f"registrant_{name}-remarks registrant-remarks"
                described: dict[str, Any] = {"aria-describedby": remarks}
                self.fields[f"registrant_{name}"] = raw_text_field(**how, **described)
        elif section.key not in generated_sections(self.case):
            attrs: dict[str, Any] = {"aria-describedby": f"{section.key}-guidance {section.key}-remarks"}
            attrs |= FIELD_ATTRIBUTES[section.format] | MONOSPACED.get(section.key, {})
            self.fields[section.key] = raw_text_field(section.title, **attrs)

    def _add_reply(self, point: ActionPoint) -> None:
        described: dict[str, Any] = {"aria-describedby": f"point-{point.pk}-remarks"}
        self.fields[f"point_{point.pk}_outcome"] = forms.ChoiceField(
            label="Your answer",
            choices=[(Outcome.DONE, "Done"), (Outcome.NOT_DONE, "Not done")],
            widget=forms.RadioSelect,
            required=False,
        )
        self.fields[f"point_{point.pk}_text"] = raw_text_field(
            "Changes made, or reason for none", lines=2, **described
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        try:
            self.template = self._template(cleaned)
        except InvalidTemplate as fault:
            self.add_error(self._field_of(fault.section), str(fault))
        self.proposed = read_profile(self, cleaned)
        self.replies = dict(self._replies(cleaned))
        return cleaned

    def _template(self, cleaned: dict[str, Any]) -> RegistrationTemplate:
        registrant = Registrant(**{name: cleaned[f"registrant_{name}"] for name in REGISTRANT_FIELDS})
        sections = {key: cleaned[key] for key in SECTION_BY_KEY if key in cleaned}
        return RegistrationTemplate(registrant=registrant, **sections)

    def _replies(self, cleaned: dict[str, Any]) -> Iterator[tuple[int, DraftReply]]:
        for point in self.points:
            outcome, text = (cleaned.get(f"point_{point.pk}_{part}", "") for part in ("outcome", "text"))
            try:
                yield point.pk, checked_reply(outcome, text)
            except RegistryError as refusal:
                self.add_error(f"point_{point.pk}_text", str(refusal))

    def _field_of(self, section: str) -> str | None:
        return next((name for name in (section, f"registrant_{section}") if name in self.fields), None)

    def save(self, *, by: User) -> Case:
        """Save the draft, even if it has findings."""
        saved = drafts.save_draft(
            self.case,
            self.template,
            by=by,
            stamp=self.cleaned_data["stamp"],
            replies=self.replies,
            profile=self.proposed,
            standards_action=self.cleaned_data.get("standards_action"),
        )
        self.use_stamp_of(saved)
        return self.case

    def is_saved_in(self, case: Case) -> bool:
        """Whether the saved draft already contains what this form would save."""
        if self.cleaned_data.get("standards_action") not in {None, case.standards_action}:
            return False
        saved = (case.draft_template, case.proposed_profile, replies_in(case))
        return saved == (drafts.complete_template(case, self.template), self.proposed, self.replies)

    @property
    def is_saved(self) -> bool:
        """Whether the saved draft has these texts. Its date can be that of an earlier day."""
        saved = (replace(self.case.draft_template, date=""), self.case.proposed_profile)
        return saved == (replace(self.text, date=""), self.proposed)

    def run_checks(self, *, is_checked: bool = False) -> None:
        """Find the findings on the text. With `is_checked`, those on empty sections are shown, too."""
        self.is_checked = is_checked or self["checked"].value() in {"1", "on", "True", True}
        self.reference_data = reference_data_for(self.case, self.text, self.proposed)
        of_template = findings_on(self.case, self.text, self.reference_data)
        self.findings = (*of_template, *findings_on_profile(self.case, self.text, self.proposed))
        if earlier := texts_to_change(self.case):
            self.unchanged = unchanged_sections(earlier[0], self.text)
        self.__dict__.pop("_rows", None)

    def fill_profile(self) -> bool:
        """Fill the empty fields of the proposed profile with what the text states; whether anything was filled."""
        before = self.proposed
        self.proposed = filled_from(before, self.text, nid=nid_in_texts(self.case, self.text))
        self.data = with_values(self.data, **profile_values(self.proposed))
        return self.proposed != before

    @property
    def profile(self) -> ProfileRow:
        """The section of the proposed profile."""
        return profile_row(self, self.proposed, self.findings, current_profile(self.case))

    @property
    def trial(self) -> Trial | None:
        """Where the proposed services lead for an example."""
        return trial_of_services(self.case, self.text, self.proposed)

    @property
    def text(self) -> RegistrationTemplate:
        """The template that would be submitted."""
        return drafts.complete_template(self.case, self.template)

    @property
    def taken(self) -> Namespace | None:
        """The registered namespace that has the requested identifier."""
        report = self.reference_data.nid_report
        namespace = report.namespace if report else None
        return namespace if isinstance(namespace, Namespace) else None

    @property
    def has_blocking(self) -> bool:
        return bool(blocking(self.findings))

    @property
    def advice(self) -> list[tuple[Section, Finding]]:
        """The findings that do not prevent submission, with their sections."""
        advised = (each for each in self.findings if each.severity == Severity.ADVICE)
        return [(SECTION_BY_KEY[each.section], each) for each in advised if each.section in SECTION_BY_KEY]

    @property
    def version(self) -> int:
        return self.case.next_version

    @property
    def progress(self) -> Progress:
        wanted = {Stage.NEEDS_FIXING, Stage.TO_DO}
        stages = [row.stage for row in self.rows() if row.is_required or row.stage in wanted]
        stages += {self.profile.stage} & wanted
        finished = {Stage.DONE, Stage.UNCHANGED}
        counted = [stage for stage in stages if stage in wanted | finished | {Stage.INCOMPLETE}]
        answered = sum(1 for point in self.points if self.replies.get(point.pk, DraftReply()).is_complete)
        return Progress(
            sum(stage in finished for stage in counted),
            len(counted),
            answered,
            len(self.points),
            counted.count(Stage.INCOMPLETE),
        )

    def use_stamp_of(self, case: Case) -> None:
        """Take the stamp of `case`, so that the form can be saved over its draft."""
        self.case = case
        self.data = with_values(self.data, stamp=case.draft_stamp)

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        """The entered texts by label, for a page that can't show the form."""
        for field in self.visible_fields() if self.is_bound else ():
            if isinstance(field.field, RawTextField) and (text := field.value()):
                yield str(field.label), str(text)

    def rows(self) -> Iterator[SectionRow]:
        """The sections in the order of the template."""
        return iter(self._rows)

    @cached_property
    def _rows(self) -> tuple[SectionRow, ...]:
        text = self.text
        return tuple(self._row(section, text) for section in SECTIONS)

    def _row(self, section: Section, text: RegistrationTemplate) -> SectionRow:
        fields = tuple(self[name] for name in self.fields if belongs(name, section))
        findings = tuple(finding for finding in self.findings if finding.section == section.key)
        needed = is_required(section, self.case)
        is_unchanged = section.key in self.unchanged
        stage = (
            stage_of(section, text, findings, is_required=needed, is_unchanged=is_unchanged)
            if fields
            else Stage.AUTOMATIC
        )
        return SectionRow(
            section=section,
            guidance=guidance_for(section, self.case),
            fields=fields,
            findings=findings,
            points=tuple(point for point in self.points if point.section == section.key),
            examples=self._examples(section),
            nid=self.reference_data.nid_report if section.format is SectionFormat.IDENTIFIER else None,
            is_required=needed,
            stage=stage,
            is_checked=self.is_checked,
        )

    def _examples(self, section: Section) -> tuple[ShownExample, ...]:
        if section.key not in SECTIONS_WITH_EXAMPLES:
            return ()
        found = find_examples(getattr(self.template, section.key))
        return tuple(ShownExample(example) for example in islice(found, MAX_EXAMPLES))

    def reply_rows(self) -> Iterator[PointRow]:
        """The open action points, each with its answer."""
        for point in self.points:
            outcome, text = (self[f"point_{point.pk}_{part}"] for part in ("outcome", "text"))
            yield PointRow(point, outcome, text, self.replies.get(point.pk, DraftReply()), self.is_checked)


def belongs(name: str, section: Section) -> bool:
    """Whether a field belongs to the section."""
    return name == section.key or (section.key == "registrant" and name.startswith("registrant_"))


def generated_sections(case: Case) -> set[str]:
    """The sections that the registry sets in this case."""
    if case.is_revision or case.kind == Kind.INFORMAL:
        return {"version", "namespace_identifier"}
    return {"version"}


def initial_values(case: Case, template: RegistrationTemplate) -> dict[str, Any]:
    """The initial values of the fields, from the template and the answers of the case."""
    fields = template.to_json()
    registrant = fields.pop("registrant")
    fields |= {f"registrant_{name}": registrant[name] for name in REGISTRANT_FIELDS}
    for point, reply in replies_in(case).items():
        fields |= {f"point_{point}_outcome": reply.outcome, f"point_{point}_text": reply.text}
    fields |= profile_values(case.proposed_profile)
    return fields | {"stamp": case.draft_stamp, "standards_action": case.standards_action}
