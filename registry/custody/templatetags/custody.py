"""Template tags for the pages of namespaces and organisations: the notice of a claim, and the link to make one."""

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser

from registry.accounts.models import User
from registry.core.reading import may_read
from registry.custody.links import confirmation_path
from registry.custody.models import NamespaceClaim
from registry.custody.permissions import may_change_contact, may_object
from registry.custody.queries import (
    bounce_at_contact,
    claim_shown_to_all,
    contact_of,
    is_contact_outdated,
    recovery_shown_to_all,
)
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import is_registrant
from registry.organisations.models import Organisation

register = template.Library()


@register.inclusion_tag("custody/_claim_notice.html", takes_context=True)
def claim_notice(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render that the namespace is claimed, without the name of the claimant."""
    return _notice_of(claim_shown_to_all(namespace), context)


@register.inclusion_tag("custody/_claim_notice.html", takes_context=True)
def recovery_notice(context: template.Context, organisation: Organisation) -> dict[str, Any]:
    """Render that a person asks to represent the organisation, without their name."""
    return _notice_of(recovery_shown_to_all(organisation), context)


def _notice_of(claim: NamespaceClaim | None, context: template.Context) -> dict[str, Any]:
    user = context.get("user") or AnonymousUser()
    return {
        "claim": claim,
        "may_see": claim and isinstance(user, User) and may_read(user, claim),
        "may_object": claim and may_object(user, claim),
    }


@register.inclusion_tag("custody/_recovery.html")
def recovery_link(organisation: Organisation) -> dict[str, Any]:
    """Render the link to ask to represent an organisation that has a namespace."""
    return {"organisation": organisation, "namespace": organisation.namespaces.first()}


@register.inclusion_tag("custody/_claim_link.html", takes_context=True)
def claim_link(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render the link to claim a namespace: for everyone if it has no registrant, otherwise for other people."""
    user = context.get("user")
    is_other = isinstance(user, User) and not is_registrant(user, namespace)
    return {"namespace": namespace, "is_shown": is_other or not namespace.controller.is_known}


@register.inclusion_tag("custody/_contact.html", takes_context=True)
def namespace_contact(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render the contact beside the registered text, and whether it was confirmed."""
    contact = contact_of(namespace)
    user = context.get("user") or AnonymousUser()
    is_mine = is_registrant(user, namespace)
    return {
        "namespace": namespace,
        "contact": contact,
        "bounce": bounce_at_contact(contact),
        "is_outdated": is_contact_outdated(namespace, contact),
        "may_change": may_change_contact(user, namespace),
        "confirmation": confirmation_path(contact) if contact and is_mine else "",
    }
