"""/organisations/<number>/domains/: the domains of an organisation, for its representatives."""

from typing import Any

from django.urls import reverse

from registry.accounts.middleware import SignedInRequest
from registry.actions.pages import decisions_page
from registry.domains.actions import ACTIONS, ADD_DOMAIN
from registry.organisations.models import Organisation
from registry.organisations.queries import get_represented_organisation


def _show_domains(request: SignedInRequest, organisation: Organisation) -> dict[str, Any]:
    return {"domains": organisation.domains.all(), "actions": ACTIONS}


# The domains with what proves them. POST adds one.
domains = decisions_page(
    {"add": ADD_DOMAIN},
    get_represented_organisation,
    "domains/list.html",
    show=_show_domains,
    to=lambda user, organisation: reverse("domains:list", args=[organisation.pk]),
)
