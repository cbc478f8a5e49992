"""Pages of claims, and of the contact of a namespace."""

from functools import partial
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.forms import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.pages import action_page, decisions_page
from registry.core.exceptions import NotPermitted
from registry.core.form_views import form_page, get_or_post, lead_to, take_action
from registry.custody.actions.claims import CLAIM_NAMESPACE, DECISIONS, RECOVER_ORGANISATION, object_to_claim
from registry.custody.actions.contact import CHANGE_CONTACT, confirm_contact
from registry.custody.evidence import places_naming
from registry.custody.links import is_confirmation_token, is_objection_token
from registry.custody.models import NamespaceClaim, NamespaceContact
from registry.custody.permissions import may_decide_on_claim
from registry.custody.queries import find_claim, get_claim, history_of_claim
from registry.namespaces.models import Namespace
from registry.namespaces.queries import get_namespace
from registry.namespaces.views import find_for_action


def _own_claim(request: SignedInRequest, namespace: Namespace) -> HttpResponse | None:
    """A person who has claimed the namespace is led to the claim, while it is undecided."""
    own = namespace.claims.undecided().filter(claimant=request.user).first()
    return redirect(own) if own else None


_claim_page = partial(action_page, find=find_for_action, instead=_own_claim)
claim_namespace = _claim_page(CLAIM_NAMESPACE, template="custody/claim_namespace.html")
recover_organisation = _claim_page(RECOVER_ORGANISATION, template="custody/recover_organisation.html")


def _find_claim(user: User, nid: str, pk: int) -> NamespaceClaim:
    namespace = get_namespace(nid.lower())
    found = get_claim(user, pk, namespace=namespace)
    found.namespace = namespace
    return found


def _show_claim(request: SignedInRequest, claim: NamespaceClaim) -> dict[str, Any]:
    decides = may_decide_on_claim(request.user, claim)
    return {
        "claim": claim,
        "namespace": claim.namespace,
        "is_claimant": claim.is_by(request.user),
        "decides": decides,
        "places": places_naming(claim) if decides else [],
        "history": history_of_claim(claim),
    }


def _after_decision(user: User, claim: NamespaceClaim) -> str:
    """Where a decision leads: an administrator to the claim, others to the namespace."""
    return (claim if may_decide_on_claim(user, claim) else claim.namespace).get_absolute_url()


# A claim, for the claimant, the administrators, and the registrant who can object.
claim = decisions_page(DECISIONS, _find_claim, "custody/claim.html", show=_show_claim, to=_after_decision)


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
        return lead_to(request, "The claim has ended. The registrant stays the same.", namespace)

    return take_action(perform, page) if request.method == "POST" else page()


def _current_contact(namespace: Namespace) -> dict[str, Any]:
    contact = NamespaceContact.objects.filter(pk=namespace.pk).first()
    return model_to_dict(contact, fields=("name", "email")) if contact else {}


change_contact = action_page(
    CHANGE_CONTACT,
    find_for_action,
    template="custody/contact.html",
    initial=_current_contact,
)


@login_not_required
@get_or_post
@never_cache
def confirm_by_link(request: HttpRequest, nid: str, token: str) -> HttpResponse:
    """The page of the link in reminders. Only its button confirms the contact."""
    namespace = get_namespace(nid.lower())
    contact = NamespaceContact.objects.filter(pk=namespace.pk).first()
    is_by_contact = contact is not None and is_confirmation_token(contact, token, is_to_contact=True)
    if contact is None or not (is_by_contact or is_confirmation_token(contact, token)):
        raise NotPermitted(
            f"This link no longer confirms the contact of “{namespace.nid}”: it was confirmed or changed."
        )

    def perform() -> HttpResponse:
        confirm_contact(namespace, by=None, is_by_contact=is_by_contact)
        return lead_to(request, "The contact is confirmed for a year.", namespace)

    page = form_page(request, "custody/confirm.html", {"namespace": namespace, "contact": contact})
    return take_action(perform, page) if request.method == "POST" else page()
