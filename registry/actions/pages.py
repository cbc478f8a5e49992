"""Pages of actions: one with its effect, its form and its button, or a page of the subject with a form for each action.

A page that needs more has a view of its own, and calls the same actions.
"""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NoReturn, Protocol

from django.db.models import Model
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import URLPattern, path

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import Action, obstacles, offered
from registry.actions.forms import ActionForm
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.form_views import (
    FormPage,
    form_page,
    get_or_post,
    lead_to,
    posted,
    process_form,
    take_action,
    typed_texts_of,
)
from registry.core.http.request_limits import accepts_body

# The field that names the action, on a page with several.
FIELD = "decision"


Respond = Callable[[SignedInRequest, Any], HttpResponse]


class Show(Protocol):
    """The context of a page beside `form`, `action` and the subject."""

    def __call__(self, request: SignedInRequest, form: ActionForm) -> dict[str, Any]: ...


def _named(subject: Model) -> dict[str, Any]:
    """The subject, also by the name of its model, as generic views of Django name it; but `user` is the reader of a page."""
    name = str(subject._meta.model_name)
    return {"subject": subject} | ({name: subject} if name != "user" else {})


def action_page(
    action: Action[Any],
    find: Callable[..., Any],
    *,
    template: str = "actions/page.html",
    show: Show = lambda request, form: {},
    initial: Callable[[Any], dict[str, Any]] = lambda subject: {},
    form_class: type[ActionForm] = ActionForm,
    instead: Callable[[SignedInRequest, Any], HttpResponse | None] = lambda *_: None,
    to: Callable[[Any], str] | None = None,
    respond: Respond | None = None,
    only_post: bool = False,
) -> Callable[..., HttpResponse]:
    """The view of an action on what `find` returns for the person and the parts of the address.

    `initial` makes the values of fields from the subject. For `to` and `respond` see `process`. `instead` may return another
    response for a person who is permitted. `only_post`: the page itself may be read without a recent sign-in.
    """

    def view(request: SignedInRequest, **address: Any) -> HttpResponse:
        subject = find(request.user, **address)
        action.check_permission(request.user, subject)
        if other := instead(request, subject):
            return other
        form = form_class(
            posted(request),
            action=action,
            subject=subject,
            by=request.user,
            address=address,
            initial=initial(subject),
        )
        if not form.is_bound:
            form.check_open()
        context = {"form": form, "action": action, **_named(subject), **show(request, form)}
        return process(request, form, form_page(request, template, context), to=to, respond=respond)

    guarded = recent_sign_in_for(action, only_post=only_post)(view)
    return accepts_body(action.body_size)(get_or_post(guarded))


def action_paths(
    route: str, actions: Mapping[str, Action[Any]], find: Callable[..., Any], **more: Any
) -> list[URLPattern]:
    """The addresses of actions on a subject, by their parts below `route`. A URL has the name of its action.

    For `more` see `action_page`.
    """
    return [
        path(f"{route}{part}/", action_page(each, find, **more), name=each.name)
        for part, each in actions.items()
    ]


def process(
    request: SignedInRequest,
    form: ActionForm,
    page: FormPage,
    *,
    to: Callable[[Any], str] | None = None,
    respond: Respond | None = None,
) -> HttpResponse:
    """Show an unbound form; carry out its action if it is bound, and lead to the page of the result, or to the address that
    `to` makes of it. If the result is shown only once, `respond` shows it.
    """

    def perform() -> HttpResponse:
        result = form.perform()
        if respond is not None:
            return respond(request, result)
        return lead_to(request, form.action.success_message(result), to(result) if to else result)

    def shown(refusal: RegistryError | None = None) -> HttpResponse:
        if refusal is None:
            return page()
        form.refresh_stamps(refusal)
        return page(form.show_refusal(refusal))

    return process_form(form, perform, shown)


class UnknownDecision(RegistryError):
    """The form that was sent names no action of its page."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The form was not accepted"


def decisions_page(
    actions: Mapping[str, Action[Any]],
    find: Callable[..., Any],
    template: str,
    *,
    show: Callable[[SignedInRequest, Any], dict[str, Any]] = lambda request, subject: {},
    to: Callable[[User, Any], str] = lambda user, subject: str(subject.get_absolute_url()),
) -> Callable[..., HttpResponse]:
    """The view of what `find` returns for the person and the parts of the address, with the forms of the actions on it that
    the person may take now, in the order of the buttons (`actions/_decisions.html`).

    `actions` has them by the value of the field `decision`, which a form sends; if there is only one, it need not. `show` makes
    more of the context from the subject. `to` makes the address to which an action leads, from the person and the subject as
    it was before. After a refusal, the page shows the subject as it is then; if it is gone, the refusal is what is said. The
    page may be read without a recent sign-in.
    """
    only = next(iter(actions)) if len(actions) == 1 else ""

    def view(request: SignedInRequest, **address: Any) -> HttpResponse:
        subject, sent = find(request.user, **address), posted(request)
        name = "" if sent is None else str(sent.get(FIELD, only))
        forms = {
            part: ActionForm(
                sent if part == name else None,
                action=each,
                subject=subject,
                by=request.user,
                auto_id=f"{part}_%s",
            )
            for part, each in actions.items()
        }

        def found_again(refusal: RegistryError) -> Any:
            try:
                return find(request.user, **address)
            except (NotPermitted, Http404):
                raise NotPermitted(str(refusal)) from refusal

        def page(refusal: RegistryError | None = None) -> HttpResponse:
            current = subject if refusal is None else found_again(refusal)
            shown = {part: forms[part] for part in offered(actions, request.user, current)}
            context = {
                "decisions": shown,
                "obstacles": obstacles(actions.values(), request.user, current),
                "recovered_texts": [] if name in shown else _texts_sent(request, forms.get(name)),
                "refusal": refusal,
            }
            return render(request, template, _named(current) | show(request, current) | context)

        if sent is None:
            return page()
        # Before the form says what is wrong with it.
        _check_any_permitted(
            request.user, subject, [actions[name]] if name in actions else [*actions.values()]
        )
        if form := forms.get(name):
            return process(request, form, page, to=lambda _: to(request.user, subject))
        return take_action(_refuse_unknown, page)

    guarded = recent_sign_in_for(*actions.values(), only_post=True)(view)
    return accepts_body(max(each.body_size for each in actions.values()))(get_or_post(guarded))


def _check_any_permitted(person: User, subject: Any, actions: Sequence[Action[Any]]) -> None:
    """Raise NotPermitted unless the person may take one of the actions in some state of the subject."""
    if not any(each.permission(person, subject) for each in actions):
        actions[0].check_permission(person, subject)


def _texts_sent(request: SignedInRequest, form: ActionForm | None) -> list[tuple[str, str]]:
    """The texts that were typed into a form that is not offered, or that names no action."""
    return typed_texts_of(request) if form is None else list(form.entered_texts())


def _refuse_unknown() -> NoReturn:
    raise UnknownDecision(
        "The form does not say which of the actions on this page to take. Press one of the buttons."
    )
