"""The form of an action, such as a transition, built from its parameters.

The cleaned fields are the arguments of the action. The action itself checks them, so that a page and the API
refuse the same text with the same message.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.forms import BoundField

from registry.accounts.models import User
from registry.cases.findings import findings_on_proposal, trial_of_services
from registry.cases.forms.action_fields import form_field
from registry.cases.forms.action_points import action_point_rows, with_more_rows
from registry.cases.forms.begin import RawTextField
from registry.cases.forms.profiles import (
    ProfileRow,
    add_profile_fields,
    profile_row,
    profile_values,
    read_profile,
)
from registry.cases.models import Case
from registry.cases.workflow.definition import Action
from registry.cases.workflow.exceptions import UnknownSection
from registry.cases.workflow.parameters import (
    MAX_ACTION_POINTS,
    ActionPoints,
    Parameter,
    ProfileToConfirm,
    Stamp,
    Text,
)
from registry.core.exceptions import RegistryError
from registry.core.form_recovery import with_values
from registry.core.form_views import FormInvalid
from registry.core.validators import TextRefused
from registry.namespaces.models import ProfileVersion
from registry.namespaces.proposals.checking import ProfileRefused
from registry.namespaces.proposals.confirmation import ConfirmedProfile
from registry.namespaces.proposals.folding import as_proposed, completed
from registry.namespaces.proposals.proposed_profile import ProposedProfile, compare_proposals
from registry.namespaces.proposals.trials import Trial, proposed_hosts
from registry.namespaces.services.profiles import StaleProfile
from registry.registration_template.checks.findings import Finding
from registry.registration_template.diff import TemplateDiff
from urnsyntax.profiles.profile import SUBJECTS

POINTS_TO_CORRECT = "Correct the action points below."
# The parameters whose fields a subclass of ActionForm adds.
SUBJECTS_FIELD, VERSION_FIELD = "profile_subjects", "profile_version"
WITHOUT_OWN_FIELD = (ActionPoints, ProfileToConfirm)


class ActionForm(forms.Form):
    """The form of an action; `perform` carries it out."""

    def __init__(self, posted: Any = None, *, action: Action, case: Case, **kwargs: Any) -> None:
        self.action, self.case = action, case
        super().__init__(posted, initial=self.stamps(case), **kwargs)
        for parameter in self.parameters:
            self.fields[parameter.field_name] = form_field(parameter, case)

    @property
    def parameters(self) -> Sequence[Parameter]:
        """The parameters that have a field."""
        return [each for each in self.action.parameters if not isinstance(each, WITHOUT_OWN_FIELD)]

    @property
    def is_submitted(self) -> bool:
        """Whether the person sent the form to take the action, not to add rows, points or a canned text."""
        return self.is_bound and not {"more", "insert", "point"} & self.data.keys()

    def stamps(self, case: Case) -> dict[str, int]:
        """The hidden fields that identify what the person has seen."""
        stamps = (each for each in self.action.parameters if isinstance(each, Stamp))
        return {each.field_name: each.current(case) for each in stamps}

    def refresh_stamps(self, case: Case, refusal: RegistryError) -> None:
        """Keep the texts. If a refusal says that a stamp is out of date, take the current one of `case`.

        The refusal does not say what else has changed, so the other stamps stay: the action then refuses them.
        """
        self.case = case
        refused, current = self.refused_stamps(refusal), self.stamps(case)
        self.data = with_values(self.data, **{name: current[name] for name in refused})

    def refused_stamps(self, refusal: RegistryError) -> set[str]:
        """The names of the stamps that are out of date by a refusal."""
        stamps = (each for each in self.action.parameters if isinstance(each, Stamp))
        return {each.field_name for each in stamps if isinstance(refusal, each.refusal)}

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the action, from a valid form."""
        return {each.argument: self.cleaned_data[each.field_name] for each in self.parameters}

    def perform(self, *, by: User) -> Case:
        return self.action.action(self.case, by=by, **self.arguments())

    def parameter_fields(self) -> list[BoundField]:
        """The visible fields of the parameters that have one field."""
        names = {each.field_name for each in self.parameters}
        return [field for field in self.visible_fields() if field.name in names]

    def show_refusal(self, refusal: RegistryError) -> RegistryError:
        """Show a refused text at its field. Returns the refusal that the page shows above the form."""
        if not isinstance(refusal, TextRefused):
            return refusal
        texts = [each.field_name for each in self.parameters if isinstance(each, Text)]
        field = refusal.argument or (texts[0] if len(texts) == 1 else "")
        if field not in self.fields:
            return refusal
        self.add_error(field, str(refusal))
        return FormInvalid(self)

    def entered_texts(self) -> Iterator[tuple[str, str]]:
        """The entered texts by label, for a page that can't show the form."""
        for field in self.visible_fields():
            if isinstance(field.field, forms.CharField | RawTextField) and (text := field.value()):
                yield str(field.label), str(text)


class ActionPointsForm(ActionForm):
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


class AssignForm(ActionForm):
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

    def stamps(self, case: Case) -> dict[str, int]:
        namespace = case.namespace if case.is_revision else None
        version = namespace.profile.version if namespace and namespace.profile else 0
        return super().stamps(case) | {VERSION_FIELD: version}

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


def action_form(action: Action, posted: Any = None, *, case: Case, **kwargs: Any) -> ActionForm:
    """The form of `action`, bound to the posted fields, if any."""
    has_points = any(isinstance(each, ActionPoints) for each in action.parameters)
    has_profile = any(isinstance(each, ProfileToConfirm) for each in action.parameters)
    form = ActionPointsForm if has_points else AssignForm if has_profile else ActionForm
    return form(posted, action=action, case=case, **kwargs)
