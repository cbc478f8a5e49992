"""Signed links in mails, which work without an account."""

from django.core.signing import BadSignature, Signer
from django.urls import reverse

from registry.custody.models import NamespaceClaim


def _signer() -> Signer:
    return Signer(salt="registry.custody.objection")


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
