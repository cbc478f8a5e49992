"""Conditional requests: ETags, 304 and 412 (RFC 9110, section 13), and the coding of a representation."""

import hashlib
import time
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import parse_http_date_safe
from rest_framework.response import Response

from registry.api.framework.compression import coding_for, compress
from registry.api.framework.problems import problem_from
from registry.core.exceptions import RegistryError

# Last-Modified counts in seconds. As long as a second change may fall into the same second, it is a weak
# validator; RFC 9110, section 8.8.2.2 allows a minute.
LAST_MODIFIED_TRUSTED_AFTER = 60


class StalePrecondition(RegistryError):
    """The record is not in the state that If-Match or If-Unmodified-Since asks for."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "It changed meanwhile"


def conditional(request: HttpRequest, response: Response) -> HttpResponseBase:
    """The response with its ETag, or 304 or 412 when the request's conditions ask for that."""
    response.render()
    if not response.content:  # an empty text is one as well; the REST framework has taken its type away
        renderer = response.accepted_renderer
        response["Content-Type"] = f"{renderer.media_type}; charset={renderer.charset}"
    # A resource may know its own, as a namespace does; the others' is over what they say.
    digest = response.get("ETag", "").strip('"') or hashlib.sha256(response.content).hexdigest()[:32]
    patch_vary_headers(response, ["Accept-Encoding"])
    coding = coding_for(request, len(response.content))
    response["ETag"] = etag = etag_of(digest, coding)
    response["Cache-Control"] = "public, no-cache"
    changed = parse_http_date_safe(response.get("Last-Modified", ""))
    answer = apply_preconditions(request, etag, response, changed)
    is_by_time = answer.status_code == HTTPStatus.NOT_MODIFIED and "If-None-Match" not in request.headers
    if is_by_time and changed is not None and time.time() - changed < LAST_MODIFIED_TRUSTED_AFTER:
        answer = response
    if coding and answer is response:
        response.content = b"".join(compress([response.content], coding))
        response["Content-Encoding"] = coding
    return answer


def apply_preconditions(
    request: HttpRequest, etag: str | None, response: HttpResponseBase, changed: int | None = None
) -> HttpResponseBase:
    """The response, or 304 or 412 when the request's conditions ask for that (RFC 9110, section 13)."""
    if changed is None:
        # A date is ignored where there is none to hold it against (section 13.1.4); Django would refuse.
        request.META.pop("HTTP_IF_UNMODIFIED_SINCE", None)
    # The response is handed back as it is, of whatever class.
    ask: Any = get_conditional_response
    answer: HttpResponseBase = ask(request, etag=etag, last_modified=changed, response=response)
    if answer.status_code == HTTPStatus.PRECONDITION_FAILED:
        changed_meanwhile = StalePrecondition("What is here is at another version than the request expects.")
        return problem_from(changed_meanwhile).response(request)
    return answer


def etag_of(digest: str, coding: str) -> str:
    """The strong ETag of a body in a coding: other octets, so another ETag (RFC 9110, section 8.8.3.3)."""
    return f'"{digest}-{coding}"' if coding else f'"{digest}"'
