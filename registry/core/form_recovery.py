"""Words that arrive when nobody is signed in any more, or with an expired form: they are given back.

A person writes for an hour, the session ends, and the button leads to a page that knows nothing of it. That page
holds the whole form instead, to be sent again with one button, and shows its words; but only those that a page
of this site sent: no other site may put its own text on ours, nor have it sent from here.
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# Fields that nobody wrote.
NOT_TYPED = ("csrfmiddlewaretoken", "next")
MIN_LENGTH = 12


def resubmittable_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """The form that was refused, to be sent again as it was; none of one that holds a password."""
    if request.method != "POST" or not _is_from_here(request) or any(map(_is_secret, request.POST)):
        return []
    return [
        (name, str(value))
        for name, values in request.POST.lists()
        for value in values
        if name != "csrfmiddlewaretoken"
    ]


def recovered_texts_of(request: HttpRequest) -> list[tuple[str, str]]:
    """What a person wrote into the form that was refused, by field."""
    if request.method != "POST" or not _is_from_here(request):
        return []
    return [
        (name.replace("_", " ").capitalize(), text)
        for name, text in request.POST.items()
        if isinstance(text, str)
        and len(text) >= MIN_LENGTH
        and not name.startswith(NOT_TYPED)
        and not _is_secret(name)
    ]


def _is_secret(name: str) -> bool:
    return "password" in name


def _is_from_here(request: HttpRequest) -> bool:
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a form without a valid token (settings.CSRF_FAILURE_VIEW)."""
    return render(request, "403_csrf.html", _recovery_context(request), status=HTTPStatus.FORBIDDEN)


def session_expired(request: HttpRequest) -> HttpResponse | None:
    """The answer to a form of somebody who is signed in no more; None when it holds nothing."""
    context = _recovery_context(request)
    if not context["fields"]:
        return None
    return render(request, "session_expired.html", context, status=HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page for an address of nothing (urls.handler404), to which somebody may have sent a form: what was seen
    by its writer is seen no more by whoever signed in afterwards in the same browser.
    """
    return render(
        request, "404.html", {"recovered_texts": recovered_texts_of(request)}, status=HTTPStatus.NOT_FOUND
    )


def _recovery_context(request: HttpRequest) -> dict[str, list[tuple[str, str]]]:
    return {"fields": resubmittable_fields(request), "recovered_texts": recovered_texts_of(request)}
