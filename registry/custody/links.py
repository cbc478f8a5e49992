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


def confirmation_path(contact: NamespaceContact, *, is_to_contact: bool = False) -> str:
    """The path of the page on which the contact is confirmed, once. The link to the contact also proves its address."""
    token = _confirmation_signer(is_to_contact).signature(_stamp(contact))
    return reverse("custody:confirm_by_link", args=[contact.namespace.nid, token])


def _confirmation_signer(is_to_contact: bool) -> Signer:
    return _signer("confirmation by the contact" if is_to_contact else "confirmation")


def is_confirmation_token(contact: NamespaceContact, token: str, *, is_to_contact: bool = False) -> bool:
    signer = _confirmation_signer(is_to_contact)
    try:
        signer.unsign(f"{_stamp(contact)}{signer.sep}{token}")
    except BadSignature:
        return False
    return True


def _stamp(contact: NamespaceContact) -> str:
    """Differs after each confirmation, change and erasure, so that an old link confirms nothing."""
    return f"{contact.pk} {contact.confirmed_at.timestamp()} {contact.email}"
