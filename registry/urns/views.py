"""The view that checks a URN: its parts, normal form and namespace, or the position of a syntax error."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.namespaces.models import Namespace
from registry.namespaces.profiles import comparison_in_words
from urnsyntax import URN, InvalidURN, classify

EXAMPLES = ("urn:isbn:0451450523", "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6", "urn:ietf:rfc:8141")


@login_not_required
@require_safe
def check_urn(request: HttpRequest) -> HttpResponse:
    """Check the text without trimming it, so that surrounding spaces are reported."""
    text = request.GET.get("urn", "")
    if not text:
        return render(request, "urns/check.html", {"examples": EXAMPLES})
    try:
        parsed = URN.parse(text)
    except InvalidURN as error:
        return render(
            request, "urns/check.html", {"text": text, "error": error}, status=HTTPStatus.BAD_REQUEST
        )
    nid = parsed.nid.lower()
    namespace = Namespace.objects.with_profile("holder", "deprecated_at").filter(nid=nid).first()
    profile = namespace.profile.value if namespace and namespace.profile else None
    context = {
        "text": text,
        "urn": parsed,
        "normalized": parsed.normalized(),
        "nid": nid,
        "namespace": namespace,
        "judgement": profile and profile.judge(parsed),
        "comparison": profile and comparison_in_words(profile.names),
        "status": classify(nid),
    }
    return render(request, "urns/check.html", context)
