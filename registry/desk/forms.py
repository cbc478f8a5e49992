"""What the desk's pages ask for."""

from typing import Any, cast

from django import forms

from registry.accounts.models import RoleName, User
from registry.desk.queue import absences_of
from registry.registrations.canned_texts import LONGEST_TITLE
from registry.registrations.models import CannedText, Registration
from registry.registrations.permissions import is_expert
from registry.words import MAX_WORDS


class AwayForm(forms.Form):
    first_day = forms.DateField(label="First day", widget=forms.DateInput({"type": "date"}))
    last_day = forms.DateField(label="Last day", widget=forms.DateInput({"type": "date"}))


class CannedTextForm(forms.Form):
    title = forms.CharField(label="Title", max_length=LONGEST_TITLE, help_text="How you find it in the list.")
    text = forms.CharField(
        label="Text",
        max_length=MAX_WORDS,
        widget=forms.Textarea({"rows": 8}),
        help_text="Whoever uses it adds a line about the case.",
    )


class HandOverForm(forms.Form):
    """To whom a case goes: the experts who can act in it, but for who has it."""

    to = forms.ModelChoiceField(
        User.objects.none(), label="Expert", empty_label=None, widget=forms.RadioSelect
    )

    def __init__(self, *args: Any, case: Registration, holder: int | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        experts = User.objects.filter(is_active=True, granted_roles__name=RoleName.EXPERT).exclude(pk=holder)
        able = [person.pk for person in experts.prefetch_related("granted_roles") if is_expert(person, case)]
        away = absences_of(able)
        field = cast("forms.ModelChoiceField[User]", self.fields["to"])
        field.queryset = User.objects.filter(pk__in=able).order_by("name", "email")
        field.label_from_instance = lambda person: (  # type: ignore[method-assign]
            f"{person} (away until {away[person.pk].last_day})" if person.pk in away else str(person)
        )
        self.has_nobody = not able


class CannedChoice(forms.Form):
    canned = forms.ModelChoiceField(
        CannedText.objects.order_by("title"), label="A canned text", required=False, empty_label="Choose one"
    )
