"""The page that moves namespaces of the user to an organisation that they represent."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.namespaces.forms.moves import MoveForm
from registry.namespaces.services.moves import move_to_organisation
from registry.organisations.queries import get_represented_organisation


@get_or_post
@recent_sign_in_for(move_to_organisation)
def move_namespaces(request: SignedInRequest, pk: int) -> HttpResponse:
    organisation = get_represented_organisation(request.user, pk)
    form = MoveForm(posted(request), by=request.user)

    def perform() -> HttpResponse:
        moved = form.perform(organisation, by=request.user)
        names = ", ".join(each.nid for each in moved)
        messages.success(request, f"Moved to the organisation: {names}. Its members were notified.")
        return redirect(organisation)

    context = {"form": form, "organisation": organisation}
    return process_form(form, perform, form_page(request, "namespaces/move.html", context))
