"""Words that arrive when nobody is signed in any more, or with an expired form: they are given back.

A person writes for an hour, the session ends, and the button leads to a page that knows nothing of it. The
words are shown again to be copied, but only those that a page of this site sent: no other site may put its
own text on ours.
"""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

# Fields that nobody wrote, or that nobody should see again.
UNSPOKEN = ("csrfmiddlewaretoken", "password", "next")
LONG_ENOUGH = 12


def words_of(request: HttpRequest) -> list[tuple[str, str]]:
    """What a person wrote into the form that was refused, by field."""
    if request.method != "POST" or not _is_from_here(request):
        return []
    return [
        (name.replace("_", " ").capitalize(), text)
        for name, text in request.POST.items()
        if isinstance(text, str) and len(text) >= LONG_ENOUGH and not name.startswith(UNSPOKEN)
    ]


def _is_from_here(request: HttpRequest) -> bool:
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The answer to a form without a valid token (settings.CSRF_FAILURE_VIEW)."""
    context = {"unsent": words_of(request)}
    return render(request, "403_csrf.html", context, status=HTTPStatus.FORBIDDEN)


def signed_out(request: HttpRequest) -> HttpResponse | None:
    """The answer to a form of somebody who is signed in no more; None when nothing was written into it."""
    unsent = words_of(request)
    if not unsent:
        return None
    return render(request, "signed_out.html", {"unsent": unsent}, status=HTTPStatus.FORBIDDEN)
