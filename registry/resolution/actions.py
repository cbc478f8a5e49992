"""Actions on the hosts of services, and what registrations say of hosts.

A loaded profile states for each service where its address comes from. If that is the registration, the host of the
service is confirmed with the profile. An administrator decides on all others.
"""

import re
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from registry.accounts.gravity import Gravity
from registry.actions.declarations import Action, ActionContext
from registry.actions.engine import performs
from registry.actions.parameters import AddressPart, Selection, Text
from registry.audit_log.history import Detail
from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.core.validators import MAX_BASIS_LENGTH, check_text, shortened
from registry.namespaces import permissions
from registry.namespaces.actions.registrants import mail_registrant
from registry.namespaces.models import Namespace
from registry.namespaces.profile_documents import profile_loaded
from registry.namespaces.subjects import HOST, NAMESPACE
from registry.resolution.models import Basis, ConfirmedHost
from registry.subnamespaces.lists import services_below
from urnsyntax.profiles import Profile, Service

WEB_SCHEMES = ("http", "https")
# An address in a text starts after white space, brackets or quotation marks, as in <URL:https://example.org/>.
BEFORE_ADDRESS = r"""(?<!\S)[<("'\[]{0,2}(?:URL:)?"""
# The host ends before a path, a query, a fragment, or the end of the address. User information ends with "@".
AFTER_HOST = r"""(?::\d+)?(?=[/?#\s"'<>]|[.,;:)\]]+(?:[\s"'<>]|\Z)|\Z)"""


def evidence_in_registration(namespace: Namespace, host: str) -> str:
    """Where the registration names a host, as a sentence; "" if it does not."""
    profile = namespace.current_profile
    return next(_mentions(namespace, host), "") or (evidence_in_profile(profile, host) if profile else "")


def evidence_in_profile(profile: Profile, host: str) -> str:
    """For which service on a host the profile names the registration as the source of the address; "" for none."""
    stated = {each.url for each in profile.sources if each.kind == "registration" and each.url}
    of_host = (each for each in profile.services if each.host == host and each.source.url in stated)
    return next(map(_stated, of_host), "")


def _stated(service: Service) -> str:
    source = service.source
    return f"The address of “{service.title}” is from {source.document}: {source.url}"


def _mentions(namespace: Namespace, host: str) -> Iterator[str]:
    if namespace.latest and _has_address_on(host, namespace.latest.text):
        yield f"Version {namespace.latest.version} of the registration names {host}."
    for each in namespace.references:
        if _is_address_on(host, each.get("target", "")):
            yield f"The registration refers to {each['target']}."


def _is_address_on(host: str, target: str) -> bool:
    try:
        parts = urlsplit(target)
    except ValueError:
        return False
    return parts.scheme in WEB_SCHEMES and parts.hostname == host


def _has_address_on(host: str, text: str) -> bool:
    """Whether a text contains a web address on the host. The host in another part of an address does not count."""
    address = rf"{BEFORE_ADDRESS}(?:{'|'.join(WEB_SCHEMES)})://{re.escape(host)}{AFTER_HOST}"
    return re.search(address, text, re.IGNORECASE) is not None


NOT_PERMITTED = (
    "Only an administrator who is not its registrant can confirm or withdraw hosts of “{subject.nid}”."
)


class NotAHostOfServices(RegistryError):
    """No service of the namespace has this host."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not a host of a service"
    slug = "not-a-host-of-services"

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
# By their parts of URLs.
DECISIONS = {"confirm": CONFIRM_HOST, "withdraw": WITHDRAW_HOST}
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
    """The hosts of all services in the current profile, and then of those of sub-namespaces, each once."""
    profile = namespace.current_profile
    services = (profile.services if profile else (), services_below(namespace))
    return list(dict.fromkeys(each.host for each in chain(*services)))


def was_withdrawn(namespace: Namespace, host: str) -> bool:
    """Whether a person withdrew the host, so that no loaded profile confirms it again."""
    events = Event.objects.of_namespace(namespace.nid)
    return events.filter(verb="withdraw_host", details__host=host).exists()


def connect() -> None:
    """Confirm hosts with each loaded profile."""
    profile_loaded.connect(_confirm_registered, dispatch_uid="confirm registered hosts")


def _confirm_registered(*, namespace: Namespace, profile: Profile, **_: Any) -> None:
    hosts = dict.fromkeys(each.host for each in profile.services)
    known = set(namespace.confirmed_hosts.values_list("host", flat=True)) if hosts else set()
    for host in (each for each in hosts if each not in known):
        evidence = evidence_in_profile(profile, host)
        if evidence and not was_withdrawn(namespace, host):
            confirm_host(namespace, by=None, host=host, basis=Basis.REGISTERED_TEXT, evidence=evidence)
