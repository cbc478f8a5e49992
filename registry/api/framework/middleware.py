"""Middleware that turns error pages into problem documents: in the API, and for programs everywhere else.

It also adds the headers of errors, and those that all responses of resolution have, with and without a view.
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
from registry.core.http.negotiation import PAGE, preferred
from registry.resolution.formats import FORMATS_OF_PROGRAMS, prefers_error_page

NO_CACHE = "no-cache"
DATA = "/api/v1/"
RESOLUTION = ("/resolve/", "/uri-res/")
FOR_PROGRAMS = ("/api/", *RESOLUTION)


class ProblemMiddleware:
    """Comes before all middleware that can fail, so that it sees the errors."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._respond(request)
        if request.path_info.startswith(RESOLUTION):
            response.setdefault("Cache-Control", NO_CACHE)  # caches must ask again before they use it
        elif response.status_code < HTTPStatus.BAD_REQUEST:
            return response
        patch_vary_headers(response, ["Accept"])
        return response

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
    """Whether errors are problem documents: in the API, and for clients that prefer them to pages.

    Where programs are expected, they are also for clients that do not ask for a page; elsewhere, only for those that ask
    for a format of programs.
    """
    accept = request.headers.get("Accept", "")
    if f"{request.path_info}/".startswith(DATA):
        return True
    if f"{request.path_info}/".startswith(FOR_PROGRAMS):
        return not prefers_error_page(accept)
    return preferred(accept, (PAGE, *FORMATS_OF_PROGRAMS)) not in (PAGE, None)


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


def _shared(response: HttpResponse) -> HttpResponse:
    response["Access-Control-Allow-Origin"] = "*"
    return response
