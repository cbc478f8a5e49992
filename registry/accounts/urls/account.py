"""URLs of the account pages: those of django-allauth, except for the pages that are replaced or not used."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from allauth.account.urls import urlpatterns as allauth_urlpatterns
from allauth.account.views import email, password_set
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, re_path
from django.views.decorators.vary import vary_on_headers

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.views import ConfirmEmailView
from registry.core.form_views import get_or_post, showing_errors

# No one signs in with a code, and pages that need a recent sign-in ask to confirm it themselves (`recent_sign_in`).
NOT_USED = {"account_confirm_login_code", "account_reauthenticate"}
OWN_PAGES = [
    path("email/", recent_sign_in_required(ACCOUNT_CHANGES)(email), name="account_email"),
    # A person who signs in with a provider alone has no former password to give.
    path(
        "password/set/",
        recent_sign_in_required(ACCOUNT_CHANGES)(password_set),
        name="account_set_password",
    ),
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", ConfirmEmailView.as_view(), name="account_confirm_email"),
]
LEFT_OUT = NOT_USED | {each.name for each in OWN_PAGES}


def counting_posts(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Decorate a view of django-allauth, which counts every request but GET as an attempt, also HEAD and OPTIONS.

    It has a form in JSON for scripts, without saying that the response depends on Accept.
    """

    @get_or_post
    @vary_on_headers("Accept")
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "HEAD":
            request.method = "GET"
        response: HttpResponse = showing_errors(view)(request, *args, **kwargs)
        return response

    return page


urlpatterns = [
    URLPattern(each.pattern, counting_posts(each.callback), each.default_args, each.name)
    for each in (*OWN_PAGES, *(each for each in allauth_urlpatterns if each.name not in LEFT_OUT))
]
