"""Template tags of accounts: the notice for people whose role needs a second factor that they do not have, the notice
that the separation of duties is switched off, and the zone in which times are shown.
"""

from typing import Any

from django import template
from django.conf import settings
from django.utils import timezone

from registry.accounts import time_zones
from registry.accounts.models import User
from registry.accounts.second_factors.policy import first_suspension
from registry.accounts.waiting import count_waiting, recent_count

register = template.Library()


@register.inclusion_tag("mfa/_grace.html", takes_context=True)
def second_factor_notice(context: Any) -> dict[str, Any]:
    """Show from when a role is suspended, or that it is. Without the requirement, the session is not read."""
    user = context.get("user") if settings.REQUIRE_SECOND_FACTOR else None
    suspended_from = first_suspension(user) if isinstance(user, User) and user.is_authenticated else None
    return {
        "suspended_from": suspended_from,
        "is_suspended": suspended_from and suspended_from <= timezone.now(),
        "onward": context["request"].get_full_path() if suspended_from else "",
    }


@register.inclusion_tag("accounts/_duties_notice.html")
def duties_notice() -> dict[str, bool]:
    return {"are_separate": settings.SEPARATE_DUTIES}


@register.simple_tag(takes_context=True)
def waiting_count(context: Any) -> int:
    """How many things wait for the reader, for the header: at most one query. It is counted anew on a page that says what was done."""
    user = context["user"]
    return count_waiting(user) if len(context.get("messages", ())) else recent_count(user)


@register.simple_tag
def activate_time_zone_of(user: object) -> str:
    time_zones.activate_time_zone_of(user)
    return ""
