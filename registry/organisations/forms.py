"""The field that chooses an organisation of the person."""

from typing import Any

from django import forms

from registry.accounts.models import User
from registry.organisations.models import Organisation, Part, organisations_of


class OrganisationChoiceField(forms.ModelChoiceField):  # type: ignore[type-arg]  # not a generic when it runs
    """The user, or an organisation in which they have one of some parts.

    It has no choice, and is not shown, for people without an organisation.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(
            Organisation.objects.none(),
            required=False,
            blank=True,  # else Django leaves the empty choice of radio buttons out
            empty_label="Myself",
            widget=forms.RadioSelect,
            **kwargs,
        )

    def offer(self, user: User, *parts: Part) -> None:
        """Offer the organisations of a person."""
        self.queryset = Organisation.objects.filter(pk__in=organisations_of(user, parts)).order_by(
            "name", "pk"
        )
        if not self.queryset.exists():
            self.widget = forms.HiddenInput()
