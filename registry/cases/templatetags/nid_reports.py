"""What a NID is, said on pages of other rooms: a namespace that is not there, say."""

from typing import Any

from django import template

from registry.cases.nids.page_report import page_report_on

register = template.Library()


@register.inclusion_tag("nids/_report.html")
def nid_report(nid: str) -> dict[str, Any]:
    """The answer of the NID check."""
    return {"nid": nid, "page_report": page_report_on(nid)}
