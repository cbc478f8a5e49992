"""URLs of sign-in with other providers: /accounts/oidc/ and /accounts/connections/."""

from allauth.socialaccount.views import (
    ConnectionsView,
    LoginCancelledView,
    LoginErrorView,
    SignupView,
)
from django.contrib.auth.decorators import login_not_required
from django.urls import path

from registry.accounts.external_sign_in import begin, callback
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.urls.account import counting_posts

urlpatterns = [
    path("oidc/<slug:provider_id>/", login_not_required(counting_posts(begin)), name="openid_connect_login"),
    path(
        "oidc/<slug:provider_id>/callback/",
        login_not_required(counting_posts(callback)),
        name="openid_connect_callback",
    ),
    path(
        "oidc-sign-up/", login_not_required(counting_posts(SignupView.as_view())), name="socialaccount_signup"
    ),
    path(
        "oidc-cancelled/",
        login_not_required(counting_posts(LoginCancelledView.as_view())),
        name="socialaccount_login_cancelled",
    ),
    path(
        "oidc-error/",
        login_not_required(counting_posts(LoginErrorView.as_view())),
        name="socialaccount_login_error",
    ),
    path(
        "connections/",
        counting_posts(recent_sign_in_required(ACCOUNT_CHANGES)(ConnectionsView.as_view())),
        name="socialaccount_connections",
    ),
]
