"""Template tags for the page of a namespace: the notice of a claim, and the link to claim the namespace."""

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import User
from registry.custody.permissions import may_object, may_see_claim
from registry.custody.queries import claim_shown_to_all
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_registrant

register = template.Library()


@register.inclusion_tag("custody/_claim_notice.html", takes_context=True)
def claim_notice(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render that the namespace is claimed, without the name of the claimant."""
    claim = claim_shown_to_all(namespace)
    user = context.get("user") or AnonymousUser()
    return {
        "claim": claim,
        "may_see": claim and may_see_claim(user, claim),
        "may_object": claim and may_object(user, claim),
    }


@register.inclusion_tag("custody/_claim_link.html", takes_context=True)
def claim_link(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render the link to claim a namespace: for everyone if it has no registrant, otherwise for other people."""
    user = context.get("user")
    is_other = isinstance(user, User) and not is_registrant(user, namespace)
    return {"namespace": namespace, "is_shown": is_other or namespace.registrant_id is None}
