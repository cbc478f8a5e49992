"""Template tags of cases: the report on a NID, the open revisions of a namespace, and the discussion list."""

from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html
from django.utils.safestring import SafeString

from registry.cases.models import Case, Round
from registry.cases.nid_report import report_in_registry
from registry.core.markdown import as_html
from registry.namespaces.models import Namespace
from registry.registration_template.sections import SECTIONS

register = template.Library()


@register.inclusion_tag("nids/_report.html")
def nid_report(nid: str) -> dict[str, Any]:
    """Render the report of the NID check."""
    return {"nid": nid, "report": report_in_registry(nid, Namespace.objects.with_latest())}


@register.inclusion_tag("cases/_open_revisions.html", takes_context=True)
def open_revisions(context: template.Context, namespace: Namespace) -> dict[str, Any]:
    """Render the submitted revisions that are not decided. A static copy, which does not follow cases, leaves them out."""
    is_copy = getattr(context.get("request"), "is_snapshot", False)
    revisions = Case.objects.public().open().filter(namespace=namespace, is_revision=True).order_by("pk")
    return {"cases": [] if is_copy else list(revisions)}


@register.simple_tag
def discussion_list() -> SafeString:
    """The address of the discussion list and, if it is known, a link to its archive (RFC 8141, Section 6.2)."""
    address = format_html('<span class="nid">{}</span>', settings.DISCUSSION_LIST)
    if not settings.DISCUSSION_ARCHIVE:
        return address
    return format_html('{} (<a href="{}">archive</a>)', address, settings.DISCUSSION_ARCHIVE)


@register.filter
def formatted_in(text: str, round_: Round) -> SafeString:
    """The CommonMark of a comment on a round as HTML; sections that it names are links to those of the round."""
    place = round_.get_absolute_url()
    return as_html(text, {section.title: f"{place}-{section.key}" for section in SECTIONS})
