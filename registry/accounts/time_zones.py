"""The time zone in which somebody reads dates. What is kept, mailed or sent to programs is in UTC."""

from collections.abc import Callable
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from registry.accounts.models import User

UTC = "UTC"


@cache
def available_zones() -> tuple[str, ...]:
    """The zones named after places, and UTC: not the abbreviations and offsets that are kept for old programs."""
    places = (name for name in available_timezones() if "/" in name)
    return (UTC, *sorted(name for name in places if not name.startswith(("Etc/", "SystemV/", "US/"))))


def time_zone_name_of(user: object) -> str:
    """The name of the reader's zone; a stranger's is UTC, and so is that of a zone that is known no more."""
    name = user.time_zone if isinstance(user, User) else UTC
    return name if name in available_zones() else UTC


def activate_time_zone_of(user: object) -> None:
    """From now until the end of the request, show times in the reader's zone."""
    timezone.activate(ZoneInfo(time_zone_name_of(user)))


class TimeZoneMiddleware:
    """Shows times in the reader's zone wherever one must sign in, and in the default zone after the request.

    A page that is open to all asks who reads only when it is rendered (`base.html`): asking here would
    read the session for texts and files, which are the same for everyone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(None):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_arguments: Any) -> None:
        if getattr(view, "login_required", True):
            activate_time_zone_of(request.user)
