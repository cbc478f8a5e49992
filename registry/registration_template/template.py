"""The completed template as a value: frozen, in normal form, with a JSON form and a digest.

Two values are equal exactly when their normal forms are (`registry.registration_template.normal_form`).
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

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
from registry.registration_template.registrant import Registrant
from registry.registration_template.sections import SECTIONS, SectionFormat, Sections

_NORMALIZERS: Mapping[SectionFormat, Callable[[str], str]] = {
    SectionFormat.IDENTIFIER: normalize_identifier,
    SectionFormat.DATE: normalize_date,
    SectionFormat.TEXT: normalize_text,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationTemplate(Sections):
    """One completed template. A section that is absent is empty. Raises InvalidTemplate."""

    def __post_init__(self) -> None:
        if not isinstance(self.registrant, Registrant):
            raise WrongType("registrant has to be a Registrant.", section="registrant")
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
                f"The sections have {total:,} characters together; a template may have {MAX_CHARACTERS:,}. "
                "Put details into a specification and point to it under Documentation."
            )

    def is_filled(self, key: str) -> bool:
        """Whether the section of this key has content."""
        return getattr(self, key) not in ("", None, Registrant())

    def to_json(self) -> dict[str, Any]:
        """Plain JSON types under the keys of the sections, in the template's order."""
        values = {section.key: getattr(self, section.key) for section in SECTIONS}
        return values | {"registrant": self.registrant.to_json()}

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Self:
        """The template that `to_json` wrote; missing fields are empty, unknown ones refused."""
        check_fields(cls, mapping, "template")
        values = dict(mapping)
        if "registrant" in values:
            values["registrant"] = Registrant.from_json(values["registrant"])
        return cls(**values)

    def digest(self) -> str:
        """SHA-256, in hexadecimal, of the JSON form without empty fields, in UTF-8, keys sorted, without spaces.

        Only control characters, quotation marks and backslashes are escaped. A section that is added to the
        template is empty in older ones, so their digests do not change.
        """
        registrant = {name: value for name, value in self.registrant.to_json().items() if value}
        filled = {key: value for key, value in self.to_json().items() if self.is_filled(key)}
        if registrant:
            filled["registrant"] = registrant
        canonical = json.dumps(filled, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
