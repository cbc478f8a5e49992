"""Confirming and withdrawing hosts: the only writers of `ConfirmedHost`."""

from http import HTTPStatus

from django.db import transaction

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.shortening import shortened
from registry.core.text_limits import MAX_BASIS_LENGTH
from registry.core.validators import check_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace
from registry.namespaces.services.notifications import notify_registrant
from registry.resolution.models import Basis, ConfirmedHost
from registry.resolution.services.registered_text import evidence_in_registration


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


def check_may_decide_on_hosts(namespace: Namespace, *, by: User) -> None:
    if not permissions.is_administrator(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not its registrant can confirm or withdraw hosts of “{namespace.nid}”."
        )


def check_confirmable(namespace: Namespace, host: str) -> None:
    """Raise NotAHostOfServices or AlreadyConfirmed."""
    if host not in hosts_of(namespace):
        raise NotAHostOfServices(namespace, host)
    if namespace.confirmed_hosts.filter(host=host).exists():
        raise AlreadyConfirmed(namespace, host)


def check_withdrawable(namespace: Namespace, host: str) -> None:
    """Raise NotConfirmed."""
    if not namespace.confirmed_hosts.filter(host=host).exists():
        raise NotConfirmed(namespace, host)


@has_gravity(Gravity.DECISION)
@transaction.atomic
def confirm_host(
    namespace: Namespace, *, by: User | None, host: str, basis: str, evidence: str
) -> ConfirmedHost:
    """Confirm a host of a service, so that the registry redirects to it.

    `evidence` says what was checked. Only a loaded profile leaves out `by`; its basis is the registered text.
    """
    namespace = _locked(namespace, by)
    if basis not in Basis.values:
        raise UnknownBasis(basis)
    evidence = check_text(evidence, "what was checked", longest=MAX_BASIS_LENGTH)
    check_confirmable(namespace, host)
    if basis == Basis.REGISTERED_TEXT and not evidence_in_registration(namespace, host):
        raise NotInRegistration(namespace, host)
    made = ConfirmedHost.objects.create(
        namespace=namespace, host=host, basis=basis, evidence=evidence, confirmed_by=by
    )
    namespace.mark_changed()
    event = log.append("confirm_host", by=by, nid=namespace.nid, reason=evidence, host=host, basis=str(basis))
    notify_registrant(event, namespace)
    return made


@has_gravity(Gravity.DECISION)
@transaction.atomic
def withdraw_host(namespace: Namespace, *, by: User, host: str, reason: str) -> None:
    """Withdraw the confirmation of a host. The registry then asks before it redirects to it."""
    namespace = _locked(namespace, by)
    reason = check_text(reason, "the reason", longest=MAX_BASIS_LENGTH)
    check_withdrawable(namespace, host)
    namespace.confirmed_hosts.filter(host=host).delete()
    namespace.mark_changed()
    event = log.append("withdraw_host", by=by, nid=namespace.nid, reason=reason, host=host)
    notify_registrant(event, namespace)


def _locked(namespace: Namespace, by: User | None) -> Namespace:
    """The namespace, locked like its profile. Raises NotPermitted."""
    namespace = Namespace.objects.select_for_update().get(pk=namespace.pk)
    if by is not None:
        lock_roles(by)
        check_may_decide_on_hosts(namespace, by=by)
    return namespace


def hosts_of(namespace: Namespace) -> list[str]:
    """The hosts of all services in the current profile, each once."""
    profile = namespace.current_profile
    return list(dict.fromkeys(each.host for each in profile.services)) if profile else []


def was_withdrawn(namespace: Namespace, host: str) -> bool:
    """Whether a person withdrew the host, so that no loaded profile confirms it again."""
    events = Event.objects.of_namespace(namespace.nid)
    return events.filter(verb="withdraw_host", details__host=host).exists()
