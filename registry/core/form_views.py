"""Views with forms, and the recovery of what was typed when a session has ended.

When a session has ended, the error page contains the submitted form with a button to submit it again, and shows its texts. This applies
only to forms sent from a page of this site, so that other sites cannot inject text or trigger a submission.

A form with errors is refused like an action that breaks a rule: with a RegistryError, which `base.html` shows on every page
that has it as `refusal` in its context.
"""

import re
from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from itertools import islice
from typing import Any, Protocol, cast
from urllib.parse import urldefrag

from django.contrib import messages
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import redirect, render, resolve_url
from django.views.decorators.http import require_http_methods

from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import MAX_LISTED

# Fields that users do not fill in.
GENERATED_FIELDS = ("csrfmiddlewaretoken", "next", "at", "kept_texts")
MIN_LENGTH = 12
# The number of a form whose texts the browser keeps, and the part of the page from which a form was sent.
KEPT_TEXTS = re.compile(r"[0-9a-f]{32}")
PART_OF_PAGE = re.compile(r"[a-z][a-z0-9_-]{0,63}")


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
        and name not in GENERATED_FIELDS
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


get_or_post = require_http_methods(["GET", "HEAD", "POST"])


class FormPage(Protocol):
    """Renders the page of a form, with the reason if it was refused. `take_action` sets the status and the headers."""

    def __call__(self, refusal: RegistryError | None = None) -> HttpResponse: ...


class FormInvalid(RegistryError):
    """A form has errors. `errors` names the first fields that have some, with the reason of each.

    The fields have the names with which the form was sent. What concerns the whole form is the `detail`.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The form was not accepted"

    def __init__(self, form: BaseForm) -> None:
        super().__init__(" ".join(map(str, form.non_field_errors())) or "Correct the fields that are marked.")
        self.form = form
        faults = (
            {"field": form.add_prefix(name), "detail": str(fault)}
            for name in form.fields
            for fault in form.errors.get(name, ())
        )
        self.members = {"errors": list(islice(faults, MAX_LISTED))}


def posted(request: HttpRequest) -> QueryDict | None:
    """The submitted fields, which may be empty; None unless the request is a POST."""
    return request.POST if request.method == "POST" else None


def form_page(request: HttpRequest, template: str, context: Mapping[str, Any]) -> FormPage:
    """A page that renders `template` with `context` and the `refusal`."""

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        return render(request, template, {**context, "refusal": refusal})

    return page


def process_form(form: BaseForm, action: Callable[[], HttpResponse], page: FormPage) -> HttpResponse:
    """Show an unbound form; submit a valid one to `action`, which responds. `page` shows why it was refused."""

    def submit() -> HttpResponse:
        if not form.is_valid():
            raise FormInvalid(form)
        return action()

    return take_action(submit, page) if form.is_bound else page()


def take_action(action: Callable[[], HttpResponse], page: FormPage) -> HttpResponse:
    """The response of `action`, or if the registry refused it, `page` with the reason.

    Raises NotPermitted, which is not shown on a page.
    """
    try:
        return action()
    except NotPermitted:
        raise
    except RegistryError as refusal:
        return refused(page(refusal), refusal)


def lead_to(request: HttpRequest, message: str, to: Any, *args: Any) -> HttpResponse:
    """The response to a form that was accepted: a redirect to an address, an object or a named page, which says the message.

    The message stands at the part of the page that the form names as `at`, or else at that to which the address leads
    (`outcome.js`), and tells the browser whose texts it need no longer keep (`kept_texts.js`).
    """
    address = resolve_url(to, *args)
    if PART_OF_PAGE.fullmatch(at := request.POST.get("at", "")):
        address = f"{urldefrag(address).url}#{at}"
    part, kept = urldefrag(address).fragment, request.POST.get("kept_texts", "")
    outcome = f"{part}|{kept if KEPT_TEXTS.fullmatch(kept) else ''}"
    messages.success(request, message, extra_tags=outcome if outcome != "|" else "")
    return redirect(address)


def is_in_background(request: HttpRequest) -> bool:
    """Whether the page saves by itself, with htmx."""
    return "HX-Request" in request.headers


def with_draft_status(response: HttpResponse) -> HttpResponse:
    """The response to a page that saves by itself, with the header that tells its script (`draft.js`) whether it was saved."""
    response["Draft-Status"] = "saved" if response.status_code == HTTPStatus.OK else "not saved"
    return response


def showing_errors(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a class-based view with a form, such as those of django-allauth, to refuse a form as `process_form` does."""

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = view(request, *args, **kwargs)
        context = getattr(response, "context_data", None) or {}
        forms = (each for each in context.values() if isinstance(each, BaseForm))
        if request.method != "POST" or not (form := next((each for each in forms if each.errors), None)):
            return response
        refusal = context["refusal"] = FormInvalid(form)
        return refused(response, refusal)

    return page


def refused(response: HttpResponse, refusal: RegistryError) -> HttpResponse:
    """The response to a refused request, with the status and the headers of the refusal. A redirect keeps its status.

    For clients that prefer JSON, `registry.api.framework.middleware` makes a problem document of the `refusal`.
    """
    response.refusal = refusal  # type: ignore[attr-defined]
    if response.status_code == HTTPStatus.OK:
        response.status_code = refusal.status
    for name, value in refusal.headers.items():
        response[name] = value
    return response
