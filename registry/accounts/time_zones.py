"""Time zones for display. Stored, mailed and API times are in UTC."""

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
    """Return the zones named after places, and UTC, without legacy abbreviations and offsets."""
    places = (name for name in available_timezones() if "/" in name)
    return (UTC, *sorted(name for name in places if not name.startswith(("Etc/", "SystemV/", "US/"))))


def time_zone_name_of(user: object) -> str:
    """Return the name of the user's zone; UTC for strangers and for zones that no longer exist."""
    name = user.time_zone if isinstance(user, User) else UTC
    return name if name in available_zones() else UTC


def activate_time_zone_of(user: object) -> None:
    """Show times in the user's zone until the end of the request."""
    timezone.activate(ZoneInfo(time_zone_name_of(user)))


class TimeZoneMiddleware:
    """Activates the user's zone for views that require sign-in, and the default zone after the request.

    Public pages activate the zone during rendering (`base.html`): doing it here would read the session for files
    and texts that are the same for everyone.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with timezone.override(None):
            return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Callable[..., Any], *_arguments: Any) -> None:
        if getattr(view, "login_required", True):
            activate_time_zone_of(request.user)
