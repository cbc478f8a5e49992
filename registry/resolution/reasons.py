"""Why the registry does not redirect for a URN, in one sentence for each outcome, from the resolution alone."""

from collections.abc import Callable, Mapping

from registry.resolution.resolving import Outcome, ResolvedURN


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
