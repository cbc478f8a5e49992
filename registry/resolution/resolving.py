"""Resolution of a URN: which services lead to what it names, and to which of them the registry redirects.

`resolve` is the one function that decides. Pages, the API, the fast redirects and bulk requests call it.

A service is usable unless it is down. The registry redirects to the best usable service whose host is confirmed; the
r-component and then the priority order the services. Several equally good ones are a choice for the client. Without a
confirmed host, the client is asked.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from registry.resolution.facts import Health, NamespaceFacts
from urnsyntax import URN
from urnsyntax.profiles import Judgement, RefusedService, Resolution, Service, ServiceAddress
from urnsyntax.profiles.judging import conforms, normal_nss


class Outcome(StrEnum):
    """What the registry answers for a URN."""

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

    `ignored` lists the names in the r-component that mean nothing to the service, and `is_selected` says whether the
    service understands one.
    """

    service: Service
    address: str
    ignored: tuple[str, ...]
    is_selected: bool
    host_confirmed: bool
    health: Health

    @property
    def host(self) -> str:
        return self.service.host

    @property
    def rank(self) -> tuple[bool, int]:
        """What orders services: lower is better."""
        return not self.is_selected, self.service.priority


@dataclass(frozen=True)
class ResolvedURN:
    """The answer for one URN.

    `choices` are all services that apply, the best first. `best` are those that the outcome is about: one to redirect
    to, several to choose from, or the best ones with an unconfirmed host.
    """

    urn: URN
    outcome: Outcome
    facts: NamespaceFacts | None = None
    choices: tuple[ServiceChoice, ...] = ()
    best: tuple[ServiceChoice, ...] = ()
    refused: tuple[RefusedService, ...] = ()

    @property
    def address(self) -> str | None:
        """The address to redirect to, if there is one."""
        return self.best[0].address if self.outcome == Outcome.REDIRECT else None

    @cached_property
    def judgement(self) -> Judgement | None:
        """The judgement by the rules of the namespace; None without a profile."""
        profile = self.facts.profile if self.facts else None
        return profile.judge(self.urn) if profile else None


def resolve(urn: URN, facts: NamespaceFacts | None, *, kinds: frozenset[str] | None = None) -> ResolvedURN:
    """The answer for a URN of the namespace with these facts, None if it is not registered.

    With `kinds`, only services of these kinds count; see `urnsyntax.profiles.services.service.KINDS`.
    """
    if facts is None:
        return ResolvedURN(urn, Outcome.NOT_REGISTERED)
    if facts.profile is None:
        return ResolvedURN(urn, Outcome.NO_SERVICES, facts)
    found = facts.profile.service_finder.resolve(urn)
    choices = tuple(
        _choice(each, facts) for each in found.services if kinds is None or each.service.kind in kinds
    )
    if not choices:
        return ResolvedURN(
            urn, _outcome_without_choice(urn, facts, found, kinds), facts, refused=found.refused
        )
    outcome, best = _decide(choices)
    return ResolvedURN(urn, outcome, facts, choices, best, found.refused)


def _choice(found: ServiceAddress, facts: NamespaceFacts) -> ServiceChoice:
    service = found.service
    return ServiceChoice(
        service,
        found.address,
        found.ignored,
        found.is_selected,
        service.host in facts.hosts,
        facts.health_of(service),
    )


def _decide(choices: tuple[ServiceChoice, ...]) -> tuple[Outcome, tuple[ServiceChoice, ...]]:
    usable = [each for each in choices if not each.health.is_down]
    if not usable:
        return Outcome.DOWN, _equally_good(list(choices))
    if confirmed := [each for each in usable if each.host_confirmed]:
        best = _equally_good(confirmed)
        return (Outcome.REDIRECT if len(best) == 1 else Outcome.CHOICE), best
    return Outcome.UNCONFIRMED, _equally_good(usable)


def _equally_good(choices: list[ServiceChoice]) -> tuple[ServiceChoice, ...]:
    """The services that are as good as the first one."""
    return tuple(each for each in choices if each.rank == choices[0].rank)


def _outcome_without_choice(
    urn: URN, facts: NamespaceFacts, found: Resolution, kinds: frozenset[str] | None
) -> Outcome:
    profile = facts.profile
    assert profile is not None  # nosec B101  # the caller has looked
    if conforms(profile.names, normal_nss(urn)) is False:
        return Outcome.NOT_CONFORMANT
    if not profile.services:
        return Outcome.NO_SERVICES
    if any(kinds is None or each.service.kind in kinds for each in found.refused):
        return Outcome.NO_SAFE_ADDRESS
    return Outcome.NO_SUITABLE_SERVICE
