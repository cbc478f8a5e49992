"""The completed template as an immutable value in normal form, with a JSON form and a digest.

Two templates are equal if their normal forms are (`registry.registration_template.normal_form`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from registry.core.digests import digest_of
from registry.registration_template.commitments import Commitments
from registry.registration_template.exceptions import TemplateTooLong, WrongType
from registry.registration_template.normal_form import (
    MAX_CHARACTERS,
    check_fields,
    check_text,
    check_version,
    normalize_date,
    normalize_identifier,
    normalize_text,
)
from registry.registration_template.sections import SECTIONS, Registrant, SectionFormat, Sections

_NORMALIZERS: Mapping[SectionFormat, Callable[[str], str]] = {
    SectionFormat.IDENTIFIER: normalize_identifier,
    SectionFormat.DATE: normalize_date,
    SectionFormat.TEXT: normalize_text,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationTemplate(Sections):
    """One completed template. Missing sections are empty. Raises InvalidTemplate."""

    def __post_init__(self) -> None:
        if not isinstance(self.registrant, Registrant):
            raise WrongType("registrant must be a Registrant.", section="registrant")
        check_version(self.version)
        for section in SECTIONS:
            if normalize := _NORMALIZERS.get(section.format):
                text = check_text(section.key, getattr(self, section.key))
                object.__setattr__(self, section.key, normalize(text))
        self._check_length()

    def _check_length(self) -> None:
        values = [getattr(self, section.key) for section in SECTIONS]
        texts = [*values, *self.registrant.to_json().values()]
        total = sum(len(text) for text in texts if isinstance(text, str))
        if total > MAX_CHARACTERS:
            raise TemplateTooLong(
                f"The template has {total:,} characters; the limit is {MAX_CHARACTERS:,}. "
                "Move details to a specification, and cite it under Documentation."
            )

    def is_filled(self, key: str) -> bool:
        """Whether the section of this key has content."""
        return getattr(self, key) not in ("", None, Registrant())

    def to_json(self) -> dict[str, Any]:
        """The sections as JSON types by their keys, in the order of the template."""
        values = {section.key: getattr(self, section.key) for section in SECTIONS}
        return values | {"registrant": self.registrant.to_json()}

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Missing fields are empty; unknown fields are rejected."""
        check_fields(cls, mapping, "template")
        values = dict(mapping)
        if "registrant" in values:
            values["registrant"] = Registrant.from_json(values["registrant"])
        return cls(**values)

    def digest(self, commitments: Commitments | None = None) -> str:
        """The SHA-256 digest, in hexadecimal, of the canonical JSON form.

        Canonical JSON is UTF-8 with sorted keys, without spaces and empty fields. Only control characters, quotation
        marks and backslashes are escaped. Adding a section to the form does not change the digests of existing
        templates, in which it is empty. With `commitments`, the texts of the registrant are represented by their
        salted digests.
        """
        registrant = {name: value for name, value in self.registrant.to_json().items() if value}
        if commitments is not None:
            registrant |= {name: each["digest"] for name, each in commitments.items()}
        filled = {key: value for key, value in self.to_json().items() if self.is_filled(key)}
        if registrant:
            filled["registrant"] = registrant
        return digest_of(filled)
