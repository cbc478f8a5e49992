"""Views that deprecate a namespace or transfer it to another registrant."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.exceptions import RegistryError
from registry.core.form_views import FormPage, form_page, get_or_post, posted, process_form
from registry.core.http.request_limits import accepts_body
from registry.core.text_limits import BodySize
from registry.namespaces import permissions
from registry.namespaces.forms.changes import (
    ChangeForm,
    DeprecateForm,
    OfferTransferForm,
    TransferDecisionForm,
)
from registry.namespaces.history import history_of_transfer
from registry.namespaces.models import Transfer
from registry.namespaces.queries import get_namespace, get_transfer
from registry.namespaces.services.transfers import DECISIONS


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_for(DeprecateForm.action)
def deprecate(request: SignedInRequest, nid: str) -> HttpResponse:
    return change(request, DeprecateForm(posted(request), namespace=get_namespace(nid.lower())))


@get_or_post
@recent_sign_in_for(OfferTransferForm.action)
def offer_transfer(request: SignedInRequest, nid: str) -> HttpResponse:
    return change(request, OfferTransferForm(posted(request), namespace=get_namespace(nid.lower())))


def change(request: SignedInRequest, form: ChangeForm) -> HttpResponse:
    """Show the form of a change, or carry it out."""
    form.check_who(form.namespace, by=request.user)
    if not form.is_bound:
        form.check_open(form.namespace)

    def perform() -> HttpResponse:
        changed = form.perform(by=request.user)
        messages.success(request, form.success_message)
        return redirect(changed)

    return process_form(form, perform, change_page(request, form))


def change_page(request: SignedInRequest, form: ChangeForm) -> FormPage:
    return form_page(request, form.page, {"namespace": form.namespace, "form": form})


@get_or_post
@recent_sign_in_for(*(each.action for each in DECISIONS.values()), only_post=True)
def transfer(request: SignedInRequest, nid: str, pk: int) -> HttpResponse:
    """An offer, for both sides: its terms, and the buttons that accept, decline or withdraw it."""
    namespace = get_namespace(nid.lower())
    offer = get_transfer(request.user, namespace, pk)
    form = TransferDecisionForm(posted(request), transfer=offer, by=request.user)

    def perform() -> HttpResponse:
        messages.success(request, form.perform(by=request.user))
        return redirect(offer)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        shown = get_transfer(request.user, namespace, pk) if refusal else offer
        context = _offer_context(request, shown, form)
        return render(request, "namespaces/transfer.html", context | {"refusal": refusal})

    return process_form(form, perform, page)


def _offer_context(request: SignedInRequest, offer: Transfer, form: TransferDecisionForm) -> dict[str, Any]:
    written = form["reason"].value()
    return {
        "transfer": offer,
        "namespace": offer.namespace,
        "is_recipient": permissions.may_answer_transfer(request.user, offer),
        "form": form,
        "history": history_of_transfer(offer),
        "decisions": [
            each for each in DECISIONS.values() if offer.is_waiting and each.is_allowed(request.user, offer)
        ],
        "recovered_texts": [("Reason", written)] if written and not offer.is_waiting else [],
    }
