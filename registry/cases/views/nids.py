"""/nids/: the check of a NID, also while it is typed."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from registry.cases.nids.report import report_on
from registry.core.http.htmx import render_page_or_partial
from registry.namespaces.models import Namespace
from registry.registration_template.nids.rules import RULES

EXAMPLES = ("isbn", "isbm", "weather-stations", "x-foo", "de-books", "fra", "http", "is_bn")
MAX_LENGTH_SHOWN = 100  # characters; a NID has fewer


@login_not_required
@require_safe
def check(request: HttpRequest) -> HttpResponse:
    typed = request.GET.get("nid", "")
    nid = _without_surroundings(typed)
    context = {
        "nid": nid,
        "was_trimmed": bool(nid) and nid != typed,
        "report": report_on(nid[:MAX_LENGTH_SHOWN], Namespace.objects.with_latest()) if nid else None,
        "rules": [rule for rule in RULES if rule.summary],
        "examples": EXAMPLES,
    }
    return render_page_or_partial(request, "nids/check.html", "nids/_report.html", context)


def _without_surroundings(typed: str) -> str:
    """The NID without spaces and the rest of a URN that begins with it: “ urn:museum: ”."""
    nid = typed.strip()
    if nid[:4].lower() == "urn:":
        nid = nid[4:].lstrip()
    return nid.removesuffix(":").rstrip()
