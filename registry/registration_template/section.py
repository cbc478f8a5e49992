"""The attributes of a section of the registration template."""

from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any, Literal

Kind = Literal["formal", "informal"]


class Required(StrEnum):
    """When a section must be filled in."""

    ALWAYS = "always"
    FORMAL = "for a formal namespace"
    FAST_TRACK = "on the fast track"
    REVISION = "on a revision"
    NEVER = "never"


class SectionFormat(Enum):
    """The type of a section's value, which determines how it is parsed, formatted and edited."""

    IDENTIFIER = "one line: a NID"
    VERSION = "a number"
    DATE = "one line: YYYY-MM-DD"
    REGISTRANT = "a Registrant"
    TEXT = "lines of text"


class Substance(Enum):
    """The finding on a section that contains only “none” or “N/A”."""

    OPTIONAL = "no finding"
    ADVISED = "advice"
    REQUIRED = "blocking where the section is required"


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One section of the template."""

    key: str
    title: str
    # A section of RFC 8141: "6.4.1", "Appendix A".
    rfc_section: str
    required: Required
    guidance: tuple[str, ...]
    example: str
    # Used instead of `guidance` if the registry fills in the section.
    guidance_for_informal: tuple[str, ...] = ()
    guidance_for_revision: tuple[str, ...] = ()
    format: SectionFormat = SectionFormat.TEXT
    # Added to the finding that the required section is empty.
    instruction: str = ""
    substance: Substance = Substance.OPTIONAL
    # Whether URNs in the text are checked as examples of the namespace.
    has_examples: bool = False
    # Whether the text only describes changes. It may cite obsolete RFCs, and has no additional sections.
    is_change_history: bool = False
    # Whether RFC 3406 has a section with this title. If not, the title identifies the format of RFC 8141.
    in_older_form: bool = False

    @property
    def reference(self) -> str:
        """The citation of the RFC, for findings."""
        place = self.rfc_section if self.rfc_section.startswith("Appendix") else f"Section {self.rfc_section}"
        return f"RFC 8141, {place}"

    def is_required(self, *, kind: Kind, fast_track: bool, is_revision: bool) -> bool:
        """Whether the section is required in a template of this kind."""
        return {
            Required.ALWAYS: True,
            Required.FORMAL: kind == "formal",
            Required.FAST_TRACK: fast_track,
            Required.REVISION: is_revision,
            Required.NEVER: False,
        }[self.required]

    def guidance_for(self, *, kind: Kind, is_revision: bool) -> tuple[str, ...]:
        """The guidance for a template of this kind."""
        if is_revision and self.guidance_for_revision:
            return self.guidance_for_revision
        if kind == "informal" and self.guidance_for_informal:
            return self.guidance_for_informal
        return self.guidance


def section(*, default: object = "", **attributes: Any) -> Any:
    """A dataclass field that declares a section. `attributes` are those of `Section`, except `key`."""
    return field(default=default, metadata=attributes)


def points(block: str) -> tuple[str, ...]:
    """The items of a list in which each item begins with a dash."""
    return tuple(" ".join(point.split()) for point in block.split("\n- ")[1:])
