"""Public pages, cached in the memory of each process until something that they show changes.

The tables that these pages read renew a `ChangeToken` in the transaction of each change, so that the tokens, read in one
statement before a page is rendered, are part of its key. A page that was rendered before a change is not found after it.
Only time may pass unnoticed, for as long as `settings.CACHES` says.
"""

import hashlib
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from http import HTTPStatus

from django.core.cache import caches
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.http import http_date

from registry.core.http.internal_requests import is_internal

MAX_LENGTH = 100_000  # octets of a page that is cached
TOKENS = (
    "SELECT coalesce(string_agg(token::text, ' ' ORDER BY id), ''), max(changed_at) FROM core_changetoken"
)

View = Callable[..., HttpResponseBase]


def cached_until_changed(view: View) -> View:
    """Cache the pages of a view, if each table that they read renews the token of changes.

    Pages are cached for requests without cookies and without a query, and only if they can't contain a secret.
    """

    @wraps(view)
    def wrapper(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        if not _is_plain(request):
            return view(request, *args, **kwargs)
        tokens, changed_at = change_tokens()
        key = hashlib.sha256(f"{tokens} {request.path}".encode()).hexdigest()
        cached: HttpResponse | None = caches["pages"].get(key)
        if cached is not None:
            return cached
        response = view(request, *args, **kwargs)
        if changed_at is not None:
            response.headers.setdefault("Last-Modified", http_date(changed_at.timestamp()))
        if _is_cacheable(request, response):
            # The middleware adds it only where a session was asked for.
            patch_vary_headers(response, ["Cookie"])
            caches["pages"].set(key, response)
        return response

    return wrapper


def change_tokens() -> tuple[str, datetime | None]:
    """The tokens of all changes, and the time of the last one."""
    with connection.cursor() as cursor:
        cursor.execute(TOKENS)
        tokens, changed_at = cursor.fetchone()
    return tokens, changed_at


def _is_plain(request: HttpRequest) -> bool:
    """Whether the response depends on the path alone."""
    return not (
        request.COOKIES
        or request.META.get("QUERY_STRING")
        or "HX-Request" in request.headers
        or is_internal(request)
    )


def _is_cacheable(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether this is a page of moderate length, without a token against forged requests or a nonce for scripts."""
    if not isinstance(response, HttpResponse) or response.status_code != HTTPStatus.OK:
        return False
    has_secret = "CSRF_COOKIE" in request.META or hasattr(request, "_csp_nonce") or response.cookies
    return not has_secret and len(response.content) <= MAX_LENGTH
