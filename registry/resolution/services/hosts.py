"""Confirming and withdrawing hosts: the only writers of `ConfirmedHost`."""

from functools import partial
from http import HTTPStatus

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import AddressPart, Selection, Text
from registry.audit_log.details import Detail
from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.shortening import shortened
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.core.validators import check_text
from registry.namespaces import permissions
from registry.namespaces.event_details import HOST
from registry.namespaces.models import Namespace
from registry.namespaces.services.notifications import mail_registrant
from registry.namespaces.subjects import NAMESPACE
from registry.resolution.models import Basis, ConfirmedHost
from registry.resolution.services.registered_text import evidence_in_registration

NOT_PERMITTED = (
    "Only an administrator who is not its registrant can confirm or withdraw hosts of “{subject.nid}”."
)


class NotAHostOfServices(RegistryError):
    """No service of the namespace has this host."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not a host of a service"

    def __init__(self, namespace: Namespace, host: str) -> None:
        super().__init__(
            f"No service in the profile of “{namespace.nid}” has the host “{shortened(host)}”. "
            "Add the service to the profile first."
        )


class AlreadyConfirmed(RegistryError):
    """The host is confirmed for the namespace."""

    title = "Already confirmed"

    def __init__(self, namespace: Namespace, host: str) -> None:
        super().__init__(f"The host “{host}” is already confirmed for “{namespace.nid}”.")


class NotConfirmed(RegistryError):
    """The host is not confirmed for the namespace."""

    title = "Not confirmed"

    def __init__(self, namespace: Namespace, host: str) -> None:
        super().__init__(f"The host “{shortened(host)}” is not confirmed for “{namespace.nid}”.")


class UnknownBasis(RegistryError):
    """The basis is none of `Basis`."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unknown basis"

    def __init__(self, basis: str) -> None:
        super().__init__(f"“{shortened(basis)}” is not a basis. Choose one of: {', '.join(Basis.values)}.")


class NotInRegistration(RegistryError):
    """The basis is the registered text, which does not name the host."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The registration does not name the host"

    def __init__(self, namespace: Namespace, host: str) -> None:
        super().__init__(
            f"The registration of “{namespace.nid}” does not name “{host}”. Choose another basis, and say what you checked."
        )


def _check_confirmable(namespace: Namespace, host: str) -> None:
    if host not in hosts_of(namespace):
        raise NotAHostOfServices(namespace, host)
    if namespace.confirmed_hosts.filter(host=host).exists():
        raise AlreadyConfirmed(namespace, host)


def _check_withdrawable(namespace: Namespace, host: str) -> None:
    if not namespace.confirmed_hosts.filter(host=host).exists():
        raise NotConfirmed(namespace, host)


# What the actions on a host have in common.
on_host = partial(
    Action[Namespace],
    permission=permissions.is_administrator,
    not_permitted=NOT_PERMITTED,
    gravity=Gravity.DECISION,
    needs_confirmed_address=False,
    notify=mail_registrant,
)
CONFIRM_HOST = on_host(
    name="confirm_host",
    label="Confirm a host",
    button="Confirm this host",
    effect="The registry then redirects to this host without asking. The basis is public.",
    success="The host is confirmed.",
    past="Host {host} confirmed",
    details=(HOST, Detail("basis", str, "What the confirmation is based on.")),
    parameters=(
        AddressPart("host", "Host"),
        Selection("basis", "Basis", alternatives=Basis),
        Text(
            "evidence",
            "Evidence",
            "What you checked, and when, such as a DNS record and its content. This is public.",
            lines=4,
            max_length=MAX_BASIS_LENGTH,
        ),
    ),
    refusals=(NotAHostOfServices, AlreadyConfirmed, NotInRegistration),
    # A loaded profile confirms hosts that the registered text names.
    is_automatic=True,
)
WITHDRAW_HOST = on_host(
    name="withdraw_host",
    label="Withdraw a host",
    button="Withdraw this host",
    effect="For this host, the registry then shows a page that asks first. You can confirm it again.",
    success="The confirmation is withdrawn.",
    past="Host {host} withdrawn",
    details=(HOST,),
    parameters=(
        AddressPart("host", "Host"),
        Text(
            "reason",
            "Reason",
            "Why the host is no longer confirmed. This is public.",
            lines=4,
            max_length=MAX_BASIS_LENGTH,
        ),
    ),
    refusals=(NotConfirmed,),
    is_grave=True,
)
# What a page checks before it offers the form.
CHECKS = {CONFIRM_HOST: _check_confirmable, WITHDRAW_HOST: _check_withdrawable}


@performs(CONFIRM_HOST, NAMESPACE)
def confirm_host(context: ActionContext[Namespace], *, host: str, basis: str, evidence: str) -> ConfirmedHost:
    """Confirm a host of a service, so that the registry redirects to it. `evidence` says what was checked."""
    namespace = context.subject
    if basis not in Basis.values:
        raise UnknownBasis(basis)
    context.reason = check_text(evidence, "what was checked", longest=MAX_BASIS_LENGTH, argument="evidence")
    _check_confirmable(namespace, host)
    if basis == Basis.REGISTERED_TEXT and not evidence_in_registration(namespace, host):
        raise NotInRegistration(namespace, host)
    context.details = {"host": host, "basis": str(basis)}
    return ConfirmedHost.objects.create(
        namespace=namespace, host=host, basis=basis, evidence=context.reason, confirmed_by=context.by
    )


@performs(WITHDRAW_HOST, NAMESPACE)
def withdraw_host(context: ActionContext[Namespace], *, host: str, reason: str) -> None:
    """Withdraw the confirmation of a host. The registry then asks before it redirects to it."""
    context.reason = check_text(reason, "the reason", longest=MAX_BASIS_LENGTH, argument="reason")
    _check_withdrawable(context.subject, host)
    context.subject.confirmed_hosts.filter(host=host).delete()
    context.details = {"host": host}


def hosts_of(namespace: Namespace) -> list[str]:
    """The hosts of all services in the current profile, each once."""
    profile = namespace.current_profile
    return list(dict.fromkeys(each.host for each in profile.services)) if profile else []


def was_withdrawn(namespace: Namespace, host: str) -> bool:
    """Whether a person withdrew the host, so that no loaded profile confirms it again."""
    events = Event.objects.of_namespace(namespace.nid)
    return events.filter(verb="withdraw_host", details__host=host).exists()
