"""`/resolve/` and a URN, the services of RFC 2483 with the syntax of RFC 2169: `/uri-res/I2L?` and a URN, and the
pages of hosts.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from registry.actions.forms import ActionForm
from registry.resolution.actions import CHECKS, CONFIRM_HOST, evidence_in_registration
from registry.resolution.formats import Format, lines, without_fragment
from registry.resolution.models import Basis
from registry.resolution.refusals import UnknownURIService
from registry.resolution.request_target import urn_in_path, urn_in_query
from registry.resolution.resolving import Outcome, ResolvedURN
from registry.resolution.responses import (
    Refused,
    data_response,
    ensure_resolves,
    refusals_as_pages,
    resolution_response,
    resolved_urn,
    services_as_uri_list,
)


class HostForm(ActionForm):
    """A decision on one host of a namespace. If the registered text names the host, that is the proposed basis."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.action is CONFIRM_HOST and (evidence := evidence_in_registration(self.subject, self.host)):
            self.initial.update(basis=Basis.REGISTERED_TEXT, evidence=evidence)

    @property
    def host(self) -> str:
        return str(self.given["host"])

    def check_open(self) -> None:
        CHECKS[self.action](self.subject, self.host)


# Of an address template, a client gets the address or is redirected to it, so a service of one kind serves both.
ONE = frozenset({"I2R", "I2L"})
SEVERAL = ONE | {"I2Rs", "I2Ls"}


@dataclass(frozen=True, slots=True)
class URIService:
    """A service of RFC 2483: the kinds of services that it uses, and whether it lists their addresses, or URNs."""

    name: str
    kinds: frozenset[str]
    lists: bool = False
    returns_urns: bool = False


URI_SERVICES = {
    each.name.lower(): each
    for each in (
        URIService("I2L", ONE),
        URIService("I2Ls", SEVERAL, lists=True),
        URIService("I2R", ONE),
        URIService("I2Rs", SEVERAL, lists=True),
        URIService("I2C", frozenset({"I2C"})),
        URIService("I2CS", frozenset({"I2C", "I2CS"}), lists=True),
        URIService("I2N", frozenset({"I2N"}), returns_urns=True),
        URIService("I2Ns", frozenset({"I2N", "I2Ns"}), lists=True, returns_urns=True),
    )
}
# RFC 2169 calls the URI of a request N.
OLD_NAMES = ("N2L", "N2Ls", "N2R", "N2Rs", "N2N", "N2Ns", "N2C")


@login_not_required
@csrf_exempt  # other methods get 405
@require_safe
@refusals_as_pages
def resolve_urn(request: HttpRequest, urn: str) -> HttpResponseBase:
    """Resolve the URN in the path and the query."""
    return resolution_response(request, resolved_urn(urn_in_path(request.META)))


@login_not_required
@csrf_exempt  # other methods get 405
@require_safe
@refusals_as_pages
def uri_service(request: HttpRequest, service: str) -> HttpResponseBase:
    """One of the services of RFC 2483 for the URN in the query."""
    asked = find_uri_service(service)
    if asked is None:
        names = [*(each.name for each in URI_SERVICES.values()), *OLD_NAMES]
        raise Refused(UnknownURIService(service, names))
    resolved = resolved_urn(urn_in_query(request.META), asked.kinds)
    if asked.returns_urns and not _has_service(resolved, asked):
        return _derived_urns(request, resolved, asked)
    if asked.lists and not asked.returns_urns:
        return services_as_uri_list(request, resolved)
    return resolution_response(request, resolved, returns_urns=asked.returns_urns)


def find_uri_service(name: str) -> URIService | None:
    """The service with this name of RFC 2483 or RFC 2169; letter case does not count."""
    lower = name.lower()
    if lower in {each.lower() for each in OLD_NAMES}:
        lower = f"i{lower[1:]}"
    return URI_SERVICES.get(lower)


def _has_service(resolved: ResolvedURN, asked: URIService) -> bool:
    """Whether the namespace has a service of these kinds, for any of its names, or a sub-namespace of this one."""
    profile = resolved.namespace_data.profile if resolved.namespace_data else None
    if any(each.kind in asked.kinds for each in (profile.services if profile else ())):
        return True
    return bool(resolved.choices or resolved.refused)


def _derived_urns(request: HttpRequest, resolved: ResolvedURN, asked: URIService) -> HttpResponseBase:
    """The canonical URN, or all equivalent URNs, which the registry derives from the profile."""
    if resolved.outcome in (Outcome.NOT_REGISTERED, Outcome.NOT_CONFORMANT):
        ensure_resolves(resolved)
    urns = equivalent_urns(resolved)
    body = lines([f"# {without_fragment(resolved.urn)}", *(urns if asked.lists else urns[:1])])
    return data_response(request, resolved, body, f"{Format.URI_LIST}; charset=utf-8")


def equivalent_urns(resolved: ResolvedURN) -> list[str]:
    """The canonical URN first, and other spellings; without a profile, the normalized URN alone."""
    normalized = str(resolved.urn.normalized())
    if resolved.judgement is None:
        return [normalized]
    return list(dict.fromkeys([resolved.judgement.canonical, normalized, *resolved.judgement.equivalents]))
