"""Conditional requests: ETags, 304 and 412 responses (RFC 9110, Section 13), and compression.

The ETags of public lists are known to each process until something public changes. A list that a client has already is
confirmed with 304 after one query for the tokens of changes (`core.http.page_cache`). The tokens are read before the list: the
ETag of a newer list may be stored under older tokens, which no later request reads, and that of an older list never under
newer tokens.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from time import monotonic
from typing import Any, TypeVar

from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_http_date_safe
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import parse_number
from registry.api.framework.problems import problem_from
from registry.core.exceptions import RegistryError
from registry.core.http.conditional import apply_conditions, body_digest, body_etag, etag_of
from registry.core.http.negotiation import coding_for, compress
from registry.core.http.page_cache import change_tokens

# Other conditions than If-None-Match are evaluated with the list.
CONDITIONS = {"HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE"}
CHOOSING = ("HTTP_HOST", "HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING")
MAX_ETAGS = 10_000
MAX_AGE = 3600.0  # seconds: what changes with time alone is that late at most
# By the digest of all that a response depends on: its ETag, and when it was stored. A cache of Django would serialize them,
# which takes a quarter of the time of a 304 response.
_etags: dict[bytes, tuple[str, float]] = {}


Change = TypeVar("Change", bound=Callable[..., Response])
# An ETag of this API, weak or strong, and the part of it that names the coding.
ETAG = re.compile('(W/)?"([^",]*)"')
CODING = re.compile("-[a-z]+$")
LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


class StalePrecondition(RegistryError):
    """The record is not in the state that If-Match or If-Unmodified-Since requires."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "Precondition failed"


def conditional(request: HttpRequest, response: Response, *, is_compressed: bool = True) -> HttpResponseBase:
    """The response with its ETag, or a 304 or 412 response according to the conditions of the request.

    If it is not to be compressed, it is for a client that refuses an uncompressed one.
    """
    response.render()
    if not response.content:  # REST framework removes the media type of an empty text
        renderer = response.accepted_renderer
        response["Content-Type"] = f"{renderer.media_type}; charset={renderer.charset}"
    # Some views set a digest, such as that of a namespace; otherwise it is the digest of the body.
    digest = response.get("ETag", "").strip('"') or body_digest(response.content)
    patch_vary_headers(response, ["Accept-Encoding"])
    coding = coding_for(request, len(response.content) if is_compressed else 0)
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


def etag_of_data(data: Any) -> str:
    """The ETag of a record as JSON."""
    return body_etag(JSONRenderer().render(data))


def honouring_if_match(change: Change) -> Change:
    """Make a PUT, PATCH or DELETE conditional: with If-Match, it changes only the record that a GET would return with this ETag.

    Of two such requests with one ETag, the second gets 412. One without If-Match waits, too, so that it does not come between
    the check and the change of another. The ETag of the changed record is in the response.
    """

    @wraps(change)
    def wrapper(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        refusal: RegistryError | None = None
        with transaction.atomic():
            _lock(view, kwargs)
            if header := request.headers.get("If-Match", "").strip():
                _check_if_match(header, view.current_representation(request, *args, **kwargs).data)
            try:
                response = change(view, request, *args, **kwargs)
            except RegistryError as error:  # its action was undone; what it counted is committed
                refusal = error
        if refusal:
            raise refusal
        if response.status_code == HTTPStatus.OK:
            response["ETag"] = etag_of_data(response.data)
        return response

    return wrapper  # type: ignore[return-value]


def _lock(view: Any, parts: Mapping[str, str]) -> None:
    """Wait for other changes of the record through the API, and let later ones wait until the end of the transaction.

    `parts` are the numbers in its address. The address of a record of the user has none.
    """
    numbers = [parse_number(each) for each in parts.values()] or [view.user.pk]
    with connection.cursor() as cursor:
        cursor.execute(LOCK, [f"{type(view).__name__} {numbers}"])


def _check_if_match(header: str, current: Any) -> None:
    """Raise StalePrecondition unless the header has the ETag of the record, in whichever coding it was read, or is *."""
    sent = {CODING.sub("", digest) for weak, digest in ETAG.findall(header) if not weak}
    if header != "*" and etag_of_data(current).strip('"') not in sent:
        raise StalePrecondition("The record has changed since it had this ETag. Read it again.")


def sent_etag(environ: Mapping[str, str]) -> str:
    """The ETag in If-None-Match; "" without one. Weak ETags are compared like strong ones (RFC 9110, Section 13.1.2)."""
    return environ.get("HTTP_IF_NONE_MATCH", "").strip().removeprefix("W/")


class KnownETag:
    """The ETag of a list in one state of the registry, at an address, for the headers that choose the response."""

    def __init__(self, environ: Mapping[str, str], address: str, tokens: str) -> None:
        parts = (tokens, address, *(environ.get(name, "") for name in CHOOSING))
        self._key = hashlib.sha256("\n".join(parts).encode()).digest()

    def is_equal_to(self, etag: str) -> bool:
        known, stored_at = _etags.get(self._key, ("", 0.0))
        return bool(etag) and known == etag and monotonic() - stored_at < MAX_AGE

    def store(self, etag: str) -> None:
        if len(_etags) >= MAX_ETAGS:
            _etags.clear()
        _etags[self._key] = (etag, monotonic())


def known_etag(request: HttpRequest) -> KnownETag | None:
    """What is known before the list is read; None if the client does not ask whether its list is the newest one."""
    if "HTTP_IF_NONE_MATCH" not in request.META or not CONDITIONS.isdisjoint(request.META):
        return None
    tokens, _ = change_tokens()
    return KnownETag(request.META, request.get_full_path(), tokens)


def not_modified(etag: str) -> HttpResponse:
    """The response that confirms the list of the client."""
    response = HttpResponseNotModified(
        headers={"ETag": etag, "Cache-Control": "public, no-cache", "Vary": "Accept"}
    )
    patch_vary_headers(response, ["Accept-Encoding"])
    return response
