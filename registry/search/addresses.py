"""Texts that name one page: URNs and NIDs."""

from django.urls import reverse
from django.utils.http import urlencode

from registry.namespaces.queries import find_namespace
from urnsyntax.urn import is_urn

SCHEME = "urn:"


def address_of(text: str) -> str:
    """The address of the page of a URN, or of a registered NID in any letter case; "" for other texts."""
    if is_urn(text):
        return f"{reverse('urns:check')}?{urlencode({'urn': text})}"
    namespace = find_namespace(nid_in(text))
    return namespace.get_absolute_url() if namespace else ""


def nid_in(text: str) -> str:
    """The text as a NID in lower case, without the scheme and the colon after the NID: “urn:ISBN:” is “isbn”."""
    return text.lower().removeprefix(SCHEME).removesuffix(":")
