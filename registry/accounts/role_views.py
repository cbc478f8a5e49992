"""Pages about people and roles, for administrators only."""

from collections.abc import Callable

from django.forms import Form
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from registry.accounts.forms import GrantRoleForm, WithdrawRoleForm
from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Role, RoleName, User
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.roles import check_is_administrator, role_holders
from registry.core.form_views import form_page, get_or_post, lead_to, posted, process_form


@require_safe
def people(request: SignedInRequest) -> HttpResponse:
    check_is_administrator(request.user)
    return render(request, "accounts/roles/list.html", {"people": role_holders()})


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
def grant_role(request: SignedInRequest) -> HttpResponse:
    check_is_administrator(request.user)
    form = GrantRoleForm(posted(request))
    return _changed(request, "accounts/roles/grant.html", form, lambda: form.grant(by=request.user))


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
def withdraw_role(request: SignedInRequest, pk: int, name: str) -> HttpResponse:
    check_is_administrator(request.user)
    if name not in RoleName.values:
        raise Http404(f"There is no role “{name}”.")
    person, role = get_object_or_404(User, pk=pk), RoleName(name)
    if request.method != "POST":
        get_object_or_404(Role, user=person, name=role)
    form = WithdrawRoleForm(posted(request))
    return _changed(
        request,
        "accounts/roles/withdraw.html",
        form,
        lambda: form.withdraw(person, role, by=request.user),
        person=person,
        role=role,
    )


def _changed(
    request: SignedInRequest, template: str, form: Form, change: Callable[[], str], **context: object
) -> HttpResponse:
    """Show the form, or make the change, which returns the success message."""

    def submit() -> HttpResponse:
        done = change()
        # An administrator who withdrew their own role can no longer see the list.
        changed = User.objects.get(pk=request.user.pk)
        return lead_to(request, done, "people:list" if RoleName.ADMINISTRATOR in changed.roles else "home")

    return process_form(form, submit, form_page(request, template, {"form": form, **context}))
