"""Pages that deprecate a namespace or transfer it to another registrant."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.actions.forms import ActionForm
from registry.actions.pages import Decisions, action_page
from registry.core.exceptions import RegistryError
from registry.core.form_views import get_or_post
from registry.namespaces import permissions
from registry.namespaces.history import history_of_transfer
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person
from registry.namespaces.queries import get_namespace, get_transfer
from registry.namespaces.services.deprecation import DEPRECATE
from registry.namespaces.services.transfers import ANSWERS, OFFER_TRANSFER

TEMPLATE = "namespaces/change.html"


def find_namespace(user: Person, nid: str, **_: str) -> Namespace:
    return get_namespace(nid.lower())


def show_namespace(request: SignedInRequest, form: ActionForm) -> dict[str, Any]:
    return {"namespace": form.subject}


deprecate = action_page(DEPRECATE, find_namespace, template=TEMPLATE, show=show_namespace)
offer_transfer = action_page(OFFER_TRANSFER, find_namespace, template=TEMPLATE, show=show_namespace)


@get_or_post
@recent_sign_in_for(*ANSWERS.values(), only_post=True)
def transfer(request: SignedInRequest, nid: str, pk: int) -> HttpResponse:
    """An offer, for both sides: its terms, and the buttons that accept, decline or withdraw it."""
    namespace = get_namespace(nid.lower())
    offer = get_transfer(request.user, namespace, pk)
    decisions = Decisions(request, offer, ANSWERS)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        shown = get_transfer(request.user, namespace, pk) if refusal else offer
        offered = decisions.offered(shown)
        context = {
            "transfer": shown,
            "namespace": shown.namespace,
            "is_recipient": permissions.may_answer_transfer(request.user, shown),
            "decisions": offered,
            "history": history_of_transfer(shown),
            "recovered_texts": decisions.recovered_texts(offered),
            "refusal": refusal,
        }
        return render(request, "namespaces/transfer.html", context)

    return decisions.process(page, to=lambda _: offer.get_absolute_url())
