"""Deprecating a namespace, and handing it to another registrant. Whatever is refused, the words come back."""

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from registry.accounts.middleware import SignedInRequest
from registry.core.exceptions import NotPermitted, RegistryError
from registry.namespaces import permissions
from registry.namespaces.forms.changes import (
    ChangeForm,
    DeprecateForm,
    OfferTransferForm,
    TransferDecisionForm,
)
from registry.namespaces.history import history_of_transfer
from registry.namespaces.models import Transfer
from registry.namespaces.queries import get_namespace

UNPROCESSABLE = HTTPStatus.UNPROCESSABLE_ENTITY
get_or_post = require_http_methods(["GET", "HEAD", "POST"])


@get_or_post
def deprecate(request: SignedInRequest, nid: str) -> HttpResponse:
    return change(request, DeprecateForm(posted(request), namespace=get_namespace(nid.lower())))


@get_or_post
def offer_transfer(request: SignedInRequest, nid: str) -> HttpResponse:
    return change(request, OfferTransferForm(posted(request), namespace=get_namespace(nid.lower())))


def posted(request: SignedInRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def change(request: SignedInRequest, form: ChangeForm) -> HttpResponse:
    """Show the form of a change to those who may make it, or make it."""
    form.check_who(form.namespace, by=request.user)
    if not form.is_bound:
        form.check_open(form.namespace)
        return change_page(request, form)
    if not form.is_valid():
        return change_page(request, form, status=UNPROCESSABLE)
    try:
        changed = form.make(by=request.user)
    except NotPermitted:
        raise
    except RegistryError as refusal:
        return change_page(request, form, status=refusal.status, refusal=refusal)
    messages.success(request, form.made)
    return redirect(changed)


def change_page(
    request: SignedInRequest,
    form: ChangeForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    refusal: RegistryError | None = None,
) -> HttpResponse:
    context = {"namespace": form.namespace, "form": form, "refusal": refusal}
    return render(request, form.page, context, status=status)


@get_or_post
def transfer(request: SignedInRequest, nid: str, pk: int) -> HttpResponse:
    """One offer, for both its sides: what it says, and the buttons that answer it or take it back."""
    offer = _offer(request, nid, pk)
    form = TransferDecisionForm(posted(request), transfer=offer)
    if not form.is_bound:
        return _offer_page(request, offer, form)
    if not form.is_valid():
        return _offer_page(request, offer, form, status=UNPROCESSABLE)
    try:
        made = form.make(by=request.user)
    except NotPermitted:
        raise
    except RegistryError as refusal:
        return _offer_page(request, _offer(request, nid, pk), form, status=refusal.status, refusal=refusal)
    messages.success(request, made)
    return redirect(offer)


def _offer(request: SignedInRequest, nid: str, pk: int) -> Transfer:
    offers = Transfer.objects.select_related("namespace", "to", "offered_by")
    offer = get_object_or_404(offers, pk=pk, namespace=get_namespace(nid.lower()))
    if not permissions.may_see_transfer(request.user, offer):
        raise NotPermitted(f"This offer of “{offer.namespace.nid}” does not concern you.")
    return offer


def _offer_page(
    request: SignedInRequest,
    offer: Transfer,
    form: TransferDecisionForm,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    refusal: RegistryError | None = None,
) -> HttpResponse:
    written = form["reason"].value()
    context = {
        "transfer": offer,
        "namespace": offer.namespace,
        "form": form,
        "refusal": refusal,
        "history": history_of_transfer(offer),
        "may_answer": offer.is_waiting and permissions.may_answer_transfer(request.user, offer),
        "may_take_back": offer.is_waiting and permissions.may_take_back_transfer(request.user, offer),
        "recovered_texts": [("Reason", written)] if written and not offer.is_waiting else [],
    }
    return render(request, "namespaces/transfer.html", context, status=status)
