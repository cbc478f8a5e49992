"""The template as plain text: into a submission and out of it."""

from registry.appendix_a.formatting import format_text
from registry.appendix_a.parsing import Parsed, Remark, Unplaced, parse, parse_all

__all__ = ["Parsed", "Remark", "Unplaced", "format_text", "parse", "parse_all"]
