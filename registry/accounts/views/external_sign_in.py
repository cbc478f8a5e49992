"""/accounts/oidc/: sign-in with another provider, and connecting it to the account that is signed in."""

from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from allauth.socialaccount.providers.openid_connect import views
from allauth.utils import get_request_param
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from requests import RequestException

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required

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
