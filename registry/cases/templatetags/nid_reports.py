"""The report on a NID, for the pages of other apps."""

from typing import Any

from django import template

from registry.cases.nids.report import report_on
from registry.namespaces.models import Namespace

register = template.Library()


@register.inclusion_tag("nids/_report.html")
def nid_report(nid: str) -> dict[str, Any]:
    """The same as on the page of the NID check."""
    return {"nid": nid, "report": report_on(nid, Namespace.objects.with_latest())}
