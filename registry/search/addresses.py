"""Texts that name one page: URNs and NIDs."""

from django.urls import reverse
from django.utils.http import urlencode

from registry.namespaces.models import Namespace
from registry.namespaces.queries import nid_in
from urnsyntax.nid import is_well_formed
from urnsyntax.urn import is_urn


def address_of(text: str) -> str:
    """The address of the page of a URN, or of a registered NID in any letter case; "" for other texts."""
    if is_urn(text):
        return f"{reverse('urns:check')}?{urlencode({'urn': text})}"
    nid = nid_in(text)
    is_registered = is_well_formed(nid) and Namespace.objects.filter(nid=nid).exists()
    return reverse("namespaces:detail", args=[nid]) if is_registered else ""
