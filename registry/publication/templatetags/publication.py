"""Template tags of published files."""

from django import template

from registry.publication.formats import registers
from registry.publication.formats.registers import RegisterFile
from registry.registers.models import Register

register = template.Library()


@register.simple_tag
def files_of(below: Register) -> list[RegisterFile]:
    """The files of the register below a namespace."""
    return registers.register_files(below)
