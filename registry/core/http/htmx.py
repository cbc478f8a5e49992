"""Partial rendering for htmx, which requests the changed part of a page at the URL of the page."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def render_page_or_partial(
    request: HttpRequest, page: str, part: str, context: Mapping[str, Any], *, status: int = HTTPStatus.OK
) -> HttpResponse:
    """Render only `part` for htmx, otherwise the whole `page`, which includes it.

    htmx then sets the URL in the address bar, without empty parameters.
    """
    headers = request.headers
    is_typing = "HX-Request" in headers and "HX-History-Restore-Request" not in headers
    response = render(request, part if is_typing else page, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    if is_typing:
        query = urlencode([(name, value) for name, value in request.GET.items() if value])
        response["HX-Replace-Url"] = f"{request.path}?{query}" if query else request.path
    return response
