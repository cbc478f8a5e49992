"""The forms of claims, which are the claim with its evidence and the decision on it, and of contacts."""

from typing import Any, cast

from django import forms

from registry.accounts.forms.fields import reason_field
from registry.accounts.models import User
from registry.core.text_limits import MAX_ADDRESS_LENGTH, MAX_BASIS_LENGTH, MAX_URL_LENGTH
from registry.custody.decisions import DECISIONS, ClaimDecision
from registry.custody.models import Ground, NamespaceClaim, NamespaceContact
from registry.custody.services.claims import claim_namespace, recover_organisation
from registry.custody.services.contact import MAX_NAME_LENGTH, change_contact
from registry.custody.services.evidence import MAX_LINKS
from registry.namespaces.models import Namespace
from registry.organisations.forms import OrganisationChoiceField
from registry.organisations.models import Part


class EvidenceForm(forms.Form):
    """The evidence of a claim."""

    ground = forms.ChoiceField(label="Evidence", choices=Ground.choices, widget=forms.RadioSelect)
    statement = forms.CharField(
        label="Statement",
        help_text="Who you are, and what an administrator can check. Only administrators can read it.",
        max_length=MAX_BASIS_LENGTH,
        widget=forms.Textarea({"rows": 6}),
    )
    links = forms.CharField(
        label="Links",
        help_text="Web addresses that prove it, one on each line, such as a page of your organisation.",
        max_length=MAX_LINKS * (MAX_URL_LENGTH + 2),
        required=False,
        widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
    )

    def clean_links(self) -> list[str]:
        links: str = self.cleaned_data["links"]
        return links.split()


class RecoveryForm(EvidenceForm):
    """The claim to represent the organisation of a namespace."""

    def perform(self, namespace: Namespace, *, by: User) -> NamespaceClaim:
        return recover_organisation(namespace, by=by, **self.cleaned_data)


class ClaimForm(EvidenceForm):
    """The claim of a namespace, for oneself or for an organisation."""

    organisation = OrganisationChoiceField(label="For whom")

    def __init__(self, *args: Any, by: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offered = cast("OrganisationChoiceField", self.fields["organisation"])
        offered.offer(by, Part.REPRESENTATIVE)

    def perform(self, namespace: Namespace, *, by: User) -> NamespaceClaim:
        return claim_namespace(namespace, by=by, **self.cleaned_data)


class ClaimDecisionForm(forms.Form):
    """The decision on a claim."""

    decision = forms.TypedChoiceField(
        choices=[(each.name, each.label) for each in DECISIONS.values()],
        coerce=DECISIONS.__getitem__,
        widget=forms.HiddenInput,
    )
    reason = reason_field("What you checked, and how. Do not name the claimant.", required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen = DECISIONS.get(self["decision"].value() or "")
        # The page has a form for each decision, with a field for the reason if the decision takes one.
        if chosen and chosen.takes_reason:
            self.fields["reason"].widget.attrs["id"] = f"reason-to-{chosen.name}"
        else:
            self.fields["reason"].widget = forms.HiddenInput()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        decision = cleaned.get("decision")
        if decision and decision.takes_reason and not cleaned.get("reason"):
            self.add_error("reason", "Give the reason for the decision.")
        return cleaned

    def perform(self, claim: NamespaceClaim, *, by: User) -> str:
        """Run the action, and return its success message."""
        decision: ClaimDecision = self.cleaned_data["decision"]
        reason = {"reason": self.cleaned_data["reason"]} if decision.takes_reason else {}
        decision.action(claim, by=by, **reason)
        return decision.success_message


class ContactForm(forms.Form):
    """The contact of a namespace beside the registered text."""

    name = forms.CharField(
        label="Name", help_text="A person or a function. This is public.", max_length=MAX_NAME_LENGTH
    )
    email = forms.EmailField(
        label="E-mail address", help_text="This is public.", max_length=MAX_ADDRESS_LENGTH
    )
    reason = reason_field("The reason is public.")

    def perform(self, namespace: Namespace, *, by: User) -> NamespaceContact:
        return change_contact(namespace, by=by, **self.cleaned_data)
