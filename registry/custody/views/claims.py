"""The pages of claims: the form, the claim with its decisions, and the objection by a mailed link."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.form_views import form_page, get_or_post, posted, process_form, take_action
from registry.core.http.request_limits import accepts_body
from registry.core.text_limits import BodySize
from registry.custody.decisions import DECISIONS, decisions_open_to
from registry.custody.forms import ClaimDecisionForm, ClaimForm, RecoveryForm
from registry.custody.known_addresses import places_naming
from registry.custody.links import is_objection_token
from registry.custody.models import NamespaceClaim
from registry.custody.permissions import may_decide_on_claim
from registry.custody.queries import find_claim, get_claim, history_of_claim
from registry.custody.services import claims as services
from registry.custody.services.claims import (
    check_may_claim,
    check_may_recover,
    object_to_claim,
)
from registry.namespaces.models import Namespace
from registry.namespaces.queries import get_namespace


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_for(services.claim_namespace)
def claim_namespace(request: SignedInRequest, nid: str) -> HttpResponse:
    namespace = get_namespace(nid.lower())
    check_may_claim(namespace, by=request.user)
    form = ClaimForm(posted(request), by=request.user)
    return _evidence_page(request, namespace, form, "custody/claim_namespace.html")


@accepts_body(BodySize.TEXTS)
@get_or_post
@recent_sign_in_for(services.recover_organisation)
def recover_organisation(request: SignedInRequest, nid: str) -> HttpResponse:
    namespace = get_namespace(nid.lower())
    check_may_recover(namespace, by=request.user)
    form = RecoveryForm(posted(request))
    return _evidence_page(request, namespace, form, "custody/recover_organisation.html")


def _evidence_page(
    request: SignedInRequest, namespace: Namespace, form: ClaimForm | RecoveryForm, template: str
) -> HttpResponse:
    """The form of a claim, or the undecided claim of the user."""
    if own := namespace.claims.undecided().filter(claimant=request.user).first():
        return redirect(own)

    def perform() -> HttpResponse:
        claim = form.perform(namespace, by=request.user)
        messages.success(
            request, "Your claim was sent to the administrators. You get their decision by e-mail."
        )
        return redirect(claim)

    return process_form(form, perform, form_page(request, template, {"namespace": namespace, "form": form}))


@get_or_post
@recent_sign_in_for(*(each.action for each in DECISIONS.values()), only_post=True)
def claim(request: SignedInRequest, nid: str, pk: int) -> HttpResponse:
    """A claim, for the claimant, the administrators, and the registrant who can object."""
    namespace = get_namespace(nid.lower())
    shown = get_claim(request.user, namespace, pk)
    form = ClaimDecisionForm(posted(request))

    def perform() -> HttpResponse:
        messages.success(request, form.perform(shown, by=request.user))
        after = find_claim(namespace, pk)
        return redirect(after if after and may_decide_on_claim(request.user, after) else namespace)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        current = get_claim(request.user, namespace, pk) if refusal else shown
        context = _context(request, current, form) | {"refusal": refusal}
        return render(request, "custody/claim.html", context)

    return process_form(form, perform, page)


def _context(request: SignedInRequest, shown: NamespaceClaim, form: ClaimDecisionForm) -> dict[str, Any]:
    decides = may_decide_on_claim(request.user, shown)
    decisions = decisions_open_to(request.user, shown)
    typed = form["reason"].value()
    return {
        "claim": shown,
        "namespace": shown.namespace,
        "form": form,
        "decisions": decisions,
        "chosen": form["decision"].value(),
        "is_claimant": shown.is_by(request.user),
        "decides": decides,
        "places": places_naming(shown) if decides else [],
        "history": history_of_claim(shown),
        "recovered_texts": [("Reason", typed)]
        if typed and not any(each.takes_reason for each in decisions)
        else [],
    }


@login_not_required
@get_or_post
@never_cache
def object_by_link(request: HttpRequest, nid: str, pk: int, token: str) -> HttpResponse:
    """The page of the link that is mailed to all known addresses. Only its button ends the claim."""
    namespace = get_namespace(nid.lower())
    shown = find_claim(namespace, pk)
    if shown is None or not is_objection_token(shown, token):
        raise NotPermitted(f"This is not a link to a claim of “{namespace.nid}”.")
    page = form_page(request, "custody/object.html", {"claim": shown, "namespace": namespace})

    def perform() -> HttpResponse:
        object_to_claim(shown, by=None)
        messages.success(request, "The claim has ended. The registrant stays the same.")
        return redirect(namespace)

    return take_action(perform, page) if request.method == "POST" else page()
