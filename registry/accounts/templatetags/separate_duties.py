"""{% duties_notice %}: says that the separation of duties is switched off, if it is."""

from django import template
from django.conf import settings

register = template.Library()


@register.inclusion_tag("accounts/_duties_notice.html")
def duties_notice() -> dict[str, bool]:
    return {"are_separate": settings.SEPARATE_DUTIES}
