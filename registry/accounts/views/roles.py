"""Pages about people and roles, for administrators only."""

from collections.abc import Callable
from http import HTTPStatus

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from registry.accounts.forms.roles import GrantRoleForm, WithdrawRoleForm
from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Role, RoleName, User
from registry.accounts.services.roles import check_is_administrator
from registry.core.exceptions import NotPermitted, RegistryError

get_or_post = require_http_methods(["GET", "HEAD", "POST"])


@require_safe
def people(request: SignedInRequest) -> HttpResponse:
    check_is_administrator(request.user)
    return render(request, "accounts/roles/list.html", {"people": User.objects.holding_roles()})


@get_or_post
def grant_role(request: SignedInRequest) -> HttpResponse:
    check_is_administrator(request.user)
    form = GrantRoleForm(_posted(request))
    return _changed(request, "accounts/roles/grant.html", form, lambda: form.grant(by=request.user))


@get_or_post
def withdraw_role(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    check_is_administrator(request.user)
    if name not in RoleName.values:
        raise Http404(f"There is no role “{name}”.")
    person, role = get_object_or_404(User, pk=pk), RoleName(name)
    if request.method != "POST":
        get_object_or_404(Role, user=person, name=role)
    form = WithdrawRoleForm(_posted(request))
    return _changed(
        request,
        "accounts/roles/withdraw.html",
        form,
        lambda: form.withdraw(person, role, by=request.user),
        person=person,
        role=role,
    )


def _posted(request: SignedInRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _changed(
    request: SignedInRequest, template: str, form: Form, change: Callable[[], str], **context: object
) -> HttpResponse:
    """Show the form or make the change. An invalid form is shown again with its input."""
    context["form"] = form
    status = HTTPStatus.OK if not form.is_bound else HTTPStatus.UNPROCESSABLE_ENTITY
    if form.is_bound and form.is_valid():
        try:
            messages.success(request, change())
        except NotPermitted:
            raise
        except RegistryError as refusal:
            context["refusal"], status = refusal, refusal.status
        else:
            # A user who withdrew their own role may no longer see this page.
            still = User.objects.get(pk=request.user.pk)
            return redirect("people:list" if RoleName.ADMINISTRATOR in still.roles else "home")
    return render(request, template, context, status=status)
