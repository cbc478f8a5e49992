"""Resolution of a URN: which services resolve it, to which of them the registry redirects, or else why it does not.

`resolve` is the one function that decides. Pages, the API, the fast redirects and bulk requests call it.

A service is usable unless it is down. The registry redirects to the best usable service whose host is confirmed; the
r-component and then the priority order the services. Several equally good ones are a choice for the client, and so is a
service whose address is the same for all names: it is offered, because it says nothing of the name. Without a
confirmed host, the client is asked. Services of sub-namespaces come before those of the namespace, the innermost first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from registry.resolution.namespace_data import Health, NamespaceData, is_of_kinds
from urnsyntax import URN
from urnsyntax.profiles import Judgement, RefusedService, Resolution, Service, ServiceAddress
from urnsyntax.profiles.services.choice import ServicesOfName, distinct
from urnsyntax.profiles.subnamespaces.lists import SubNamespaces


class Outcome(StrEnum):
    """How a URN resolves."""

    REDIRECT = "redirect"
    CHOICE = "choice"
    UNCONFIRMED = "unconfirmed"
    NOT_REGISTERED = "not_registered"
    NOT_CONFORMANT = "not_conformant"
    NO_SERVICES = "no_services"
    NO_SUITABLE_SERVICE = "no_suitable_service"
    NO_SAFE_ADDRESS = "no_safe_address"
    DOWN = "down"


@dataclass(frozen=True, slots=True)
class ServiceChoice:
    """A service that applies to the URN, its address, and what the registry knows of it.

    `ignored` lists the names in the r-component that mean nothing to the service; `ignores_q` says whether the URN has a
    q-component that it does not get.
    """

    service: Service
    address: str
    ignored: tuple[str, ...]
    ignores_q: bool
    host_confirmed: bool
    health: Health

    @property
    def host(self) -> str:
        return self.service.host


class ResolvedURN:
    """The resolution of one URN.

    `best` are the services that the outcome is about: one to redirect to, several to choose from, or the best ones with
    an unconfirmed host. All else is computed on first access.
    """

    def __init__(
        self,
        urn: URN,
        outcome: Outcome,
        namespace_data: NamespaceData | None = None,
        best: tuple[ServiceAddress, ...] = (),
        kinds: frozenset[str] | None = None,
        services: ServicesOfName | None = None,
        entries: SubNamespaces | None = None,
    ) -> None:
        self.urn = urn
        self.outcome = outcome
        self.namespace_data = namespace_data
        self._best = best
        self._kinds = kinds
        self._services = services
        self._entries = entries

    def __repr__(self) -> str:
        return f"<{self.urn}: {self.outcome}>"

    @property
    def address(self) -> str | None:
        """The address to redirect to, if there is one."""
        return self._best[0].address if self.outcome is Outcome.REDIRECT else None

    @property
    def kind(self) -> str | None:
        """What the service at this address returns."""
        return self._best[0].service.kind if self.outcome is Outcome.REDIRECT else None

    @cached_property
    def best(self) -> tuple[ServiceChoice, ...]:
        """The services that the outcome is about."""
        return tuple(map(self._choice, self._best))

    @cached_property
    def choices(self) -> tuple[ServiceChoice, ...]:
        """All services that apply, each address of a kind once, the best first."""
        of_kinds = (each for each in self._found.services if is_of_kinds(each.service, self._kinds))
        return tuple(map(self._choice, distinct(of_kinds)))

    @property
    def refused(self) -> tuple[RefusedService, ...]:
        """The services that apply, but have no safe address for the name."""
        return tuple(each for each in self._found.refused if is_of_kinds(each.service, self._kinds))

    @cached_property
    def judgement(self) -> Judgement | None:
        """The judgement by the rules of the namespace and its list of sub-namespaces; None without a profile."""
        profile = self.namespace_data.profile if self.namespace_data else None
        if profile is None or self._services is None:
            return None
        return Judgement(self.urn, profile, self._services.verdict, self._entries)

    def _choice(self, found: ServiceAddress) -> ServiceChoice:
        assert self.namespace_data is not None  # nosec B101  # otherwise no service was found
        is_confirmed, health = (
            self.namespace_data.is_confirmed(found.service),
            self.namespace_data.health_of(found.service),
        )
        return ServiceChoice(
            found.service, found.address, found.ignored, found.ignores_q, is_confirmed, health
        )

    @property
    def _found(self) -> Resolution:
        return self._services.resolution if self._services else Resolution()


def resolve_stored(
    urn: URN, namespace_data: NamespaceData | None, *, kinds: frozenset[str] | None = None
) -> ResolvedURN:
    """As `resolve`, with the sub-namespaces that the name belongs to; a namespace with a list needs a query for them."""
    entries = namespace_data.entries_for(urn) if namespace_data else None
    return resolve(urn, namespace_data, entries, kinds=kinds)


def resolve(
    urn: URN,
    namespace_data: NamespaceData | None,
    entries: SubNamespaces | None = None,
    *,
    kinds: frozenset[str] | None = None,
) -> ResolvedURN:
    """The resolution of a URN of the namespace with this data, None if it is not registered.

    `entries` has at least the sub-namespaces that the name belongs to, and is None without a list. With `kinds`, only services of
    these kinds count; see `urnsyntax.profiles.services.service.KINDS`.
    """
    if namespace_data is None:
        return ResolvedURN(urn, Outcome.NOT_REGISTERED)
    if namespace_data.profile is None:
        return ResolvedURN(urn, Outcome.NO_SERVICES, namespace_data)

    services = namespace_data.profile.services_of(urn, entries)
    if best := services.best(namespace_data.redirectable_of(kinds, services.below)):
        leads_to_it = len(best) == 1 and not best[0].service.is_for_all_names
        outcome = Outcome.REDIRECT if leads_to_it else Outcome.CHOICE
    else:
        outcome, best = _without_redirect(namespace_data, services, kinds)
    return ResolvedURN(urn, outcome, namespace_data, best, kinds, services, entries)


def _without_redirect(
    namespace_data: NamespaceData, services: ServicesOfName, kinds: frozenset[str] | None
) -> tuple[Outcome, tuple[ServiceAddress, ...]]:
    """The outcome if no service on a confirmed host is usable, and the services that it is about."""
    wanted = {id(each): each for each in namespace_data.services_of(kinds, services.below)}
    usable = {identity for identity, each in wanted.items() if not namespace_data.health_of(each).is_down}
    if best := services.best(usable):
        return Outcome.UNCONFIRMED, best
    if best := services.best(wanted):
        return Outcome.DOWN, best
    return _outcome_without_choice(namespace_data, services, kinds), ()


def _outcome_without_choice(
    namespace_data: NamespaceData, services: ServicesOfName, kinds: frozenset[str] | None
) -> Outcome:
    if not services.conforms:
        return Outcome.NOT_CONFORMANT
    if not namespace_data.services_of(None, services.below):
        return Outcome.NO_SERVICES
    if any(is_of_kinds(each.service, kinds) for each in services.resolution.refused):
        return Outcome.NO_SAFE_ADDRESS
    return Outcome.NO_SUITABLE_SERVICE


def _not_registered(resolved: ResolvedURN) -> str:
    return f"The namespace “{resolved.urn.nid.lower()}” is not registered."


def _not_conformant(resolved: ResolvedURN) -> str:
    return resolved.judgement.reason if resolved.judgement else ""


def _no_services(resolved: ResolvedURN) -> str:
    nid = resolved.urn.nid.lower()
    return f"The namespace “{nid}” is registered, but the registry knows no service that resolves its names."


def _no_suitable_service(resolved: ResolvedURN) -> str:
    nid = resolved.urn.nid.lower()
    return f"No service of the namespace “{nid}” applies to this name and request."


def _no_safe_address(resolved: ResolvedURN) -> str:
    return resolved.refused[0].reason


def _down(resolved: ResolvedURN) -> str:
    best = resolved.best[0]
    since = best.health.failing_since
    when = f" since {since:%Y-%m-%d}" if since else ""
    return f"“{best.service.title}” at {best.host} has been down{when}."


def _unconfirmed(resolved: ResolvedURN) -> str:
    *others, last = dict.fromkeys(each.host for each in resolved.best)
    hosts = f"{', '.join(others)} and {last} belong" if others else f"{last} belongs"
    return f"The registry has not confirmed that {hosts} to the namespace."


def _choice(resolved: ResolvedURN) -> str:
    if len(resolved.best) == 1:
        return f"“{resolved.best[0].service.title}” is one page for all names, and not about this one."
    return f"{len(resolved.best)} services are equally good."


_REASONS: Mapping[Outcome, Callable[[ResolvedURN], str]] = {
    Outcome.NOT_REGISTERED: _not_registered,
    Outcome.NOT_CONFORMANT: _not_conformant,
    Outcome.NO_SERVICES: _no_services,
    Outcome.NO_SUITABLE_SERVICE: _no_suitable_service,
    Outcome.NO_SAFE_ADDRESS: _no_safe_address,
    Outcome.DOWN: _down,
    Outcome.UNCONFIRMED: _unconfirmed,
    Outcome.CHOICE: _choice,
}


def reason_of(resolved: ResolvedURN) -> str:
    """The reason as a sentence; "" for a redirect."""
    return "" if resolved.outcome == Outcome.REDIRECT else _REASONS[resolved.outcome](resolved)
