"""/accounts/confirm-email/<key>/: the link in the mail that confirms an address.

The link alone proves only that someone can read the mailbox. If it were enough, a person who follows a link in an
unexpected mail would confirm an account whose password a stranger knows.
"""

from typing import Any
from urllib.parse import urlsplit

from allauth.account import views
from allauth.account.models import get_emailconfirmation_model
from allauth.account.stages import EmailVerificationStage, LoginStageController
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils.decorators import method_decorator

from registry.accounts.adapter import cached_onward, with_next


@method_decorator(login_not_required, name="dispatch")
class ConfirmEmailView(views.ConfirmEmailView):  # type: ignore[misc]  # django-allauth has no types
    """Confirms an address in the session that signed up, or after signing in with the password."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        confirmation = get_emailconfirmation_model().from_key(kwargs["key"])
        if confirmation is None or _belongs_to(confirmation.email_address.user_id, request):
            response: HttpResponse = super().dispatch(request, *args, **kwargs)
            return response
        if request.user.is_authenticated:
            return render(request, "account/email_confirm_elsewhere.html", {"link": request.path})
        messages.info(request, "Sign in to confirm your address.")
        return redirect(with_next(resolve_url(settings.LOGIN_URL), request.path))

    def get_next_url(self) -> str | None:
        """Return the page that the person wanted, through the sign-in page, which redirects people who are signed in."""
        onward = cached_onward(self.object.email_address.pk)
        return with_next(resolve_url(settings.LOGIN_URL), onward) if onward else None

    def post(self, *args: Any, **kwargs: Any) -> HttpResponse:
        """Confirm the address. A person who signed in on the way would return to this link, which is now used."""
        response: HttpResponse = super().post(*args, **kwargs)
        leads_here = urlsplit(response.get("Location", "")).path == self.request.path
        return redirect(self.get_redirect_url()) if leads_here else response


def _belongs_to(account: int, request: HttpRequest) -> bool:
    """Whether the session is signed in to the account, or gave its password and waits for the confirmation."""
    if request.user.is_authenticated:
        return request.user.pk == account
    stage = LoginStageController.enter(request, EmailVerificationStage.key)
    return bool(stage and stage.login.user and stage.login.user.pk == account)
