"""A recent sign-in: actions for which a stolen session is not enough ask for the password again.

The page that asks contains the typed form, and sends it again with the password. Nothing waits in the session, where
the holder of a stolen session could leave a form for the owner to confirm.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any

from allauth.account.forms import ReauthenticateForm
from allauth.core import ratelimit
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from registry.core.form_recovery import recovered_texts_of, submitted_fields, too_many_requests
from registry.core.form_views import posted

View = Callable[..., HttpResponse]

# For tokens, addresses and roles.
ACCOUNT_CHANGES = timedelta(minutes=15)
ACCOUNT_CHANGES_MINUTES = ACCOUNT_CHANGES // timedelta(minutes=1)
# For decisions in a role, and for transfers of a namespace.
FOR_DECISIONS = timedelta(hours=8)
SESSION_KEY = "signed_in_at"
# The fields that the page adds to the form.
PREFIX, WAS_SENT = "again", "again-sent"


def note_sign_in(request: HttpRequest, **_signal: object) -> None:
    request.session[SESSION_KEY] = time.time()


user_logged_in.connect(note_sign_in, dispatch_uid="recent_sign_in")


def is_recent(request: HttpRequest, within: timedelta) -> bool:
    """Whether the password was given in this session less than `within` ago."""
    age = time.time() - float(request.session.get(SESSION_KEY, 0))
    return 0 <= age < within.total_seconds()


def recent_sign_in_required(
    within: timedelta, *, unless: Callable[..., bool] = lambda **_: False, only_post: bool = False
) -> Callable[[View], View]:
    """Decorate a view that asks for the password unless it was given recently.

    `unless` gets the arguments of the URL. `only_post`: the page itself may be read.
    """

    def decorate(view: View) -> View:
        @sensitive_post_parameters(f"{PREFIX}-password")
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            is_exempt = unless(**kwargs) or (only_post and request.method != "POST")
            if is_exempt or is_recent(request, within):
                return view(request, *args, **kwargs)
            return _ask(request) or view(request, *args, **kwargs)

        return guarded

    return decorate


def _ask(request: HttpRequest) -> HttpResponse | None:
    """The page that asks for the password; None for a form that was sent again with the right password."""
    is_answered = f"{PREFIX}-password" in request.POST
    if is_answered and not ratelimit.consume(request, action="reauthenticate", user=request.user):
        return too_many_requests(request)
    form = ReauthenticateForm(posted(request) if is_answered else None, prefix=PREFIX, user=request.user)
    if form.is_valid():
        # The key of the session changes, so that a stolen one is worth nothing from now on.
        request.session.cycle_key()
        note_sign_in(request)
        return None if WAS_SENT in request.POST else redirect(request.get_full_path())
    context = {"form": form, "fields": submitted_fields(request, f"{PREFIX}-password")}
    if request.method == "POST" and not is_answered:
        context["fields"].append((WAS_SENT, "1"))
    context["recovered_texts"] = recovered_texts_of(request)
    return render(request, "account/reauthenticate.html", context, status=HTTPStatus.FORBIDDEN)
