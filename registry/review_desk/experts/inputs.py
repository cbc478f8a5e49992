"""An input of the actions of experts: another expert."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms

from registry.accounts.models import RoleName, User
from registry.actions.parameters import FieldParameter
from registry.cases.permissions import is_expert
from registry.review_desk.models import Absence, CaseAssignment

if TYPE_CHECKING:  # Django's class has no type parameter at run time
    _UserField = forms.ModelChoiceField[User]
else:
    _UserField = forms.ModelChoiceField


class ExpertField(_UserField):
    """A choice of experts. Absences are shown with their last day."""

    absences: dict[int, Absence]

    def label_from_instance(self, obj: User) -> str:
        absence = self.absences.get(obj.pk)
        return f"{obj} (away until {absence.last_day})" if absence else str(obj)


@dataclass(frozen=True, slots=True)
class OtherExpert(FieldParameter):
    """One of the experts who can act in a case that is not assigned to them."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        assignment = CaseAssignment.objects.current_of(subject).first()
        others = User.objects.holding(RoleName.EXPERT).prefetch_related("granted_roles")
        if assignment is not None:
            others = others.exclude(pk=assignment.person_id)
        able = [person.pk for person in others if is_expert(person, subject)]
        field = ExpertField(
            User.objects.filter(pk__in=able).order_by("name", "email"),
            label=self.label,
            empty_label=None,
            widget=forms.RadioSelect,
        )
        field.absences = Absence.objects.current_of(able)
        return field
