"""Pages that answer while somebody types: htmx fetches the part of the page that changes, at the page's address."""

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
    """`part` alone for htmx, else the whole `page`, which includes it.

    The address bar then shows the address of that page, without the parameters that were left empty.
    """
    headers = request.headers
    is_typing = "HX-Request" in headers and "HX-History-Restore-Request" not in headers
    response = render(request, part if is_typing else page, dict(context), status=status)
    patch_vary_headers(response, ["HX-Request"])
    if is_typing:
        asked = urlencode([(name, value) for name, value in request.GET.items() if value])
        response["HX-Replace-Url"] = f"{request.path}?{asked}" if asked else request.path
    return response
