"""Conditional requests: ETags, 304 and 412 responses (RFC 9110, Section 13), and compression.

The ETags of public lists are known to each process until something public changes. A list that a client has already is
confirmed with 304 after one query for the tokens of changes (`core.http.page_cache`), which are read before the list: an ETag
of a newer list is stored below older tokens, which are never seen again.
"""

import hashlib
from http import HTTPStatus

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_http_date_safe
from rest_framework.response import Response

from registry.api.framework.problems import problem_from
from registry.core.exceptions import RegistryError
from registry.core.http.compression import coding_for, compress
from registry.core.http.conditional import apply_conditions, etag_of
from registry.core.http.page_cache import change_tokens

# Other conditions than If-None-Match are evaluated with the list.
CONDITIONS = {"HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE"}
CHOOSING = ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING")


class StalePrecondition(RegistryError):
    """The record is not in the state that If-Match or If-Unmodified-Since requires."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "Precondition failed"


def conditional(request: HttpRequest, response: Response) -> HttpResponseBase:
    """The response with its ETag, or a 304 or 412 response according to the conditions of the request."""
    response.render()
    if not response.content:  # REST framework removes the media type of an empty text
        renderer = response.accepted_renderer
        response["Content-Type"] = f"{renderer.media_type}; charset={renderer.charset}"
    # Some views set a digest, such as that of a namespace; otherwise it is the digest of the body.
    digest = response.get("ETag", "").strip('"') or hashlib.sha256(response.content).hexdigest()[:32]
    patch_vary_headers(response, ["Accept-Encoding"])
    coding = coding_for(request, len(response.content))
    response["ETag"] = etag = etag_of(digest, coding)
    response["Cache-Control"] = "public, no-cache"
    changed = parse_http_date_safe(response.get("Last-Modified", ""))
    result = apply_preconditions(request, etag, response, changed)
    if coding and result is response:
        response.content = b"".join(compress([response.content], coding))
        response["Content-Encoding"] = coding
    return result


def apply_preconditions(
    request: HttpRequest, etag: str | None, response: HttpResponseBase, changed: int | None = None
) -> HttpResponseBase:
    """The response, or 304 or a problem document with 412, according to the conditions of the request."""
    result = apply_conditions(request, response, etag, changed)
    if result.status_code == HTTPStatus.PRECONDITION_FAILED:
        stale = StalePrecondition("The resource has another version than the request expects. Read it again.")
        return problem_from(stale).response(request)
    return result


def key_of(environ: dict[str, str], path: str, tokens: str) -> str:
    """What an ETag depends on: the state of the registry, the address, and the headers that choose the response."""
    parts = (tokens, path, *(environ.get(name, "") for name in CHOOSING))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


class KnownETag:
    """The ETag of a request for a list, looked up before the list is read."""

    def __init__(self, request: HttpRequest) -> None:
        self._sent = request.headers.get("If-None-Match", "").strip().removeprefix("W/")
        tokens, _ = change_tokens()
        self._key = key_of(request.META, request.get_full_path(), tokens)

    @staticmethod
    def is_useful(request: HttpRequest) -> bool:
        """Whether the client asks if its list is the newest one."""
        return "HTTP_IF_NONE_MATCH" in request.META and CONDITIONS.isdisjoint(request.META)

    def confirmed(self) -> HttpResponse | None:
        """The response that confirms the list of the client; None if it must be read."""
        if not self._sent or caches["etags"].get(self._key) != self._sent:
            return None
        response = HttpResponseNotModified(
            headers={"ETag": self._sent, "Cache-Control": "public, no-cache", "Vary": "Accept"}
        )
        patch_vary_headers(response, ["Accept-Encoding"])
        return response

    def store(self, etag: str) -> None:
        caches["etags"].set(self._key, etag)
