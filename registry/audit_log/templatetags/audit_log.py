"""The link to the proof of an event, on every page that shows one."""

from typing import Any

from django import template
from django.conf import settings

from registry.core.http.internal_requests import is_internal

register = template.Library()


@register.inclusion_tag("audit_log/_proof.html", takes_context=True)
def proof_link(context: Any, event: Any) -> dict[str, Any]:
    """The link to the proof of an event with `is_proven`; until a head has the event, words that say so.

    The static snapshot, whose pages stay as they are until an event changes them, has the link, which leads to the registry.
    """
    is_linked = event.is_proven or is_internal(context["request"])
    return {"number": event.number, "is_linked": is_linked, "is_awaited": bool(settings.LOG_SIGNING_KEY)}
