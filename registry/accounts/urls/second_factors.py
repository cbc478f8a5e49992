"""URLs of second factors: /accounts/2fa/ and below. All but the list and the steps of sign-in need a recent sign-in."""

from collections.abc import Callable
from typing import Any

from allauth.mfa.base.views import AuthenticateView, IndexView
from allauth.mfa.recovery_codes.views import DownloadRecoveryCodesView
from allauth.mfa.totp.views import DeactivateTOTPView
from allauth.mfa.webauthn.views import LoginWebAuthnView, RemoveWebAuthnView
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.urls import path, reverse_lazy
from django.views.decorators.cache import never_cache

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.second_factors.views import (
    ActivateAppView,
    AddPasskeyView,
    NewRecoveryCodesView,
    RecoveryCodesView,
)
from registry.accounts.urls.account import counting_posts


def guarded(view: Any, **options: Any) -> Callable[..., HttpResponse]:
    """The view of a class, after a recent sign-in."""
    asking = recent_sign_in_required(ACCOUNT_CHANGES)(never_cache(view.as_view(**options)))
    return counting_posts(asking)


def step_of_sign_in(view: Any) -> Callable[..., HttpResponse]:
    return login_not_required(counting_posts(view.as_view()))


urlpatterns = [
    path("", counting_posts(IndexView.as_view()), name="mfa_index"),
    path("authenticate/", step_of_sign_in(AuthenticateView), name="mfa_authenticate"),
    path("passkeys/sign-in/", step_of_sign_in(LoginWebAuthnView), name="mfa_login_webauthn"),
    path("passkeys/add/", guarded(AddPasskeyView), name="mfa_add_webauthn"),
    path(
        "passkeys/<int:pk>/remove/",
        guarded(RemoveWebAuthnView, success_url=reverse_lazy("mfa_index")),
        name="mfa_remove_webauthn",
    ),
    path("app/add/", guarded(ActivateAppView), name="mfa_activate_totp"),
    path("app/remove/", guarded(DeactivateTOTPView), name="mfa_deactivate_totp"),
    path("recovery-codes/", guarded(RecoveryCodesView), name="mfa_view_recovery_codes"),
    path("recovery-codes/new/", guarded(NewRecoveryCodesView), name="mfa_generate_recovery_codes"),
    path("recovery-codes/file/", guarded(DownloadRecoveryCodesView), name="mfa_download_recovery_codes"),
]
