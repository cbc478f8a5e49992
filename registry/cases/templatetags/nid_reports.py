"""Template tag for the report on a NID, for pages of other apps."""

from typing import Any

from django import template

from registry.cases.nids.report import report_on
from registry.namespaces.models import Namespace

register = template.Library()


@register.inclusion_tag("nids/_report.html")
def nid_report(nid: str) -> dict[str, Any]:
    """Render the report of the NID check."""
    return {"nid": nid, "report": report_on(nid, Namespace.objects.with_latest())}
