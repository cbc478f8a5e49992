"""Filters for dates and times in pages, built into all templates (settings.TEMPLATES)."""

from datetime import date, datetime

from django import template
from django.utils.dateformat import format as formatted
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()
ELEMENT = '<time datetime="{}">{}</time>'


@register.filter(expects_localtime=True)
def as_time(value: datetime | None, text_format: str = "Y-m-d H:i T") -> SafeString | str:
    """The time as a `time` element, "" without one. The machine-readable form has the seconds and the offset."""
    return _element(value, r"Y-m-d\TH:i:sO", text_format)


@register.filter(expects_localtime=True)
def as_date(value: date | str | None) -> SafeString | str:
    """The date, or the day of a time, as a `time` element, "" without one. A text such as 2016-08 is shown as it is."""
    if isinstance(value, str):
        return format_html(ELEMENT, value, value) if value else ""
    return _element(value, "Y-m-d", "Y-m-d")


def _element(value: date | None, machine_format: str, text_format: str) -> SafeString | str:
    if not value:
        return ""
    texts = (formatted(value, each) for each in (machine_format, text_format))
    return format_html(ELEMENT, *texts)
