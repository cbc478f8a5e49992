"""Conditional responses (RFC 9110, Section 13) with strong ETags, for the pages and for the API."""

import hashlib
import time
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

# Last-Modified has a resolution of one second. It is a weak validator while another change may fall into the same
# second; RFC 9110, Section 8.8.2.2, suggests a minute.
LAST_MODIFIED_TRUSTED_AFTER = 60


def etag_of(digest: str, coding: str) -> str:
    """The strong ETag of a body in a coding; each coding needs a different one (RFC 9110, Section 8.8.3.3)."""
    return f'"{digest}-{coding}"' if coding else f'"{digest}"'


def body_digest(body: bytes) -> str:
    """The digest in the ETag of a response that has no other one, such as that of a stored row."""
    return hashlib.sha256(body).hexdigest()[:32]


def body_etag(body: bytes, coding: str = "") -> str:
    """The strong ETag of a response, from its body before it is coded."""
    return etag_of(body_digest(body), coding)


def apply_conditions(
    request: HttpRequest, response: HttpResponseBase, etag: str | None, last_modified: int | None = None
) -> HttpResponseBase:
    """The response, or 304 or 412 if the conditions of the request ask for that. `last_modified` is in seconds."""
    if last_modified is None:
        # Without a date, the condition is ignored (RFC 9110, Section 13.1.4); Django would refuse the request.
        request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)
    evaluate: Any = get_conditional_response  # accepts responses of every class
    result: HttpResponseBase = evaluate(request, etag=etag, last_modified=last_modified, response=response)
    is_by_time = result.status_code == HTTPStatus.NOT_MODIFIED and "If-None-Match" not in request.headers
    if is_by_time and last_modified is not None and time.time() - last_modified < LAST_MODIFIED_TRUSTED_AFTER:
        return response
    return result
