"""{% activate_time_zone_of user %}: times below it are shown in the reader's zone."""

from django import template

from registry.accounts import time_zones

register = template.Library()


@register.simple_tag
def activate_time_zone_of(user: object) -> str:
    time_zones.activate_time_zone_of(user)
    return ""
