"""The form that names a domain of an organisation."""

from django import forms

from registry.accounts.models import User
from registry.domains.models import MAX_DOMAIN_LENGTH, OrganisationDomain
from registry.domains.services import add_domain
from registry.organisations.models import Organisation


class DomainForm(forms.Form):
    """A domain."""

    domain = forms.CharField(
        label="Domain",
        help_text="Such as example.org.",
        max_length=MAX_DOMAIN_LENGTH,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false", "autocomplete": "off"}),
    )

    def perform(self, organisation: Organisation, *, by: User) -> OrganisationDomain:
        return add_domain(organisation, by=by, domain=self.cleaned_data["domain"])
