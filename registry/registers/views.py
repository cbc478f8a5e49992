"""Pages of registers: the public page, its earlier versions, its settings, and requests for entries with their discussion."""

from collections.abc import Callable, Mapping
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName, User
from registry.actions.declarations import Action, Person, obstacles, offered
from registry.actions.forms import ActionForm
from registry.actions.pages import Show, action_page, decisions_page
from registry.core.exceptions import RegistryError
from registry.core.form_views import lead_to
from registry.core.http.page_cache import cached_until_changed
from registry.core.pagination import Keyset
from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from registry.namespaces.views import find_for_action
from registry.registers.actions import registers as actions
from registry.registers.actions.changes import ON_REQUEST as ON_CHANGE
from registry.registers.actions.changes import REVISE_CHANGE
from registry.registers.actions.fields import ACTIONS as FIELD_ACTIONS
from registry.registers.actions.fields import DECLARE_FIELDS
from registry.registers.actions.lists import ACTIONS as LIST_ACTIONS
from registry.registers.actions.lists import WRITE_ENTRIES
from registry.registers.actions.requests import (
    ACCEPT_REQUEST,
    ON_PAGE,
    REFUSE_REQUEST,
    REQUEST_ENTRY,
    REVISE_REQUEST,
    WITH_PAGE,
)
from registry.registers.changes import changed_content
from registry.registers.conditions import faults_of
from registry.registers.entries import check_label
from registry.registers.forms import ChangeForm, DeclareFieldsForm, ValuesForm, values_for_form
from registry.registers.lists import plan_list
from registry.registers.models import UNDECIDED, Entry, EntryRequest, Register, Reviewer
from registry.registers.permissions import holds, may_review
from registry.registers.policies import TAKE_ENTRIES, TAKE_REQUESTS, Policy
from registry.registers.subjects import find_register, get_register, get_request
from registry.subnamespaces.differences import show_difference
from registry.subnamespaces.models import ListVersion, Status

NEWEST = 10  # entries on the page of a register
PAGE = 100  # requests, comments on one, or versions of a register
OLDEST_FIRST, NEWEST_FIRST, NEWEST_VERSION_FIRST = Keyset("pk"), Keyset("-pk"), Keyset("-version")
# The actions on a register that its page links to, by the parts of their addresses.
LINKS = {
    "entries": actions.REGISTER_ENTRY,
    **LIST_ACTIONS,
    "change": actions.CHANGE_REGISTER,
    **FIELD_ACTIONS,
    "suspend": actions.SUSPEND_REGISTER,
    "resume": actions.RESUME_REGISTER,
}
LIST_PAGE, FIELDS_PAGE, REVISE_PAGE = "registers/list.html", "registers/fields.html", "registers/revise.html"
# What a change says that is judged before its author is asked.
ARGUMENTS_OF_CONTENT = ("title", "reference", "fields", "status", "successor")
REVIEWERS = {"name": actions.NAME_REVIEWER, "remove": actions.REMOVE_REVIEWER}


@login_not_required
@require_safe
@cached_until_changed
@redirect_to_lower_case
def register(request: HttpRequest, nid: str, entry: int | None = None) -> HttpResponse:
    """A register: its policy, what people should know, and what the reader can do."""
    found = get_register(get_namespace(nid), entry)
    reader = request.user
    context = {
        "register": found,
        "namespace": found.namespace,
        "terms": found.terms,
        "declared": found.declared,
        "version": found.namespace.subnamespace_list_versions.last(),
        **_newest_entries(found),
        "takes_requests": REQUEST_ENTRY.is_open(found),
        "faults": faults_of(found),
        "feed": reverse(f"publication:{'register' if entry else 'namespace'}_feed", kwargs=found.address),
        "takes_entries": found.policy in TAKE_ENTRIES,
        "actions": offered(LINKS, reader, found),
        "holds": holds(reader, found),
        **(_requests(reader, found, request.GET) if isinstance(reader, User) else {}),
    }
    return render(request, "registers/register.html", context)


@login_not_required
@require_safe
@cached_until_changed
@redirect_to_lower_case
def versions(request: HttpRequest, nid: str, entry: int | None = None) -> HttpResponse:
    """The policy and the texts that the register had before, the newest first."""
    found = get_register(get_namespace(nid), entry)
    page = NEWEST_VERSION_FIRST.page(found.replaced.all(), request.GET.get("after", ""), PAGE)
    context = {"register": found, "namespace": found.namespace, "page": page}
    return render(request, "registers/versions.html", context)


def _newest_entries(register: Register) -> dict[str, Any]:
    """The sub-namespaces of the newest entries, and whether there are older ones."""
    entries = register.entries.select_related("subnamespace").order_by("-pk")[: NEWEST + 1]
    found = [each.subnamespace for each in entries]
    return {"newest": found[:NEWEST], "has_older": len(found) > NEWEST}


def _requests(reader: User, register: Register, chosen: Mapping[str, str]) -> dict[str, Any]:
    """A page of the undecided requests, or with `requests=decided` of the others, for those who see the requests of others, and
    the reader's newest own ones.
    """
    requests, after = register.requests.select_related("requested_by"), chosen.get("after", "")
    sees_all = may_review(reader, register) or RoleName.ADMINISTRATOR in reader.roles
    shows_requests = sees_all and (register.policy in TAKE_REQUESTS or register.requests.exists())
    are_decided = chosen.get("requests") == "decided"
    decided = requests.exclude(state__in=UNDECIDED)
    order, shown = (NEWEST_FIRST, decided) if are_decided else (OLDEST_FIRST, requests.undecided())
    return {
        "obstacles": obstacles([REQUEST_ENTRY], reader, register),
        "may_decide": may_review(reader, register),
        "shows_requests": shows_requests,
        "are_decided": are_decided,
        "has_decided": shows_requests and (are_decided or decided.exists()),
        "page": order.page(shown, after, PAGE) if shows_requests else None,
        "own": requests.filter(requested_by=reader).order_by("-pk")[:PAGE],
    }


def _find(user: Person, nid: str, entry: int | None = None, **_: Any) -> Register:
    return get_register(find_for_action(user, nid), entry)


def _find_request(user: Person, nid: str, pk: int, entry: int | None = None) -> EntryRequest:
    return get_request(user, _find(user, nid, entry), pk)


def show_policies(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    """The policies. With requests that wait, they say what becomes of them."""
    register = form.subject if isinstance(form.subject, Register) else None
    return {"policies": Policy, "undecided": register.requests.undecided().count() if register else 0}


def _values(*names: str) -> Any:
    return lambda subject: {name: getattr(subject, name) for name in names}


def _back_to_register(request: SignedInRequest, version: ListVersion) -> HttpResponse:
    """Lead to the page of the register whose entries were written: a version of the list does not name it."""
    return lead_to(
        request, WRITE_ENTRIES.success_message(version), request.path.removesuffix("entries/import/")
    )


def _about(register: Register) -> dict[str, Any]:
    return {"register": register, "namespace": register.namespace}


open_page = action_page(
    actions.OPEN_REGISTER,
    find_for_action,
    template="registers/open.html",
    show=show_policies,
)
change = action_page(
    actions.CHANGE_REGISTER,
    _find,
    template="registers/change.html",
    show=show_policies,
    initial=_values("title", "guidance"),
)
suspend = action_page(actions.SUSPEND_REGISTER, _find, template="registers/on_register.html")
resume = action_page(actions.RESUME_REGISTER, _find, template="registers/on_register.html")
enter = action_page(actions.REGISTER_ENTRY, _find, template="registers/enter.html", form_class=ValuesForm)


@require_safe
def check_label_page(request: SignedInRequest, nid: str, entry: int | None = None) -> HttpResponse:
    """For htmx, what stands against a label; otherwise, redirect to the page of the register."""
    found, label, fault = _find(request.user, nid, entry), request.GET.get("label", ""), ""
    if "HX-Request" not in request.headers:
        return redirect(found.get_absolute_url())
    try:
        label = check_label(found, label) if label.strip() else ""
    except RegistryError as refusal:
        fault = str(refusal)
    return render(request, "registers/_label_check.html", {"register": found, "label": label, "fault": fault})


def _more_rows(request: SignedInRequest, register: Register) -> HttpResponse | None:
    """The page of the fields with more empty rows, if they were asked for, and with all that was typed."""
    if request.method != "POST" or "more" not in request.POST:
        return None
    form = DeclareFieldsForm(request.POST, action=DECLARE_FIELDS, subject=register, by=request.user)
    form.add_rows()
    context = {"form": form, "action": DECLARE_FIELDS, "subject": register, "register": register}
    return render(request, FIELDS_PAGE, context)


declare_fields = action_page(
    DECLARE_FIELDS, _find, template=FIELDS_PAGE, form_class=DeclareFieldsForm, instead=_more_rows
)
write_list = action_page(
    WRITE_ENTRIES,
    _find,
    template=LIST_PAGE,
    show=lambda request, form: _about(form.subject),
    instead=show_difference(WRITE_ENTRIES, LIST_PAGE, plan_list, "document", "list_format", context=_about),
    respond=_back_to_register,
)
request_page = action_page(
    REQUEST_ENTRY,
    _find,
    template="registers/ask.html",
    show=lambda request, form: {"obstacles": obstacles([REQUEST_ENTRY], request.user, form.subject)},
    form_class=ValuesForm,
)


def _show_as_it_is(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    """The request as it is now, and the newest comment of others: for its author, mostly what a reviewer asks for."""
    entry_request = form.subject
    comments = entry_request.comments.exclude(author=request.user).select_related("author")
    return {
        "entry_request": entry_request,
        "register": entry_request.register,
        "namespace": entry_request.register.namespace,
        "comment": comments.last(),
    }


accept = action_page(ACCEPT_REQUEST, _find_request, template="registers/on_request.html", show=_show_as_it_is)
refuse = action_page(REFUSE_REQUEST, _find_request, template="registers/on_request.html", show=_show_as_it_is)
revise = action_page(
    REVISE_REQUEST,
    _find_request,
    template=REVISE_PAGE,
    show=_show_as_it_is,
    initial=lambda request: (
        _values("label", "title", "reference", "contact", "note")(request) | values_for_form(request.fields)
    ),
    form_class=ValuesForm,
)


def asks_before_retiring(
    action: Action[Any], template: str, show: Show
) -> Callable[[SignedInRequest, Any], HttpResponse | None]:
    """For `instead` of `action_page`, with its other arguments: the form of a change as it was sent, with what retiring the entry
    means, unless its author has read that. It is final. What the action would refuse is left to it.
    """

    def page(request: SignedInRequest, subject: Entry | EntryRequest) -> HttpResponse | None:
        entry = subject if isinstance(subject, Entry) else subject.entry
        if entry is None or request.POST.get("status") != Status.RETIRED or "confirmed" in request.POST:
            return None
        form = ChangeForm(request.POST, action=action, subject=subject, by=request.user)
        if not form.is_valid():
            return None
        given = form.arguments()
        try:
            form.check_open()
            changed_content(entry, **{name: given[name] for name in ARGUMENTS_OF_CONTENT})
        except RegistryError:
            return None
        is_stale = any(form.cleaned_data[name] != current for name, current in form.stamps(subject).items())
        if is_stale or not entry.is_held_by(request.user):
            return None
        below = find_register(entry.register.namespace, entry.pk)
        context = {"form": form, "action": action, "subject": subject, "entry": entry, "below": below}
        return render(request, template, {**context, **show(request, form), "is_final": True})

    return page


revise_change = action_page(
    REVISE_CHANGE,
    _find_request,
    template=REVISE_PAGE,
    show=_show_as_it_is,
    initial=lambda request: (
        _values("title", "reference", "status", "successor", "contact", "note")(request)
        | values_for_form(request.fields)
    ),
    form_class=ChangeForm,
    instead=asks_before_retiring(REVISE_CHANGE, REVISE_PAGE, _show_as_it_is),
)


def _show_reviewers(request: SignedInRequest, register: Register) -> dict[str, Any]:
    actions.CHANGE_REGISTER.check_permission(request.user, register)
    named = Reviewer.objects.current().filter(register=register).select_related("membership__user")
    return {"namespace": register.namespace, "reviewers": named}


# The reviewers of a register, for its holder.
reviewers = decisions_page(
    REVIEWERS,
    _find,
    "registers/reviewers.html",
    show=_show_reviewers,
    to=lambda user, register: reverse("registers:reviewers", kwargs=register.address),
)


def _show_request(request: SignedInRequest, entry_request: EntryRequest) -> dict[str, Any]:
    return {
        "entry_request": entry_request,
        "register": entry_request.register,
        "namespace": entry_request.register.namespace,
        "faults": faults_of(entry_request.register) if entry_request.is_undecided else [],
        "page": NEWEST_FIRST.page(
            entry_request.comments.select_related("author"),
            request.GET.get("after", ""),
            PAGE,
            lambda comment: len(comment.text),
        ),
        "actions": offered({**WITH_PAGE, **ON_CHANGE}, request.user, entry_request),
    }


def _after_decision(user: User, entry_request: EntryRequest) -> str:
    """The page of the request, or that of its entry for those who may not see a change that has ended."""
    may_see = EntryRequest.objects.visible_to(user).filter(pk=entry_request.pk).exists()
    found = entry_request if may_see or entry_request.entry is None else entry_request.entry
    return str(found.get_absolute_url())


# A request, for all who may see it, with its discussion and the forms of what the reader can do.
entry_request = decisions_page(
    ON_PAGE, _find_request, "registers/request.html", show=_show_request, to=_after_decision
)
