"""Sign-in with other providers by OpenID Connect, and connecting one to the account that is signed in. An account
belongs to an issuer and a subject, never to an address.
"""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.openid_connect import views
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.utils import get_request_param
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from requests import RequestException

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required

MAX_LENGTH = 191  # of the column


class OpenIDProvider(OpenIDConnectProvider):  # type: ignore[misc]  # django-allauth has no types
    """A provider that SIGN_IN_PROVIDERS declares."""

    package = "allauth.socialaccount.providers.openid_connect"

    @property
    def server_url(self) -> str:
        """The address of the configuration. An issuer may end with a slash (OpenID Connect Discovery, Section 4.1)."""
        url: str = self.wk_server_url(self.app.settings["server_url"].rstrip("/"))
        return url

    def extract_uid(self, data: dict[str, Any]) -> str:
        """Return issuer and subject, so that a provider that replaces another one does not get its accounts."""
        claims = data.get("id_token") or {}
        issuer, subject = claims.get("iss"), claims.get("sub")
        uid = f"{issuer} {subject}"
        if issuer != self.app.settings["server_url"] or not subject or len(uid) > MAX_LENGTH:
            raise PermissionDenied
        return uid

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Return the address as not verified: only a mail of this registry confirms it."""
        found: list[EmailAddress] = super().extract_email_addresses(data)
        for address in found:
            address.verified = False
        return found


class ExternalSignInAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # django-allauth has no types
    """The adapter of sign-in with other providers (settings.SOCIALACCOUNT_ADAPTER)."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "connected_other": "This sign-in belongs to another account.",
        "disconnect_last": "This is the only way to sign in to your account.",
        "email_taken": "An account has this address. Sign in to it, then connect %s on its page.",
        "invalid_token": "The provider sent an invalid answer. Try again.",
        "no_password": "Set a password first: this is the only way to sign in to your account.",  # nosec B105  # a message
        "no_verified_email": "Confirm an address first: this is the only way to sign in to your account.",
    }


CONNECT = "connect"


@login_not_required
def begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Lead to the provider. An account is connected by its owner only, after a recent sign-in."""
    # Where django-allauth reads it: a field of the form precedes the parameter of the address.
    process = get_request_param(request, "process", "login")
    if process == CONNECT and not request.user.is_authenticated:
        return redirect(settings.LOGIN_URL)
    if process not in {"login", CONNECT}:
        return redirect("socialaccount_login_error")
    return _begin_to_connect(request, provider_id) if process == CONNECT else _begin(request, provider_id)


def _begin(request: HttpRequest, provider_id: str) -> HttpResponse:
    try:
        response: HttpResponse = views.login(request, provider_id)
    except (
        RequestException,
        ValueError,
        KeyError,
    ):  # the provider does not answer, or not with its configuration
        template = "socialaccount/authentication_error.html"
        return render(request, template, status=HTTPStatus.BAD_GATEWAY)
    onward = response.headers.get("Location", "")
    return _continue_at(request, onward) if urlsplit(onward).netloc else response


def _continue_at(request: HttpRequest, onward: str) -> HttpResponse:
    """A page that continues at the provider.

    The content security policy forbids a form to lead to other sites, also by a redirect, and the provider may redirect to
    hosts that its configuration does not name.
    """
    return render(request, "socialaccount/continue.html", {"onward": onward})


_begin_to_connect: Any = recent_sign_in_required(ACCOUNT_CHANGES)(_begin)


@login_not_required
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    try:
        response: HttpResponse = views.callback(request, provider_id)
    except (RequestException, ValueError, KeyError):
        template = "socialaccount/authentication_error.html"
        return render(request, template, status=HTTPStatus.BAD_GATEWAY)
    return response
