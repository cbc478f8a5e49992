"""The form with which people choose the mail that they get."""

from django import forms

from registry.accounts.models import User
from registry.mail.preferences import choose, deliveries_of


class NotificationsForm(forms.Form):
    """A choice for each kind of mail that the person can get."""

    def __init__(self, data: object = None, *, person: User) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.person = person
        for kind, delivery in deliveries_of(person).items():
            self.fields[kind.name] = forms.ChoiceField(
                label=kind.label, help_text=kind.description, choices=kind.choices, initial=delivery.value
            )

    def save(self) -> None:
        choose(self.person, self.cleaned_data)
