"""The input of actions that people take for themselves, or for an organisation that they represent."""

from dataclasses import dataclass
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.actions.parameters import FieldParameter
from registry.organisations.models import MemberRole, Organisation, organisations_of


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

    def offer(self, user: User, *parts: MemberRole) -> None:
        """Offer the organisations of a person."""
        self.queryset = Organisation.objects.filter(pk__in=organisations_of(user, parts)).order_by(
            "name", "pk"
        )
        if not self.queryset.exists():
            self.widget = forms.HiddenInput()


@dataclass(frozen=True, slots=True)
class OrganisationChoice(FieldParameter):
    """An organisation that the person represents, or None for the person. Not shown to people who represent none."""

    def form_field(self, subject: Any = None, by: User | None = None) -> forms.Field:
        field = OrganisationChoiceField(label=self.label)
        if by is not None:
            field.offer(by, MemberRole.REPRESENTATIVE)
        return field
