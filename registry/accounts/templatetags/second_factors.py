"""The notice for people whose role needs a second factor that they do not have."""

from typing import Any

from django import template
from django.conf import settings
from django.utils import timezone

from registry.accounts.models import User
from registry.accounts.second_factors.policy import first_rest

register = template.Library()


@register.inclusion_tag("mfa/_grace.html", takes_context=True)
def second_factor_notice(context: Any) -> dict[str, Any]:
    """Show from when a role rests, or that it does. Without the requirement, the session is not read."""
    user = context.get("user") if settings.REQUIRE_SECOND_FACTOR else None
    rests_from = first_rest(user) if isinstance(user, User) and user.is_authenticated else None
    return {
        "rests_from": rests_from,
        "rests": rests_from and rests_from <= timezone.now(),
        "onward": context["request"].get_full_path() if rests_from else "",
    }
