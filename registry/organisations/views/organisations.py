"""Pages of organisations: the list of the user's organisations, the public page, and the forms for name and homepage."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.forms import ActionForm
from registry.actions.pages import process
from registry.core.form_views import form_page, get_or_post, posted
from registry.organisations.permissions import part_of
from registry.organisations.queries import (
    get_organisation,
    get_represented_organisation,
    invitations_to,
    memberships_of,
)
from registry.organisations.services.organisations import CREATE_ORGANISATION, DESCRIBE_ORGANISATION

# Rows of each list on the page of an organisation.
MAX_ROWS = 200


@require_safe
def mine(request: SignedInRequest) -> HttpResponse:
    """The organisations of the user, and invitations to others."""
    context = {"memberships": memberships_of(request.user), "invitations": invitations_to(request.user)}
    return render(request, "organisations/mine.html", context)


@require_safe
@login_not_required
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    """The public page: the name, the namespaces and the public cases. Only members see the drafts."""
    organisation = get_organisation(request.user, pk)
    part = part_of(request.user, pk)
    cases = organisation.cases.visible_to(request.user).select_related("namespace", "body")
    context = {
        "organisation": organisation,
        "part": part,
        "namespaces": organisation.namespaces.with_latest()[:MAX_ROWS],
        "cases": cases.open_first()[:MAX_ROWS],
    }
    return render(request, "organisations/detail.html", context)


@get_or_post
def create(request: SignedInRequest) -> HttpResponse:
    form = ActionForm(posted(request), action=CREATE_ORGANISATION, subject=request.user, by=request.user)
    page = form_page(request, "organisations/form.html", {"form": form})
    return process(request, form, page, to=lambda made: reverse("organisations:members", args=[made.pk]))


@get_or_post
@recent_sign_in_for(DESCRIBE_ORGANISATION, only_post=True)
def describe(request: SignedInRequest, pk: int) -> HttpResponse:
    organisation = get_represented_organisation(request.user, pk)
    form = ActionForm(posted(request), action=DESCRIBE_ORGANISATION, subject=organisation, by=request.user)
    form.initial.update(name=organisation.name, homepage=organisation.homepage)
    return process(
        request,
        form,
        form_page(request, "organisations/form.html", {"form": form, "organisation": organisation}),
    )
