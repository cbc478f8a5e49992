"""Sign-in with other providers by OpenID Connect, and connecting one to the account that is signed in. An account
belongs to an issuer and a subject, never to an address.
"""

import logging
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from allauth.core import ratelimit
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialApp, SocialToken
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView, OAuth2LoginView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from allauth.utils import get_request_param
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.crypto import salted_hmac
from requests import RequestException, Session

from registry.accounts.id_tokens import check_configuration, check_issuer_of_answer, claims_of
from registry.accounts.provider_requests import provider_session
from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.core.form_views import too_many_requests

logger = logging.getLogger(__name__)

MAX_LENGTH = 191  # of the column
# Of the ID token; others are neither used nor stored.
USED_CLAIMS = ("iss", "sub", "email")


def nonce_of(code_verifier: str) -> str:
    """The nonce of a sign-in, from the secret of PKCE that waits in the session."""
    return salted_hmac("registry.accounts.nonce", code_verifier, algorithm="sha256").hexdigest()


class OpenIDAdapter(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]  # django-allauth has no types
    """The requests of one sign-in, with what django-allauth does not check (`registry.accounts.id_tokens`)."""

    nonce = ""

    @property
    def issuer(self) -> str:
        """The issuer of the configuration, to the letter."""
        issuer: str = self.get_provider().app.settings["server_url"]
        return issuer

    @property
    def openid_config(self) -> dict[str, Any]:
        configuration: dict[str, Any] = super().openid_config
        check_configuration(configuration, self.issuer)
        return configuration

    def get_access_token_data(
        self, request: HttpRequest, app: SocialApp, client: Any, pkce_code_verifier: str | None = None
    ) -> dict[str, Any]:
        """Exchange the code. The state of the session was found; the provider may have said who it is."""
        check_issuer_of_answer(self.openid_config, self.issuer, get_request_param(request, "iss"))
        self.nonce = nonce_of(pkce_code_verifier or "")
        data: dict[str, Any] = super().get_access_token_data(request, app, client, pkce_code_verifier)
        return data

    def parse_token(self, data: dict[str, Any]) -> SocialToken:
        """Return a token without content: nothing is asked of the provider with it, and the session does not keep it."""
        return SocialToken()

    def complete_login(self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any) -> Any:
        """Return the identity that the ID token states."""
        with provider_session() as session:
            keys = session.get(self.openid_config["jwks_uri"]).json()
        claims = claims_of(
            kwargs["response"].get("id_token"),
            keys,
            issuer=self.issuer,
            client_id=app.client_id,
            nonce=self.nonce,
        )
        stated = {name: claims[name] for name in USED_CLAIMS if isinstance(claims.get(name), str)}
        return self.get_provider().sociallogin_from_response(request, {"id_token": stated})


class OpenIDProvider(OpenIDConnectProvider):  # type: ignore[misc]  # django-allauth has no types
    """A provider that SIGN_IN_PROVIDERS declares."""

    package = "allauth.socialaccount.providers.openid_connect"
    oauth2_adapter_class = OpenIDAdapter

    def get_pkce_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_pkce_params()
        return params | {"nonce": nonce_of(params["code_verifier"])}

    def get_auth_params_from_request(self, request: HttpRequest, action: str) -> dict[str, Any]:
        """Return those of the configuration: django-allauth lets any link set them, even the redirect URI."""
        params: dict[str, Any] = self.get_auth_params()
        return params

    def get_scope_from_request(self, request: HttpRequest) -> list[str]:
        """Return that of the configuration."""
        scope: list[str] = self.get_scope()
        return scope

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

    def on_authentication_error(
        self, request: HttpRequest, provider: OpenIDProvider, exception: Exception | None = None, **_: Any
    ) -> None:
        """Log why, for the operator: the page does not tell strangers."""
        if exception:
            logger.warning("Sign-in with %s failed: %s", provider.sub_id, exception)

    def get_requests_session(self) -> Session:
        """Return a session that sends guarded requests alone."""
        return provider_session()


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
    # Each attempt asks the provider for its configuration, and waits for it.
    if not ratelimit.consume(request, action="login"):
        return too_many_requests(request)
    response = _with_provider(OAuth2LoginView, request, provider_id)
    onward = response.headers.get("Location", "")
    return _continue_at(request, onward) if urlsplit(onward).netloc else response


def _with_provider(view: Any, request: HttpRequest, provider_id: str) -> HttpResponse:
    """The response of a view of django-allauth, or the page for a provider that does not answer as it must."""
    try:
        response: HttpResponse = view.adapter_view(OpenIDAdapter(request, provider_id))(request)
    except SocialApp.DoesNotExist as missing:
        raise Http404 from missing
    except RequestException as failure:
        logger.warning("Sign-in with %s failed: %s", provider_id, failure)
        template = "socialaccount/authentication_error.html"
        return render(request, template, status=HTTPStatus.BAD_GATEWAY)
    return response


def _continue_at(request: HttpRequest, onward: str) -> HttpResponse:
    """A page that continues at the provider.

    The content security policy forbids a form to lead to other sites, also by a redirect, and the provider may redirect to
    hosts that its configuration does not name.
    """
    return render(request, "socialaccount/continue.html", {"onward": onward})


_begin_to_connect: Any = recent_sign_in_required(ACCOUNT_CHANGES)(_begin)


@login_not_required
def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _with_provider(OAuth2CallbackView, request, provider_id)
