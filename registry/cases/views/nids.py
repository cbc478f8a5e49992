"""/nids/: the check of a NID, for everybody, also while they type."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from registry.cases.nids.report import report_on
from registry.core.htmx import render_page_or_partial
from registry.namespaces.models import Namespace

EXAMPLES = ("isbn", "isbm", "weather-stations", "x-foo", "de-books", "fra", "http", "is_bn")
LONGEST_SHOWN = 100  # of a text that is no NID anyway


@login_not_required
@require_safe
def check(request: HttpRequest) -> HttpResponse:
    nid = request.GET.get("nid", "")
    context = {
        "nid": nid,
        "report": report_on(nid[:LONGEST_SHOWN], Namespace.objects.with_latest()) if nid else None,
        "examples": EXAMPLES,
    }
    return render_page_or_partial(request, "nids/check.html", "nids/_report.html", context)
