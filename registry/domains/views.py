"""/organisations/<number>/domains/: the domains of an organisation, for its representatives."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.form_views import FormPage, form_page, get_or_post, posted, process_form, take_action
from registry.domains.forms import DomainForm
from registry.domains.queries import get_domain
from registry.domains.services import add_domain, remove_domain, request_check
from registry.organisations.models import Organisation
from registry.organisations.queries import get_represented_organisation


def _page(request: SignedInRequest, organisation: Organisation, form: DomainForm) -> FormPage:
    context = {"organisation": organisation, "domains": organisation.domains.all(), "form": form}
    return form_page(request, "domains/list.html", context)


@get_or_post
@recent_sign_in_for(add_domain, only_post=True)
def domains(request: SignedInRequest, pk: int) -> HttpResponse:
    """The domains with what proves them. POST adds one."""
    organisation = get_represented_organisation(request.user, pk)
    form = DomainForm(posted(request))

    def perform() -> HttpResponse:
        added = form.perform(organisation, by=request.user)
        messages.success(request, f"{added} was added. Publish its proof, then check it.")
        return redirect("domains:list", pk)

    return process_form(form, perform, _page(request, organisation, form))


@require_POST
def check(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Ask for a check of a domain."""
    return _act(request, pk, number, request_check, "{} is checked within a minute. Reload this page then.")


@require_POST
@recent_sign_in_for(remove_domain)
def remove(request: SignedInRequest, pk: int, number: int) -> HttpResponse:
    """Remove a domain."""
    return _act(request, pk, number, remove_domain, "{} was removed.")


def _act(
    request: SignedInRequest, pk: int, number: int, action: Callable[..., object], success: str
) -> HttpResponse:
    domain = get_domain(request.user, pk, number)

    def perform() -> HttpResponse:
        action(domain, by=request.user)
        messages.success(request, success.format(domain))
        return redirect("domains:list", pk)

    return take_action(perform, _page(request, domain.organisation, DomainForm()))
