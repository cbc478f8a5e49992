"""{% demonstration_banner %}: says on each page that this is the demonstration, and where its mails are."""

from typing import Any

from django import template
from django.conf import settings

register = template.Library()


@register.inclusion_tag("devserver/_banner.html", takes_context=True)
def demonstration_banner(context: template.Context) -> dict[str, Any]:
    """The banner; nothing in a deployment, and in the static copy, which has no mailbox."""
    is_copy = getattr(context.get("request"), "is_snapshot", False)
    return {"is_shown": settings.IS_DEMONSTRATION and not is_copy}
