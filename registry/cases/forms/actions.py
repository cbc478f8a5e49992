"""The forms of actions in a case that have more than fields: action points, and the profile of an assignment."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.forms.formsets import BaseFormSet, formset_factory
from django.http import QueryDict

from registry.accounts.models import User
from registry.actions.forms import ActionForm
from registry.cases.findings import findings_on_proposal, trial_of_services
from registry.cases.forms.cases import RawTextField
from registry.cases.forms.profiles import (
    ProfileRow,
    add_profile_fields,
    profile_row,
    profile_values,
    read_profile,
)
from registry.cases.models import Case
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.parameters import (
    MAX_ACTION_POINTS,
    SECTION_CHOICES,
    ActionPoints,
    ProfileToConfirm,
)
from registry.cases.workflow.exceptions import UnknownSection
from registry.core.exceptions import RegistryError
from registry.core.form_views import FormInvalid, with_values
from registry.core.validators import MAX_TEXT_LENGTH, TextRefused
from registry.namespaces.actions.profiles import StaleProfile
from registry.namespaces.models import ProfileVersion
from registry.namespaces.proposals.applying import as_proposed, completed
from registry.namespaces.proposals.checking import ProfileRefused
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.proposed_profile import ProposedProfile, compare_proposals
from registry.namespaces.proposals.trials import Trial, proposed_hosts
from registry.registration_template.checks.findings import Finding
from registry.registration_template.diff import TemplateDiff
from urnsyntax.profiles.profile import SUBJECTS

ROWS_AT_FIRST = 3


class ActionPointRow(forms.Form):
    section = forms.ChoiceField(choices=[("", "Choose a section"), *SECTION_CHOICES], required=False)
    text = forms.CharField(
        widget=forms.Textarea({"rows": 3}),
        max_length=MAX_TEXT_LENGTH,
        required=False,
        label="Requested change",
    )


def action_point_rows(
    posted: Any, drafted: Sequence[dict[str, str]] | None = None
) -> "BaseFormSet[ActionPointRow]":
    """The rows, with what was posted or else with points that were drafted elsewhere."""
    blank = formset_factory(
        ActionPointRow,
        extra=ROWS_AT_FIRST,
        max_num=MAX_ACTION_POINTS,
        absolute_max=MAX_ACTION_POINTS * 2,
        validate_max=True,
    )
    too_many = f"A review can have at most {MAX_ACTION_POINTS} action points. Combine some of them."
    lost = "The form was incomplete. Submit it again from this page."
    return blank(
        posted,
        prefix="points",
        initial=drafted,
        error_messages={"too_many_forms": too_many, "missing_management_form": lost},
    )


def with_more_rows(posted: Any) -> QueryDict:
    count = posted.get("points-TOTAL_FORMS", "")
    rows = int(count) if count.isascii() and count.isdigit() and len(count) < 4 else 0
    total = {"points-TOTAL_FORMS": min(rows + ROWS_AT_FIRST, MAX_ACTION_POINTS), "points-INITIAL_FORMS": 0}
    return with_values(posted, **total)


def free_row(posted: QueryDict) -> int | None:
    """The first empty row of the action points; None if a review can't have more."""
    rows = range(MAX_ACTION_POINTS)
    fields = ("section", "text")
    return next((row for row in rows if not any(posted.get(f"points-{row}-{name}") for name in fields)), None)


def with_action_point(posted: QueryDict, section: str, text: str) -> QueryDict:
    """The posted fields with one more action point, in the first empty row, if there is one."""
    row = free_row(posted)
    if row is None:
        return posted
    values = {f"points-{row}-section": section, f"points-{row}-text": text, "points-INITIAL_FORMS": 0}
    total = posted.get("points-TOTAL_FORMS", "")
    rows = int(total) if total.isascii() and total.isdigit() and len(total) < 4 else 0
    return with_values(posted, **values, **{"points-TOTAL_FORMS": max(rows, row + 1)})


POINTS_TO_CORRECT = "Correct the action points below."
SUBJECTS_FIELD, VERSION_FIELD = "profile_subjects", "profile_version"


class CaseActionForm(ActionForm):
    """The form of an action in a case."""

    action: CaseAction
    text_fields = (forms.CharField, RawTextField)

    @property
    def case(self) -> Case:
        case: Case = self.subject
        return case

    @property
    def is_submitted(self) -> bool:
        """Whether the person sent the form to take the action, not to add rows, points or a canned text."""
        return self.is_bound and not {"more", "insert", "point"} & self.data.keys()


class ActionPointsForm(CaseActionForm):
    """The form of an action with action points, which are rows of a formset."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        posted = self.data if self.is_bound else None
        self.action_points = action_point_rows(with_more_rows(posted) if "more" in self.data else posted)

    def set_action_points(self, points: Sequence[dict[str, str]]) -> None:
        """Fill in action points that were drafted elsewhere."""
        self.action_points = action_point_rows(None, points[:MAX_ACTION_POINTS])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if not self.action_points.is_valid():
            raise forms.ValidationError(POINTS_TO_CORRECT)
        return cleaned

    def arguments(self) -> dict[str, Any]:
        rows = self.action_points.cleaned_data
        points = [(row["section"], row["text"]) for row in rows if any(row.values())]
        return super().arguments() | {"action_points": points}

    def show_refusal(self, refusal: RegistryError) -> RegistryError:
        if not isinstance(refusal, TextRefused) or refusal.argument != "action_points":
            return super().show_refusal(refusal)
        self.add_error(None, POINTS_TO_CORRECT)
        if refusal.row:
            filled = [row for row in self.action_points if any(row.cleaned_data.values())]
            field = "section" if isinstance(refusal, UnknownSection) else "text"
            filled[refusal.row - 1].add_error(field, str(refusal))
        else:
            self.action_points.non_form_errors().append(str(refusal))
        return FormInvalid(self)

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        yield from super().entered_texts()
        for row in self.action_points:
            if text := row["text"].value():
                yield f"Action point ({row['section'].value() or 'no section'})", text


class AssignForm(CaseActionForm):
    """The form of the assignment, with the profile that the latest round proposes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        add_profile_fields(self)
        latest = self.case.latest_round
        self.proposed = latest.proposed_profile if latest else ProposedProfile()
        self.initial.update(profile_values(self.proposed))
        current = self.current.value if self.current else None
        self.fields[SUBJECTS_FIELD] = forms.MultipleChoiceField(
            label="Subjects",
            help_text="One to three, if you set a profile.",
            choices=[(each, each) for each in SUBJECTS],
            widget=forms.CheckboxSelectMultiple,
            required=False,
            initial=current.subjects if current else (),
        )
        self.fields[VERSION_FIELD] = forms.IntegerField(widget=forms.HiddenInput, required=False, min_value=0)

    @cached_property
    def findings(self) -> Sequence[Finding]:
        """The findings on the proposal of the round, or after a refusal those on what was sent."""
        latest = self.case.latest_round
        return findings_on_proposal(self.case, latest) if latest and not self.is_bound else ()

    @property
    def current(self) -> ProfileVersion | None:
        """The current profile of the namespace that the case revises."""
        namespace = self.case.namespace
        return namespace.profile if self.case.is_revision and namespace else None

    def stamps(self, subject: Case) -> dict[str, int]:
        namespace = subject.namespace if subject.is_revision else None
        version = namespace.profile.version if namespace and namespace.profile else 0
        return super().stamps(subject) | {VERSION_FIELD: version}

    def refused_stamps(self, refusal: RegistryError) -> set[str]:
        return super().refused_stamps(refusal) | (
            {VERSION_FIELD} if isinstance(refusal, StaleProfile) else set()
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        self.proposed = read_profile(self, cleaned)
        return cleaned

    def arguments(self) -> dict[str, Any]:
        subjects = tuple(self.cleaned_data[SUBJECTS_FIELD])
        replaces = self.cleaned_data[VERSION_FIELD] or 0
        return super().arguments() | {"profile": ConfirmedProfile(self.proposed, subjects, replaces)}

    def show_refusal(self, refusal: RegistryError) -> RegistryError:
        if isinstance(refusal, ProfileRefused):
            self.findings = refusal.findings
        return super().show_refusal(refusal)

    @property
    def profile(self) -> ProfileRow:
        return profile_row(self, self.proposed, self.findings, self.current.value if self.current else None)

    @property
    def trial(self) -> Trial | None:
        """Where the services lead for an example."""
        latest = self.case.latest_round
        return trial_of_services(self.case, latest.template, self.proposed) if latest else None

    @property
    def hosts(self) -> list[str]:
        """The hosts of the services."""
        return proposed_hosts(self.proposed)

    @property
    def subject_findings(self) -> list[Finding]:
        return [finding for finding in self.findings if finding.section == SUBJECTS_FIELD]

    @property
    def profile_changes(self) -> TemplateDiff | None:
        """The differences from the current profile, if there is one."""
        if self.current is None or not self.proposed:
            return None
        current = self.current.value
        return TemplateDiff(compare_proposals(as_proposed(current), completed(self.proposed, current)))


def action_form(
    action: CaseAction, posted: Any = None, *, case: Case, by: User, **kwargs: Any
) -> CaseActionForm:
    """The form of `action`, bound to the posted fields, if any."""
    has_points = any(isinstance(each, ActionPoints) for each in action.parameters)
    has_profile = any(isinstance(each, ProfileToConfirm) for each in action.parameters)
    form = ActionPointsForm if has_points else AssignForm if has_profile else CaseActionForm
    return form(posted, action=action, subject=case, by=by, **kwargs)
