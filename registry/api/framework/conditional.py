"""Conditional requests: ETags, 304 and 412 responses (RFC 9110, Section 13), and compression."""

import hashlib
from http import HTTPStatus

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_http_date_safe
from rest_framework.response import Response

from registry.api.framework.problems import problem_from
from registry.core.exceptions import RegistryError
from registry.core.http.compression import coding_for, compress
from registry.core.http.conditional import apply_conditions, etag_of


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
