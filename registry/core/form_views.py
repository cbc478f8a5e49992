"""Shared steps of views with a form: show it, validate it, run the action, and show why it was refused.

A form with errors is refused like an action that breaks a rule: with a RegistryError, which `base.html` shows on every page
that has it as `refusal` in its context.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from http import HTTPStatus
from itertools import islice
from typing import Any, Protocol

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_http_methods

from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.shortening import MAX_LISTED

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
