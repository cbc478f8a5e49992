"""A recent sign-in: actions for which a stolen session is not enough ask to confirm it again.

The page asks for a second factor, or for the password of an account without one. It contains the typed form, and sends
it again with the answer. Nothing waits in the session, where the holder of a stolen session could leave a form for the
owner to confirm.
"""

import time
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from http import HTTPStatus
from typing import Any, cast

from allauth.core import ratelimit
from django.contrib.auth.signals import user_logged_in
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from registry.accounts.gravity import gravity_of
from registry.accounts.models import User
from registry.accounts.second_factors.confirmation import FIELDS, PREFIX, Confirmation
from registry.core.form_views import (
    recovered_texts_of,
    session_expired,
    submitted_fields,
    too_many_requests,
)

View = Callable[..., HttpResponse]

# For tokens, addresses, second factors and roles.
ACCOUNT_CHANGES = timedelta(minutes=15)
ACCOUNT_CHANGES_MINUTES = ACCOUNT_CHANGES // timedelta(minutes=1)
# For decisions in a role, and for transfers of a namespace.
FOR_DECISIONS = timedelta(minutes=15)
SESSION_KEY = "signed_in_at"
# The field that the page adds to a form that was sent.
WAS_SENT = f"{PREFIX}-sent"


def note_sign_in(request: HttpRequest, **_signal: object) -> None:
    request.session[SESSION_KEY] = time.time()


user_logged_in.connect(note_sign_in, dispatch_uid="recent_sign_in")


def is_recent(request: HttpRequest, within: timedelta) -> bool:
    """Whether the person signed in, or confirmed it, in this session less than `within` ago."""
    age = time.time() - float(request.session.get(SESSION_KEY, 0))
    return 0 <= age < within.total_seconds()


def recent_sign_in_required(
    within: timedelta, *, unless: Callable[..., bool] = lambda **_: False, only_post: bool = False
) -> Callable[[View], View]:
    """Decorate a view that asks to confirm the sign-in unless it is recent.

    `unless` gets the arguments of the URL. `only_post`: the page itself may be read.
    """

    def decorate(view: View) -> View:
        @sensitive_post_parameters(*FIELDS)
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            is_exempt = unless(**kwargs) or (only_post and request.method != "POST")
            if not is_exempt and not request.user.is_authenticated:  # on a page that everyone may read
                return session_expired(request) or redirect_to_login(request.get_full_path())
            if is_exempt or is_recent(request, within):
                return view(request, *args, **kwargs)
            return _ask(request) or view(request, *args, **kwargs)

        # What the page carries out (tests/security/test_gravity.py).
        guarded.actions = ()  # type: ignore[attr-defined]
        return guarded

    return decorate


def recent_sign_in_for(
    *actions: Any, unless: Callable[..., bool] = lambda **_: False, only_post: bool = False
) -> Callable[[View], View]:
    """Decorate the view of these actions: if the gravity of one asks for it, the view asks to confirm a sign-in that is not
    recent.

    `unless` gets the arguments of the URL, and is true for the others.
    """

    def decorate(view: View) -> View:
        if not any(gravity_of(each).asks_for_sign_in for each in actions):
            return view
        guarded = recent_sign_in_required(FOR_DECISIONS, unless=unless, only_post=only_post)(view)
        guarded.actions = actions  # type: ignore[attr-defined]
        return guarded

    return decorate


def _ask(request: HttpRequest) -> HttpResponse | None:
    """The page that asks; None for a form that was sent again with the right answer."""
    is_answered = any(field in request.POST for field in FIELDS)
    if is_answered and not ratelimit.consume(request, action="reauthenticate", user=request.user):
        return too_many_requests(request)
    confirmation = Confirmation(cast(User, request.user), request.POST if is_answered else None)
    if confirmation.is_given():
        # The key of the session changes, so that a stolen one is worth nothing from now on.
        request.session.cycle_key()
        note_sign_in(request)
        return None if WAS_SENT in request.POST else redirect(request.get_full_path())
    fields = submitted_fields(request, *FIELDS)
    if request.method == "POST" and not is_answered:
        fields.append((WAS_SENT, "1"))
    context = {"confirmation": confirmation, "fields": fields, "refusal": confirmation.refusal}
    context["recovered_texts"] = recovered_texts_of(request)
    return render(request, "account/reauthenticate.html", context, status=HTTPStatus.FORBIDDEN)
