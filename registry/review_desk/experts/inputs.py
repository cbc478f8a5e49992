"""Forms that experts use on a case."""

from typing import TYPE_CHECKING, Any, cast

from django import forms

from registry.accounts.models import RoleName, User
from registry.cases.models import CannedText, Case
from registry.cases.permissions import is_expert
from registry.review_desk.experts.queue import current_absences
from registry.review_desk.models import Absence

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


class HandOverForm(forms.Form):
    """The choice of a new reviewer among the other experts who can act in the case."""

    to = ExpertField(User.objects.none(), label="Expert", empty_label=None, widget=forms.RadioSelect)

    def __init__(self, *args: Any, case: Case, holder: User | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        experts = User.objects.holding(RoleName.EXPERT)
        experts = experts.prefetch_related("granted_roles")
        able = [person.pk for person in experts if person != holder and is_expert(person, case)]
        field = cast("ExpertField", self.fields["to"])
        field.queryset = User.objects.filter(pk__in=able).order_by("name", "email")
        field.absences = current_absences(able)
        self.has_no_candidates = not able


class CannedTextChoiceForm(forms.Form):
    canned = forms.ModelChoiceField(
        CannedText.objects.order_by("title"), label="Canned text", required=False, empty_label="Choose one"
    )
