"""/account/: what people set and see about their own account. The forms of django-allauth are linked."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.usersessions.views import ListUserSessionsView
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from registry.accounts.forms.profile import CloseAccountForm, EndSessionsForm, NameForm
from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import Token
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.services.closing import close_own_account
from registry.accounts.services.erasure import left_to_do
from registry.accounts.services.export import data_about
from registry.accounts.sessions import sessions_of
from registry.core.form_views import form_page, get_or_post, posted, process_form, showing_errors
from registry.mail.bounces import bounces_at


@require_safe
def overview(request: SignedInRequest) -> HttpResponse:
    addresses = list(EmailAddress.objects.filter(user=request.user).order_by("-primary", "email"))
    bounces = bounces_at(each.email for each in addresses)
    context = {
        "addresses": [(each, bounces.get(each.email.lower())) for each in addresses],
        "sessions": sessions_of(request.user, request.session.session_key),
        "tokens": Token.objects.filter(owner=request.user, revoked_at=None).count(),
    }
    return render(request, "accounts/overview.html", context)


@get_or_post
def name(request: SignedInRequest) -> HttpResponse:
    """Change the name that others see."""
    form = NameForm(posted(request), instance=request.user)

    def keep() -> HttpResponse:
        form.save()
        messages.success(request, f"Others now see the name “{request.user}”.")
        return redirect("account:overview")

    return process_form(form, keep, form_page(request, "accounts/name.html", {"form": form}))


@method_decorator([get_or_post, showing_errors], name="dispatch")
class SessionsView(ListUserSessionsView):  # type: ignore[misc]  # django-allauth has no types
    """The sessions of the user; ends one, or all but the current one."""

    form_class = EndSessionsForm
    success_url = reverse_lazy("account:sessions")

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        context["sessions"] = sessions_of(self.request.user, self.request.session.session_key)
        return context


sessions = SessionsView.as_view()


@require_safe
@recent_sign_in_required(ACCOUNT_CHANGES)
@never_cache
def data(request: SignedInRequest) -> HttpResponse:
    """What the registry holds about the user, as a file."""
    response = JsonResponse(data_about(request.user), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = 'attachment; filename="account-data.json"'
    return response


@get_or_post
@recent_sign_in_required(ACCOUNT_CHANGES)
def close(request: SignedInRequest) -> HttpResponse:
    """Close the account, after a confirmation."""
    form = CloseAccountForm(posted(request))

    def end() -> HttpResponse:
        close_own_account(request.user)
        logout(request)
        messages.success(request, "Your account is closed.")
        return redirect("home")

    context = {"form": form, "left": left_to_do(request.user)}
    return process_form(form, end, form_page(request, "accounts/close.html", context))
