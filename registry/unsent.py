"""Words that arrive when nobody is signed in any more, or with an expired form: they are given back.

A person writes for an hour, the session ends, and the button leads to a page that knows nothing of it. That page
holds the whole form instead, to be sent again with one button, and shows its words; but only those that a page
of this site sent: no other site may put its own text on ours, nor have it sent from here.
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# Fields that nobody wrote.
UNSPOKEN = ("csrfmiddlewaretoken", "next")
LONG_ENOUGH = 12


def fields_of(request: HttpRequest) -> list[tuple[str, str]]:
    """The form that was refused, to be sent again as it was; none of one that holds a password."""
    if request.method != "POST" or not _is_from_here(request) or any(map(_is_secret, request.POST)):
        return []
    return [
        (name, str(value))
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]


def words_of(request: HttpRequest) -> list[tuple[str, str]]:
    """What a person wrote into the form that was refused, by field."""
    if request.method != "POST" or not _is_from_here(request):
        return []
    return [
        (name.replace("_", " ").capitalize(), text)
        for name, text in request.POST.items()
        if isinstance(text, str)
        and len(text) >= LONG_ENOUGH
        and not name.startswith(UNSPOKEN)
        and not _is_secret(name)
    ]


def _is_secret(name: str) -> bool:
    return "password" in name


def _is_from_here(request: HttpRequest) -> bool:
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a form without a valid token (settings.CSRF_FAILURE_VIEW)."""
    return render(request, "403_csrf.html", _given_back(request), status=HTTPStatus.FORBIDDEN)


def signed_out(request: HttpRequest) -> HttpResponse | None:
    """The answer to a form of somebody who is signed in no more; None when it holds nothing."""
    given_back = _given_back(request)
    if not given_back["fields"]:
        return None
    return render(request, "signed_out.html", given_back, status=HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for an address of nothing (urls.handler404), to which somebody may have sent a form: what was seen
    by its writer is seen no more by whoever signed in afterwards in the same browser.
    """
    return render(request, "404.html", {"unsent": words_of(request)}, status=HTTPStatus.NOT_FOUND)


def _given_back(request: HttpRequest) -> dict[str, list[tuple[str, str]]]:
    return {"fields": fields_of(request), "unsent": words_of(request)}
