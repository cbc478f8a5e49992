"""Sessions of people: the device and the place of their last use (`allauth.usersessions`).

The middleware of django-allauth writes to the database for each request. Here, only pages that need sign-in count as a
use, and one is noted in five minutes. Of the network address, only the prefix is stored.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, cast

import ua_parser
from allauth.mfa import signals as second_factors
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.signals import social_account_removed
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.db import InternalError
from django.db.models.signals import pre_save
from django.http import HttpRequest, HttpResponseBase

from registry.accounts.models import User
from registry.core.database.errors import is_read_only

NOTED_EVERY = timedelta(minutes=5)
# In the session: its key when its last use was noted, and the time. The key changes when a sign-in is confirmed again.
NOTED = "use_noted"
PREFIX_LENGTHS = {4: 24, 6: 48}


@dataclass(frozen=True, slots=True)
class SessionInUse:
    """A session of a person, as pages and mails describe it."""

    row: UserSession
    is_current: bool

    @property
    def device(self) -> str:
        return device_of(self.row.user_agent)

    @property
    def place(self) -> str:
        return prefix_of(self.row.ip)


class SessionUseMiddleware:
    """Notes the use of the session for views that require sign-in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_arguments: Any) -> None:
        if getattr(view, "login_required", True) and request.user.is_authenticated:
            note_use(request)


def note_use(request: HttpRequest) -> None:
    """Store device, prefix of the address and time, unless that was done for this session a short time ago."""
    key, at = request.session.get(NOTED) or ("", 0)
    if key == request.session.session_key and 0 <= time.time() - at < NOTED_EVERY.total_seconds():
        return
    try:
        UserSession.objects.create_from_request(request)
    except InternalError as error:
        if not is_read_only(error):
            raise
    else:
        _mark_as_noted(request)


def _mark_as_noted(request: HttpRequest, **_signal: object) -> None:
    request.session[NOTED] = (request.session.session_key, time.time())


def _keep_prefix(instance: UserSession, **_signal: object) -> None:
    instance.ip = prefix_of(instance.ip).partition("/")[0]


def sessions_of(user: User, current_key: str | None) -> list[SessionInUse]:
    """The sessions of a person, the last used first. Rows of sessions that have ended are deleted."""
    rows = sorted(UserSession.objects.purge_and_list(user), key=lambda row: row.last_seen_at, reverse=True)
    return [SessionInUse(row, row.session_key == current_key) for row in rows]


def end_sessions_of(user: User, *, but: str | None = None) -> None:
    """End all sessions of a person, but the one with this key."""
    for row in UserSession.objects.filter(user=user).exclude(session_key=but):
        row.end()


def _end_after_removal(request: HttpRequest, user: User, **_signal: object) -> None:
    """End the other sessions: one of them may have begun with what was removed, such as a stolen device."""
    end_sessions_of(user, but=request.session.session_key)


def _end_after_first(
    request: HttpRequest, user: User, authenticator: Authenticator, **_signal: object
) -> None:
    """End the other sessions after the first second factor was added: they began with a password that no longer signs in."""
    codes = Authenticator.Type.RECOVERY_CODES
    others = Authenticator.objects.filter(user=user).exclude(type=codes).exclude(pk=authenticator.pk)
    if authenticator.type != codes and not others.exists():
        end_sessions_of(user, but=request.session.session_key)


def _end_after_disconnection(request: HttpRequest, socialaccount: SocialAccount, **_signal: object) -> None:
    end_sessions_of(cast(User, socialaccount.user), but=request.session.session_key)


def device_of(user_agent: str) -> str:
    """Return the browser and the system that a user agent names, such as “Firefox on Linux”."""
    found = ua_parser.parse(user_agent)
    names = [part.family for part in (found.user_agent, found.os) if part]
    return " on ".join(names) or "unknown device"


def prefix_of(address: str) -> str:
    """Return the network of an address, which identifies a provider or an institution, not a machine."""
    ip = ip_address(address)
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return str(ip_network((ip, PREFIX_LENGTHS[ip.version]), strict=False))


# django-allauth notes the sign-in itself.
user_logged_in.connect(_mark_as_noted, dispatch_uid="session_use")
second_factors.authenticator_added.connect(_end_after_first, dispatch_uid="session_first_factor")
second_factors.authenticator_removed.connect(_end_after_removal, dispatch_uid="session_factor_removed")
second_factors.authenticator_reset.connect(_end_after_removal, dispatch_uid="session_codes_replaced")
social_account_removed.connect(_end_after_disconnection, dispatch_uid="session_provider_removed")
pre_save.connect(_keep_prefix, sender=UserSession, dispatch_uid="session_prefix")
