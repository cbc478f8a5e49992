"""Template tag for pages of organisations: the verified domains."""

from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser

from registry.domains.models import OrganisationDomain
from registry.organisations.models import Organisation
from registry.organisations.permissions import is_representative

register = template.Library()


@register.inclusion_tag("domains/_verified.html", takes_context=True)
def verified_domains(context: template.Context, organisation: Organisation) -> dict[str, Any]:
    """Render the domains that the organisation has proved, and for representatives the link to manage them."""
    user = context.get("user") or AnonymousUser()
    return {
        "organisation": organisation,
        "domains": OrganisationDomain.objects.verified().filter(organisation=organisation),
        "may_manage": is_representative(user, organisation.pk),
    }
