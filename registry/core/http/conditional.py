"""Conditional responses (RFC 9110, Section 13) with strong ETags, for the pages and for the API."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response


def etag_of(digest: str, coding: str) -> str:
    """The strong ETag of a body in a coding; each coding needs a different one (RFC 9110, Section 8.8.3.3)."""
    return f'"{digest}-{coding}"' if coding else f'"{digest}"'


def apply_conditions(
    request: HttpRequest, response: HttpResponseBase, etag: str | None, last_modified: int | None = None
) -> HttpResponseBase:
    """The response, or 304 or 412 if the conditions of the request ask for that. `last_modified` is in seconds."""
    if last_modified is None:
        # Without a date, the condition is ignored (RFC 9110, Section 13.1.4); Django would refuse the request.
        request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)
    evaluate: Any = get_conditional_response  # accepts responses of every class
    result: HttpResponseBase = evaluate(request, etag=etag, last_modified=last_modified, response=response)
    return result
