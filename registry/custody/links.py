"""Signed links in mails, which work without an account."""

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from registry.custody.models import NamespaceClaim, NamespaceContact


def _signer(purpose: str = "objection") -> Signer:
    return Signer(salt=f"registry.custody.{purpose}")


def objection_path(claim: NamespaceClaim) -> str:
    """The path of the page on which the owner of a known address objects to a claim."""
    token = _signer().signature(str(claim.pk))
    return reverse("custody:object_by_link", args=[claim.namespace.nid, claim.pk, token])


def is_objection_token(claim: NamespaceClaim, token: str) -> bool:
    signer = _signer()
    try:
        signer.unsign(f"{claim.pk}{signer.sep}{token}")
    except BadSignature:
        return False
    return True


def confirmation_path(contact: NamespaceContact) -> str:
    """The path of the page on which the contact is confirmed, once."""
    token = _signer("confirmation").signature(_stamp(contact))
    return reverse("custody:confirm_by_link", args=[contact.namespace.nid, token])


def is_confirmation_token(contact: NamespaceContact, token: str) -> bool:
    signer = _signer("confirmation")
    try:
        signer.unsign(f"{_stamp(contact)}{signer.sep}{token}")
    except BadSignature:
        return False
    return True


def _stamp(contact: NamespaceContact) -> str:
    """Differs after each confirmation and change, so that an old link confirms nothing."""
    return f"{contact.pk} {contact.confirmed_at.timestamp()}"
