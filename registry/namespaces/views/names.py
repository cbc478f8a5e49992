"""The verdict on a name of a namespace, while it is typed."""

from typing import Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from registry.namespaces.queries import get_namespace, redirect_to_lower_case
from urnsyntax import URN, InvalidURN
from urnsyntax.profiles import Profile


@login_not_required
@require_safe
@redirect_to_lower_case
def check_name(request: HttpRequest, nid: str) -> HttpResponse:
    """For htmx, only the verdict; otherwise, redirect to the page of the URN."""
    namespace = get_namespace(nid)
    text = request.GET.get("urn", "").strip()
    response: HttpResponse
    if "HX-Request" in request.headers:
        profile = namespace.current_profile
        context = {"namespace": namespace, "profile": profile, "text": text}
        response = render(request, "namespaces/_name_verdict.html", context | _verdict(profile, nid, text))
    else:
        response = redirect(f"{reverse('urns:check')}?{urlencode({'urn': text})}")
    patch_vary_headers(response, ["HX-Request"])
    return response


def _verdict(profile: Profile | None, nid: str, text: str) -> dict[str, Any]:
    """The syntax error of the text, or the URN and, if it belongs to the namespace, the judgement.

    The text may be an NSS without the beginning of the URN.
    """
    try:
        urn = URN.parse(text if text.lower().startswith("urn:") else f"urn:{nid}:{text}")
    except InvalidURN as error:
        return {"error": error}
    is_here = urn.nid.lower() == nid
    return {"urn": urn, "is_here": is_here, "judgement": profile.judge(urn) if profile and is_here else None}
