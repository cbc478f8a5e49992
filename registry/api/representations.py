"""Pages, and the resources of the API with the same content: each client is led to the one that it prefers.

A page and its data have addresses of their own. At the address of the page, a client that prefers a format of the data is
redirected to the data; the page also names them in the header Link. The address of a problem type is that of its data, and
leads browsers to its page. With a query that the other view does not accept, an address has no counterpart. See Other
(303) says that the other address has a representation, not the thing itself (RFC 9110, Section 15.4.4). What an address
answers depends on Accept, and so its Vary names it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase, HttpResponseRedirectBase
from django.urls import ResolverMatch, reverse
from django.utils.cache import patch_vary_headers
from rest_framework.serializers import Serializer

from registry.api.urls import V1_PATHS
from registry.core.http.negotiation import PAGE, preferred
from registry.resolution.formats import MAX_LINK


@dataclass(frozen=True, slots=True)
class Counterpart:
    """A URL pattern with the same content, and the names of its parameters if they are others."""

    name: str
    renamed: Mapping[str, str] = field(default_factory=dict)

    def address(self, arguments: Mapping[str, Any], given: QueryDict) -> str | None:
        """The path with the query; None if the other view does not accept the query. A page accepts none.

        Empty fields of a form are left out. Of a repeated parameter, the last value counts, as on pages.
        """
        query = {name: value for name, value in given.items() if value}
        serializer: Serializer[Any] = (getattr(_view_of(self.name), "query", None) or Serializer)(data=query)
        if query.keys() - serializer.fields.keys() or not serializer.is_valid():
            return None
        path = reverse(
            self.name, kwargs={self.renamed.get(name, name): each for name, each in arguments.items()}
        )
        return f"{path}?{urlencode(query)}" if query else path


DATA_OF_PAGES = {
    "home": Counterpart("api:root"),
    "namespaces:list": Counterpart("api:namespaces"),
    "namespaces:detail": Counterpart("api:namespace"),
    "namespaces:version": Counterpart("api:version"),
    "namespaces:profile": Counterpart("api:namespace-profile"),
    "subnamespaces:list": Counterpart("api:subnamespaces"),
    "cases:list": Counterpart("api:cases"),
    "cases:detail": Counterpart("api:case", {"pk": "number"}),
    "organisations:detail": Counterpart("api:organisation", {"pk": "organisation"}),
    "urns:check": Counterpart("api:urns"),
    "services:list": Counterpart("api:services"),
    "statistics:overview": Counterpart("api:statistics"),
    "audit_log:overview": Counterpart("api:audit-log"),
    "publication:files": Counterpart("api:files"),
    "documentation:start": Counterpart("api:root"),
    "documentation:reference": Counterpart("api:schema"),
    "documentation:problems": Counterpart("api:problems"),
    "documentation:problem": Counterpart("api:problem"),
}
PAGES_OF_DATA = {
    "api:problems": Counterpart("documentation:problems"),
    "api:problem": Counterpart("documentation:problem"),
}
# The views of the API; one without its final slash has no name of its own.
NAMES_OF_VIEWS = {each.callback: f"api:{each.name}" for each in V1_PATHS if each.name}


class RepresentationMiddleware:
    """Redirects from a page to its data, or the other way, and adds the headers Vary and Link."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if other := _counterpart_of(request.resolver_match):
            patch_vary_headers(response, ["Accept"])
            if response.status_code == HTTPStatus.OK:
                arguments = request.resolver_match.kwargs  # type: ignore[union-attr]  # it has a counterpart
                address = other.address(arguments, request.GET)
                if address and len(address) < MAX_LINK:
                    links = (f'<{address}>; rel="alternate"; type="{each}"' for each in _types_of(other.name))
                    response["Link"] = ", ".join(filter(None, (response.get("Link"), *links)))
        return response

    def process_view(
        self, request: HttpRequest, _view: Any, _arguments: Any, named: Mapping[str, Any]
    ) -> HttpResponse | None:
        other = _counterpart_of(request.resolver_match)
        if other is None or request.method not in ("GET", "HEAD"):
            return None
        own = _types_of(_name_of(request.resolver_match))
        offered = (*own, *(each for each in _types_of(other.name) if each not in own))
        chosen = preferred(request.headers.get("Accept", ""), offered)
        if chosen is None or chosen in own or not (address := other.address(named, request.GET)):
            return None
        response = SeeOther(address)
        response["Access-Control-Allow-Origin"] = "*"
        return response


class SeeOther(HttpResponseRedirectBase):
    """Another address has a representation of what the client asked for."""

    status_code = HTTPStatus.SEE_OTHER


def _counterpart_of(match: ResolverMatch | None) -> Counterpart | None:
    name = _name_of(match)
    return DATA_OF_PAGES.get(name) or PAGES_OF_DATA.get(name)


def _name_of(match: ResolverMatch | None) -> str:
    """The name of the URL pattern that a request matches; "" if none does."""
    return NAMES_OF_VIEWS.get(match.func, match.view_name) if match else ""


@cache
def _types_of(name: str) -> tuple[str, ...]:
    """The media types of a page or of a resource of the API, the default first."""
    view = _view_of(name)
    return tuple(each.media_type for each in view.renderer_classes) if view else (PAGE,)


@cache
def _view_of(name: str) -> Any:
    """The class of a view of the API; None for a page."""
    views: dict[str, Any] = {f"api:{each.name}": each.callback for each in V1_PATHS if each.name}
    return views[name].cls if name in views else None
