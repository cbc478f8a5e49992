"""Middleware that turns error pages into problem documents: below /api/, and for programs that resolve URNs.

It also adds the headers that all responses of resolution have, with and without a view.
"""

from collections.abc import Callable
from http import HTTPStatus

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from registry.api.framework.problems import (
    BY_STATUS,
    INVALID_REQUEST,
    SERVER_ERROR,
    Problem,
    ProblemType,
    problem_from,
)
from registry.resolution.formats import prefers_error_page

NO_CACHE = "no-cache"
RESOLUTION = ("/resolve/", "/uri-res/")


class ProblemMiddleware:
    """Comes before all middleware that can fail, so that it sees the errors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._respond(request)
        return _negotiated(response) if is_of_resolution(request) else response

    def _respond(self, request: HttpRequest) -> HttpResponse:
        if not wants_problems(request):
            return self.get_response(request)
        try:
            request.get_host()  # if it is checked here, no error page is rendered
        except DisallowedHost:
            return _shared(_problem(INVALID_REQUEST, INVALID_REQUEST.status).response(request))
        response = self.get_response(request)
        is_page = response.get("Content-Type", "").startswith("text/html")
        if response.status_code < HTTPStatus.BAD_REQUEST or not is_page:
            return response
        return _as_problem(request, response)


def wants_problems(request: HttpRequest) -> bool:
    """Whether the client is a program: all of the API, and those that resolve URNs and do not ask for a page."""
    if is_of_resolution(request):
        return not prefers_error_page(request.headers.get("Accept", ""))
    return is_of_api(request)


def is_of_resolution(request: HttpRequest) -> bool:
    return request.path_info.startswith(RESOLUTION)


def is_of_api(request: HttpRequest) -> bool:
    return request.path_info == "/api" or request.path_info.startswith("/api/")


def _as_problem(request: HttpRequest, page: HttpResponse) -> HttpResponse:
    status = page.status_code
    general = SERVER_ERROR if status >= HTTPStatus.INTERNAL_SERVER_ERROR else INVALID_REQUEST
    refusal = getattr(page, "refusal", None)
    described = problem_from(refusal) if refusal else _problem(BY_STATUS.get(status, general), status)
    problem = described.response(request)
    for header in ("Allow", "Deprecation", "Link", "Retry-After", "Vary", "WWW-Authenticate"):
        if header in page:
            problem[header] = page[header]
    return _shared(problem)


def _problem(problem_type: ProblemType, status: int) -> Problem:
    return Problem(problem_type, problem_type.explanation, status=status)


def _negotiated(response: HttpResponse) -> HttpResponse:
    """A response to the resolution of a URN: it depends on Accept, and caches must ask again before they use it."""
    patch_vary_headers(response, ["Accept"])
    response.setdefault("Cache-Control", NO_CACHE)
    return response


def _shared(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"
    return response
