"""HTTP responses to requests for the resolution of a URN."""

import json
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import TypeVar

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from rest_framework.utils.encoders import JSONEncoder

from registry.core.exceptions import RegistryError
from registry.core.http.conditional import apply_conditions, body_etag
from registry.core.http.fast_path import Headers
from registry.namespaces.models import Namespace
from registry.resolution.formats import (
    Format,
    link_header,
    link_lines,
    link_set,
    preferred_format,
    prefers_error_page,
    uri_list,
    without_fragment,
)
from registry.resolution.namespace_data import namespace_data_of_one
from registry.resolution.refusals import NotAURN, URNMissing, refusal_of
from registry.resolution.resolving import Outcome, ResolvedURN, resolve_stored
from registry.resolution.serializers import ResolutionSerializer
from urnsyntax import URN, InvalidURN

Response = TypeVar("Response", bound=HttpResponseBase)
WITH_SERVICES = frozenset({Outcome.REDIRECT, Outcome.CHOICE, Outcome.UNCONFIRMED, Outcome.DOWN})
PAGES = {Outcome.CHOICE: "resolution/choice.html", Outcome.UNCONFIRMED: "resolution/unconfirmed.html"}


class Refused(Exception):
    """The URN is not resolved, for the reason `refusal`."""

    def __init__(self, refusal: RegistryError, resolved: ResolvedURN | None = None) -> None:
        self.refusal = refusal
        self.resolved = resolved


def refusals_as_pages(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a view that raises `Refused`."""

    @wraps(view)
    def wrapper(request: HttpRequest, **arguments: str) -> HttpResponseBase:
        try:
            return view(request, **arguments)
        except Refused as reason:
            return _refused(request, reason.refusal, reason.resolved)

    return wrapper


def resolved_urn(text: str, kinds: frozenset[str] | None = None) -> ResolvedURN:
    """The resolution of a text. Raises Refused if it is not a URN."""
    if not text:
        raise Refused(URNMissing())
    try:
        urn = URN.parse(text)
    except InvalidURN as fault:
        raise Refused(NotAURN(fault)) from fault
    return resolve_stored(urn, namespace_data_of_one(urn.nid), kinds=kinds)


def ensure_resolves(resolved: ResolvedURN) -> None:
    """Raise Refused if no usable service resolves the URN."""
    if refusal := refusal_of(resolved):
        raise Refused(refusal, resolved)


def resolution_response(
    request: HttpRequest, resolved: ResolvedURN, *, returns_urns: bool = False
) -> HttpResponseBase:
    """Redirect to the best service, let the client choose, or describe the services in the preferred format.

    The addresses of services that return URNs are not listed as if they were the URNs. Raises Refused.
    """
    wanted = preferred_format(request.headers.get("Accept", ""))
    if wanted == Format.URI_LIST and returns_urns:
        wanted = Format.PAGE
    if wanted != Format.PAGE and resolved.outcome in WITH_SERVICES:
        return _description(request, resolved, wanted)
    ensure_resolves(resolved)
    return redirect_to(resolved) if resolved.address else _page(request, resolved)


def redirect_to(resolved: ResolvedURN) -> HttpResponse:
    """See Other: the service has a representation of what the URN names (RFC 9110, Section 15.4.4)."""
    response = HttpResponse(f"{resolved.address}\n", "text/plain; charset=utf-8", HTTPStatus.SEE_OTHER)
    response["Access-Control-Allow-Origin"] = "*"
    response["Location"] = str(resolved.address)
    return with_resolution_headers(response, resolved)


def services_as_uri_list(request: HttpRequest, resolved: ResolvedURN) -> HttpResponseBase:
    """The addresses of the services, one a line. Raises Refused."""
    if resolved.outcome not in WITH_SERVICES:
        ensure_resolves(resolved)
    body = uri_list(without_fragment(resolved.urn), resolved.choices)
    return data_response(request, resolved, body, f"{Format.URI_LIST}; charset=utf-8")


def data_response(
    request: HttpRequest, resolved: ResolvedURN, body: str, media_type: str
) -> HttpResponseBase:
    """A body for programs of any origin, with its ETag."""
    response = HttpResponse(body, media_type)
    response["ETag"] = etag = body_etag(response.content)
    result = apply_conditions(request, response, etag)
    result["Access-Control-Allow-Origin"] = "*"
    return with_resolution_headers(result, resolved)


def _refused(
    request: HttpRequest, refusal: RegistryError, resolved: ResolvedURN | None = None
) -> HttpResponse:
    """The page that says why, and what to do. For programs, ProblemMiddleware replaces it with a problem document."""
    if prefers_error_page(request.headers.get("Accept", "")):
        context = {"refusal": refusal, "resolved": resolved, **_of_namespace(resolved)}
        response = render(request, "resolution/refused.html", context, status=refusal.status)
    else:
        response = HttpResponse(status=refusal.status)
    response.refusal = refusal  # type: ignore[attr-defined]
    return with_resolution_headers(response, resolved)


def with_resolution_headers(response: Response, resolved: ResolvedURN | None) -> Response:
    """The response with the headers that depend on the URN."""
    for name, value in headers_of(resolved) if resolved else ():
        response[name] = value
    return response


def headers_of(resolved: ResolvedURN) -> Headers:
    """The headers that depend on the URN: its link set, and whether its namespace is deprecated (RFC 9745)."""
    headers = []
    if resolved.outcome in WITH_SERVICES and (links := link_header(resolved)):
        headers.append(("Link", links))
    if resolved.namespace_data and resolved.namespace_data.deprecated_at:
        headers.append(("Deprecation", f"@{resolved.namespace_data.deprecated_at.timestamp():.0f}"))
    return headers


def _description(request: HttpRequest, resolved: ResolvedURN, wanted: Format) -> HttpResponseBase:
    if wanted == Format.URI_LIST:
        return services_as_uri_list(request, resolved)
    if wanted == Format.LINKS:
        return data_response(request, resolved, link_lines(resolved), wanted.value)
    body = link_set(resolved) if wanted == Format.LINK_SET else ResolutionSerializer(resolved).data
    text = json.dumps(body, cls=JSONEncoder, ensure_ascii=False, separators=(",", ":"))
    return data_response(request, resolved, text, wanted.value)


def _page(request: HttpRequest, resolved: ResolvedURN) -> HttpResponse:
    """The services to choose from, or the hosts that are not confirmed."""
    hosts = list(dict.fromkeys(each.host for each in resolved.best))
    context = {"resolved": resolved, "hosts": hosts, **_of_namespace(resolved)}
    page = render(request, PAGES[resolved.outcome], context, status=HTTPStatus.MULTIPLE_CHOICES)
    return with_resolution_headers(page, resolved)


def _of_namespace(resolved: ResolvedURN | None) -> dict[str, object]:
    """What pages say of the namespace."""
    if resolved is None or resolved.namespace_data is None:
        return {}
    namespaces = Namespace.objects.select_related("successor").defer("latest")
    return {
        "namespace": namespaces.get(nid=resolved.namespace_data.nid),
        "profile": resolved.namespace_data.profile,
    }
