"""Forms for deprecation and transfer of a namespace; each calls the action of the same name."""

from collections.abc import Callable
from typing import Any, ClassVar, cast

from django import forms

from registry.accounts.forms.fields import reason_field
from registry.accounts.models import User
from registry.core.text_limits import MAX_ADDRESS_LENGTH, MAX_STATEMENT_LENGTH
from registry.namespaces.models import Namespace, ProfileVersion, Transfer
from registry.namespaces.permissions import may_answer_transfer
from registry.namespaces.queries import NotRegistered, get_namespace
from registry.namespaces.services import deprecation, transfers
from registry.organisations.forms import OrganisationChoiceField
from registry.organisations.models import Part

Changed = Namespace | Transfer | ProfileVersion


class ChangeForm(forms.Form):
    """A change of one namespace. `check_who` runs before the page is shown, `check_open` before the form is offered."""

    label: ClassVar[str]
    button: ClassVar[str]
    effect: ClassVar[str]
    success_message: ClassVar[str]
    is_grave: ClassVar[bool] = False
    # The action and its checks. All take the namespace; `check_who` and the action also take `by`.
    check_who: ClassVar[Callable[..., None]]
    check_open: ClassVar[Callable[..., None]]
    action: ClassVar[Callable[..., Changed]]
    page: ClassVar[str] = "namespaces/change.html"

    def __init__(self, *args: Any, namespace: Namespace, **kwargs: Any) -> None:
        self.namespace = namespace
        super().__init__(*args, **kwargs)

    def perform(self, *, by: User) -> Changed:
        return self.action(self.namespace, by=by, **self.cleaned_data)


class NamespaceField(forms.CharField):
    """A case-insensitive NID. The cleaned value is the namespace, or None."""

    def clean(self, value: str) -> Namespace | None:
        nid = super().clean(value)
        try:
            return get_namespace(nid.lower()) if nid else None
        except NotRegistered as fault:
            raise forms.ValidationError(str(fault), code="not_registered") from fault


class DeprecateForm(ChangeForm):
    label = "Deprecate"
    button = "Deprecate this namespace"
    effect = (
        "The namespace stays registered, its names stay valid, and its identifier is never reused. "
        "This can't be undone."
    )
    success_message = "The namespace is deprecated."
    is_grave = True
    check_who = staticmethod(deprecation.check_may_deprecate)
    check_open = staticmethod(deprecation.check_deprecable)
    action = staticmethod(deprecation.deprecate)

    statement = forms.CharField(
        label="Statement",
        help_text="The reason, and advice for users. It is shown on the public page of the namespace.",
        widget=forms.Textarea({"rows": 6}),
        max_length=MAX_STATEMENT_LENGTH,
    )
    successor = NamespaceField(
        label="Successor",
        help_text="The identifier of the namespace to use for new names.",
        max_length=32,
        required=False,
        widget=forms.TextInput({"autocapitalize": "none", "spellcheck": "false"}),
    )


class OfferTransferForm(ChangeForm):
    label = "Transfer this namespace"
    button = "Send the offer"
    effect = (
        "If the address belongs to an account, its owner is notified and can accept. Nothing changes until then, "
        "and you can withdraw the offer."
    )
    success_message = "The offer was recorded. If the address belongs to an account, its owner is notified."
    check_who = staticmethod(transfers.check_may_offer_transfer)
    check_open = staticmethod(transfers.check_not_offered)
    action = staticmethod(transfers.offer_transfer)

    to = forms.EmailField(
        label="E-mail address of the new registrant",
        max_length=MAX_ADDRESS_LENGTH,
        widget=forms.EmailInput({"autocomplete": "off"}),
    )
    reason = reason_field("The reason is public.", required=False)


class TransferDecisionForm(forms.Form):
    """The decision on an offer."""

    decision = forms.TypedChoiceField(
        choices=[(each.name, each.label) for each in transfers.DECISIONS.values()],
        coerce=transfers.DECISIONS.__getitem__,
        widget=forms.HiddenInput,
    )
    reason = reason_field("The reason is public.", required=False)

    organisation = OrganisationChoiceField(label="For whom")

    def __init__(self, *args: Any, transfer: Transfer, by: User, **kwargs: Any) -> None:
        self.transfer = transfer
        super().__init__(*args, **kwargs)
        offered = cast("OrganisationChoiceField", self.fields["organisation"])
        offered.offer(by, Part.REPRESENTATIVE)
        if not may_answer_transfer(by, transfer):
            offered.widget = forms.HiddenInput()  # only the recipient chooses one

    def perform(self, *, by: User) -> str:
        """Run the action, and return its success message."""
        decision: transfers.TransferDecision = self.cleaned_data["decision"]
        written = "reason" if decision.takes_reason else "organisation"
        decision.action(self.transfer, by=by, **{written: self.cleaned_data[written]})
        return decision.success_message
