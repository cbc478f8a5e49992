"""The view that says what a URN names, whether it follows the rules of its namespace, and what its parts are."""

import re
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from registry.namespaces.current_profiles import comparison_in_words
from registry.namespaces.models import Namespace
from registry.namespaces.suggestions import RegistryProfiles, suggestions_for, suggestions_for_unregistered
from registry.resolution.namespace_data import namespace_data_of_one
from registry.resolution.resolving import resolve_stored
from registry.sightings.models import SIGHTED, Sighting
from urnsyntax import URN, InvalidURN, classify
from urnsyntax.encoding import display
from urnsyntax.recognition import recognise

EXAMPLES = (
    "urn:isbn:978-0-451-45052-4",
    "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
    "urn:ietf:rfc:8141",
    "urn:lex:eu:council:directive:2010-03-09;2010-19-UE",
)


@login_not_required
@require_safe
def check_urn(request: HttpRequest) -> HttpResponse:
    """Check the text without surrounding spaces; the page says that they were removed."""
    typed = request.GET.get("urn", "")
    text = typed.strip()
    if not text:
        return render(request, "urns/check.html", {"examples": EXAMPLES})
    try:
        context, status = _context(URN.parse(text)), HTTPStatus.OK
    except InvalidURN as error:
        context = {
            "error": error,
            "suggestions": suggestions_for(text),
            "recognised": recognise(text),
            **_uses_of(text),
        }
        status = HTTPStatus.BAD_REQUEST
    return render(
        request, "urns/check.html", {"text": text, "was_trimmed": text != typed, **context}, status=status
    )


def _uses_of(text: str) -> dict[str, Any]:
    """The sightings of what stands in the place of the NID in a text that is no URN, such as “adsk.eagle”."""
    _, _, rest = text.lower().partition("urn:")
    nid, colon, _ = rest.partition(":")
    return (
        {"nid": nid, "sightings": Sighting.objects.public().of([nid])}
        if re.fullmatch(SIGHTED, nid) and colon
        else {}
    )


def _context(urn: URN) -> dict[str, Any]:
    """What the page says of a URN."""
    nid = urn.nid.lower()
    namespaces = Namespace.objects.with_profile("holder", "deprecated_at", "successor__nid")
    namespace = namespaces.select_related("successor").filter(nid=nid).first()
    query = urlencode({"urn": urn.normalized()})
    context = {"urn": urn, "nid": nid, "namespace": namespace, "normalized": urn.normalized()}
    shown = display(urn)
    context |= {"displayed": shown if shown != str(urn) else "", "notes": urn.notes}
    context |= {"origin": settings.PUBLIC_ORIGIN, "citation_link": f"{reverse('urns:check')}?{query}"}
    if namespace is None:
        profiles = RegistryProfiles(unregistered=nid)
        similar = profiles.similar_nids(nid)
        return context | {
            "status": classify(nid),
            "similar_nids": similar,
            "sightings": Sighting.objects.public().of([nid]),
            "suggestions": suggestions_for_unregistered(urn, profiles) if similar else (),
        }
    profile = namespace.current_profile
    if profile is None:
        return context
    return context | {
        "profile": profile,
        "judgement": profile.judge(urn),
        "comparison": comparison_in_words(profile.names),
        "resolution": resolve_stored(urn, namespace_data_of_one(nid))
        if profile.services or namespace.has_subnamespaces
        else None,
    }
