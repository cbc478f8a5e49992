"""The forms that confirm a host of services, and withdraw the confirmation."""

from typing import Any

from django import forms

from registry.accounts.models import User
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.namespaces.forms.changes import ChangeForm
from registry.namespaces.models import Namespace
from registry.resolution.models import Basis
from registry.resolution.services import hosts
from registry.resolution.services.registered_text import evidence_in_registration


class HostForm(ChangeForm):
    """A decision on one host of a namespace."""

    check_who = staticmethod(hosts.check_may_decide_on_hosts)
    page = "resolution/host.html"

    def __init__(self, *args: Any, namespace: Namespace, host: str, **kwargs: Any) -> None:
        self.host = host
        super().__init__(*args, namespace=namespace, **kwargs)


class ConfirmHostForm(HostForm):
    label = "Confirm a host"
    button = "Confirm this host"
    effect = "The registry then redirects to this host without asking. The basis is public."
    success_message = "The host is confirmed."

    basis = forms.ChoiceField(label="Basis", choices=Basis.choices, widget=forms.RadioSelect)
    evidence = forms.CharField(
        label="Evidence",
        help_text="What you checked, and when, such as a DNS record and its content. This is public.",
        max_length=MAX_BASIS_LENGTH,
        widget=forms.Textarea({"rows": 4}),
    )

    def __init__(self, *args: Any, namespace: Namespace, host: str, **kwargs: Any) -> None:
        evidence = evidence_in_registration(namespace, host)
        proposal = {"basis": Basis.REGISTERED_TEXT, "evidence": evidence} if evidence else {}
        super().__init__(*args, namespace=namespace, host=host, initial=proposal, **kwargs)

    def check_open(self, namespace: Namespace) -> None:
        hosts.check_confirmable(namespace, self.host)

    def perform(self, *, by: User) -> Namespace:
        hosts.confirm_host(self.namespace, by=by, host=self.host, **self.cleaned_data)
        return self.namespace


class WithdrawHostForm(HostForm):
    label = "Withdraw a host"
    button = "Withdraw this host"
    effect = "For this host, the registry then shows a page that asks first. You can confirm it again."
    success_message = "The confirmation is withdrawn."
    is_grave = True

    reason = forms.CharField(
        label="Reason",
        help_text="Why the host is no longer confirmed. This is public.",
        max_length=MAX_BASIS_LENGTH,
        widget=forms.Textarea({"rows": 4}),
    )

    def check_open(self, namespace: Namespace) -> None:
        hosts.check_withdrawable(namespace, self.host)

    def perform(self, *, by: User) -> Namespace:
        hosts.withdraw_host(self.namespace, by=by, host=self.host, **self.cleaned_data)
        return self.namespace
