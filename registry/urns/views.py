"""The views that say what a URN names, whether it follows the rules of its namespace, and what its parts are."""

import re
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from registry.namespaces.current_profiles import comparison_in_words
from registry.namespaces.models import Namespace
from registry.namespaces.queries import get_namespace, nid_in, nid_of_urn, redirect_to_lower_case
from registry.namespaces.suggestions import RegistryProfiles, suggestions_for, suggestions_for_unregistered
from registry.resolution.namespace_data import namespace_data_of_one
from registry.resolution.resolving import resolve_stored
from registry.sightings.models import SIGHTED, Sighting
from registry.subnamespaces.lists import judge
from urnsyntax import URN, InvalidURN, classify
from urnsyntax.encoding import display
from urnsyntax.profiles import Judgement
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
            "beginning_of": _namespace_of_beginning(text),
            **_uses_of(text),
        }
        status = HTTPStatus.BAD_REQUEST
    return render(
        request, "urns/check.html", {"text": text, "was_trimmed": text != typed, **context}, status=status
    )


def _namespace_of_beginning(text: str) -> Namespace | None:
    """The registered namespace of a text that has no name after its NID, such as “urn:isbn” or “urn:isbn:”."""
    nid = nid_of_urn(text)
    if not nid or nid != nid_in(text):
        return None
    return Namespace.objects.with_profile().filter(nid=nid).first()


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
    may_resolve = profile.services or namespace.has_subnamespaces
    resolution = resolve_stored(urn, namespace_data_of_one(nid)) if may_resolve else None
    judgement = resolution.judgement if resolution else profile.judge(urn)
    return context | {
        "profile": profile,
        "judgement": judgement,
        "near_urns": _near_urns(judgement),
        "comparison": comparison_in_words(profile.names),
        "resolution": resolution,
    }


@login_not_required
@require_safe
@redirect_to_lower_case
def check_name(request: HttpRequest, nid: str) -> HttpResponse:
    """For htmx, only the verdict; otherwise, redirect to the page of the URN."""
    namespace = get_namespace(nid)
    text = request.GET.get("urn", "").strip()
    response: HttpResponse
    if "HX-Request" in request.headers:
        context = {"namespace": namespace, "text": text, **_verdict(namespace, text)}
        response = render(request, "urns/_name_verdict.html", context)
    else:
        response = redirect(f"{reverse('urns:check')}?{urlencode({'urn': text})}")
    patch_vary_headers(response, ["HX-Request"])
    return response


def _verdict(namespace: Namespace, text: str) -> dict[str, Any]:
    """The syntax error of the text, or the URN and, if it belongs to the namespace, the judgement.

    The text may be an NSS without the beginning of the URN.
    """
    try:
        urn = URN.parse(text if text.lower().startswith("urn:") else f"urn:{namespace.nid}:{text}")
    except InvalidURN as error:
        return {"error": error}
    is_here = urn.nid.lower() == namespace.nid
    judgement = judge(namespace, urn) if is_here else None
    return {"urn": urn, "is_here": is_here, "judgement": judgement, "near_urns": _near_urns(judgement)}


def _near_urns(judgement: Judgement | None) -> list[tuple[str, str]]:
    """The labels of the list near the unknown one, each with the URN that has it instead."""
    unknown = judgement.unknown_subnamespace if judgement else None
    if judgement is None or unknown is None or unknown.start is None:
        return []
    name = f"urn:{judgement.profile.nid}:{judgement.nss}"
    return [(each, name[: unknown.start] + each + name[unknown.end :]) for each in unknown.near]
