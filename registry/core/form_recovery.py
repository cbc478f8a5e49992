"""Recovery of form input that is submitted after the session or the form has expired.

The error page contains the submitted form with a button to submit it again, and shows its texts. This applies
only to forms sent from a page of this site, so that other sites cannot inject text or trigger a submission.
"""

import re
from http import HTTPStatus
from typing import cast

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render

# Fields that users do not fill in.
GENERATED_FIELDS = ("csrfmiddlewaretoken", "next")
MIN_LENGTH = 12


def resubmittable_fields(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the fields of the rejected form to submit again; none if the form contains a password."""
    if request.method != "POST" or not _is_from_here(request) or any(map(_is_secret, _form_of(request))):
        return []
    return submitted_fields(request)


def submitted_fields(request: HttpRequest, *left_out: str) -> list[tuple[str, str]]:
    """Return the fields of the form, to be submitted again, except for the CSRF token and those `left_out`."""
    left_out = ("csrfmiddlewaretoken", *left_out)
    return [
        (name, str(value))
        for name, values in request.POST.lists()
        for value in values
        if name not in left_out
    ]


def recovered_texts_of(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the texts that the user entered in the rejected form, by field."""
    return typed_texts_of(request) if request.method == "POST" and _is_from_here(request) else []


def typed_texts_of(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the texts of a form that passed the CSRF check, by field."""
    return [
        (_label(name), text)
        for name, text in _form_of(request).items()
        if isinstance(text, str)
        and len(text) >= MIN_LENGTH
        and not name.startswith(GENERATED_FIELDS)
        and not _is_secret(name)
    ]


def _form_of(request: HttpRequest) -> QueryDict:
    """The submitted fields; none if they cannot be read. An error here would replace the error page."""
    try:
        return request.POST
    except (BadRequest, MultiPartParserError, SuspiciousOperation, UnreadablePostError):
        return QueryDict()


def _label(name: str) -> str:
    """A label for a field: "points-0-text" is "Points 1: text"."""
    label = re.sub(r"-(\d+)-", lambda row: f" {int(row[1]) + 1}: ", name)
    return label.replace("_", " ").capitalize()


def _is_secret(name: str) -> bool:
    return "password" in name


def _is_from_here(request: HttpRequest) -> bool:
    return request.headers.get("Origin") == f"{request.scheme}://{request.get_host()}"


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Return the response to a form without a valid CSRF token (settings.CSRF_FAILURE_VIEW)."""
    return render(request, "403_csrf.html", _recovery_context(request), status=HTTPStatus.FORBIDDEN)


def session_expired(request: HttpRequest) -> HttpResponse | None:
    """Return the response to a form of a user who is no longer signed in, None if it has no texts."""
    context = _recovery_context(request)
    if not context["fields"]:
        return None
    return render(request, "session_expired.html", context, status=HTTPStatus.FORBIDDEN)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return the 404 page (urls.handler404), with the texts of a submitted form.

    This happens if another user has signed in in the same browser, and cannot see the page of the form.
    """
    return render(
        request, "404.html", {"recovered_texts": recovered_texts_of(request)}, status=HTTPStatus.NOT_FOUND
    )


def too_many_requests(request: HttpRequest) -> HttpResponse:
    """Return the 429 page of the rate limits of django-allauth (urls.handler429)."""
    context = {"recovered_texts": recovered_texts_of(request)}
    response = render(request, "429.html", context, status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = "60"
    return response


def _recovery_context(request: HttpRequest) -> dict[str, list[tuple[str, str]]]:
    return {"fields": resubmittable_fields(request), "recovered_texts": recovered_texts_of(request)}


def with_values(posted: object, **values: object) -> QueryDict:
    """The posted fields, with some values replaced."""
    changed = cast("QueryDict", posted).copy()
    for name, value in values.items():
        changed[name] = str(value)
    return changed
