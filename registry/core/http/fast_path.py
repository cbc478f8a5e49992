"""WSGI applications in front of Django for frequent plain requests: what they share.

Their responses have the same octets and headers as those of Django. The headers that middleware and the view add are
taken from a sample response for each host.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.conf import settings
from django.core.handlers.base import BaseHandler
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

METHODS = frozenset(["GET", "HEAD"])
FOR_DJANGO = frozenset(
    f"HTTP_{header}"
    for header in (
        "AUTHORIZATION",
        "COOKIE",
        "IF_MATCH",
        "IF_MODIFIED_SINCE",
        "IF_UNMODIFIED_SINCE",
        "RANGE",
        "REGISTRY_SEQUENCE",
    )
)
MAX_HOSTS = 100

Headers = list[tuple[str, str]]
GetResponse = Callable[["WSGIEnvironment"], HttpResponseBase]
T = TypeVar("T")


def is_plain(environ: "WSGIEnvironment") -> bool:
    """Whether the request has no credentials, conditions on dates, or other reasons for Django."""
    return (
        environ["REQUEST_METHOD"] in METHODS
        and not environ.get("SCRIPT_NAME")
        and bool(environ.get("HTTP_HOST"))
        and environ.keys().isdisjoint(FOR_DJANGO)
    )


class HeaderTemplates(Generic[T]):
    """What `sample` makes of the responses of `view`, for each host and scheme.

    Hosts that Django rejects or redirects to HTTPS have no template: `sample` returns None for them.
    """

    def __init__(
        self, view: Callable[..., Any], sample: Callable[[GetResponse, "WSGIEnvironment"], T | None]
    ) -> None:
        self._handler = _TemplateHandler(view)
        self._sample = sample
        self._seen: dict[tuple[str | None, ...], T] = {}
        self._scheme_header = (settings.SECURE_PROXY_SSL_HEADER or ("",))[0]

    def for_request(self, environ: "WSGIEnvironment") -> T | None:
        """The template for requests with this host and scheme."""
        scheme = (environ["wsgi.url_scheme"], environ.get(self._scheme_header))
        place = (environ["HTTP_HOST"], *scheme)
        return self._seen.get(place) or self._look(place, environ)

    def _look(self, place: tuple[str | None, ...], environ: "WSGIEnvironment") -> T | None:
        plain = {name: value for name, value in environ.items() if name != "HTTP_IF_NONE_MATCH"}
        plain["REQUEST_METHOD"] = "GET"
        found = self._sample(self._handler.get_response_to, plain)
        if found is None:
            return None
        if len(self._seen) >= MAX_HOSTS:
            self._seen.clear()
        self._seen[place] = found
        return found


def headers_without(response: HttpResponseBase, *names: str) -> Headers:
    """The headers of a response, without those that differ between responses."""
    return [(name, value) for name, value in response.items() if name not in names]


class _TemplateHandler(BaseHandler):
    """Django with all its middleware, and one view in place of the URL configuration."""

    def __init__(self, view: Callable[..., Any]) -> None:
        super().__init__()
        self.load_middleware()
        self._view = view

    def get_response_to(self, environ: "WSGIEnvironment") -> HttpResponseBase:
        return self.get_response(WSGIRequest(environ))

    def _get_response(self, request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = self._view(request)
        return response
