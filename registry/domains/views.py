"""/organisations/<number>/domains/: the domains of an organisation, for its representatives."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.declarations import Action
from registry.actions.forms import ActionForm
from registry.actions.pages import process
from registry.core.form_views import FormPage, form_page, get_or_post, posted, take_action
from registry.domains.actions import ADD_DOMAIN, REMOVE_DOMAIN, REQUEST_CHECK
from registry.domains.subjects import get_domain
from registry.organisations.models import Organisation
from registry.organisations.queries import get_represented_organisation


def _page(request: SignedInRequest, organisation: Organisation, form: ActionForm) -> FormPage:
    context = {"organisation": organisation, "domains": organisation.domains.all(), "form": form}
    return form_page(request, "domains/list.html", context)


@get_or_post
@recent_sign_in_for(ADD_DOMAIN, only_post=True)
def domains(request: SignedInRequest, pk: int) -> HttpResponse:
    """The domains with what proves them. POST adds one."""
    organisation = get_represented_organisation(request.user, pk)
    form = ActionForm(posted(request), action=ADD_DOMAIN, subject=organisation, by=request.user)
    page = _page(request, organisation, form)
    return process(request, form, page, to=lambda _: reverse("domains:list", args=[pk]))


@require_POST
def check(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Ask for a check of a domain."""
    return _act(request, pk, number, REQUEST_CHECK)


@require_POST
@recent_sign_in_for(REMOVE_DOMAIN)
def remove(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Remove a domain."""
    return _act(request, pk, number, REMOVE_DOMAIN)


def _act(request: SignedInRequest, pk: int, number: int, action: Action[Any]) -> HttpResponse:
    domain = get_domain(request.user, pk, number)

    def perform() -> HttpResponse:
        action.function(domain, by=request.user)
        messages.success(request, action.success_message(domain))
        return redirect("domains:list", pk)

    form = ActionForm(action=ADD_DOMAIN, subject=domain.organisation, by=request.user)
    return take_action(perform, _page(request, domain.organisation, form))
