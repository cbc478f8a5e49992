"""Programs and descriptions on the pages of the API documentation."""

from typing import Any

from django import template
from django.conf import settings
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from registry.api.schema.document import EXAMPLE_ORIGIN

register = template.Library()
_FOLDER = settings.BASE_DIR / "templates" / "api" / "samples"
SAMPLES = {path.name: path.read_text("utf-8").strip() for path in _FOLDER.iterdir() if path.is_file()}


@register.inclusion_tag("api/_sample.html")
def sample(name: str) -> dict[str, Any]:
    """A program, with the addresses of this installation."""
    return {"name": name, "code": SAMPLES[name].replace(EXAMPLE_ORIGIN, settings.PUBLIC_ORIGIN)}


@register.filter
def inline_code(text: str) -> SafeString:
    """A description as HTML: text between backticks is code."""
    parts = enumerate(text.split("`"))
    marked = (format_html("<code>{}</code>", part) if place % 2 else part for place, part in parts)
    return format_html_join("", "{}", ((part,) for part in marked))
