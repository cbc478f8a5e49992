"""Forms for organisations and their members; each calls the action of the same name."""

from typing import Any

from django import forms

from registry.accounts.models import User
from registry.core.text_limits import MAX_ADDRESS_LENGTH, MAX_ORGANISATION_NAME_LENGTH, MAX_URL_LENGTH
from registry.organisations.models import (
    Membership,
    MembershipInvitation,
    Organisation,
    Part,
    organisations_of,
)
from registry.organisations.services import members, organisations

PARTS_HELP = (
    "A representative submits, revises and transfers for the organisation, and manages its members. An editor edits its "
    "drafts. A contact reads them and gets mail."
)


class OrganisationForm(forms.Form):
    """The name and the homepage of an organisation."""

    name = forms.CharField(label="Name", help_text="This is public.", max_length=MAX_ORGANISATION_NAME_LENGTH)
    homepage = forms.URLField(
        label="Homepage",
        help_text="A web address, such as https://example.org/. This is public.",
        max_length=MAX_URL_LENGTH,
        required=False,
        assume_scheme="https",
    )

    def create(self, *, by: User) -> Organisation:
        return organisations.create_organisation(by=by, **self.cleaned_data)

    def describe(self, organisation: Organisation, *, by: User) -> Organisation:
        return organisations.describe_organisation(organisation, by=by, **self.cleaned_data)


def _part_field(**more: Any) -> forms.ChoiceField:
    return forms.ChoiceField(
        label="Part",
        help_text=PARTS_HELP,
        choices=[(each.value, each.label.capitalize()) for each in Part],
        widget=forms.RadioSelect,
        **more,
    )


class InviteForm(forms.Form):
    """The address and the part of a new member."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=MAX_ADDRESS_LENGTH,
        widget=forms.EmailInput({"autocomplete": "off"}),
    )
    part = _part_field(initial=Part.REPRESENTATIVE)

    def perform(self, organisation: Organisation, *, by: User) -> MembershipInvitation:
        return members.invite_member(organisation, by=by, **self.cleaned_data)


class PartForm(forms.Form):
    """Another part of a member."""

    part = _part_field()

    def perform(self, membership: Membership, *, by: User) -> Membership:
        return members.change_part(membership, by=by, **self.cleaned_data)


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
