"""The Registrant section as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from registry.registration_template.exceptions import WrongType
from registry.registration_template.normal_form import (
    check_fields,
    check_text,
    normalize_line,
    normalize_text,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Registrant:
    """The registrant of a namespace and the person to contact (RFC 8141, Appendix A)."""

    organization: str = ""
    address: str = ""
    contact_person: str = ""
    email: str = ""
    phone: str = ""
    postal_address: str = ""
    fast_track: bool = False
    other: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.fast_track, bool):
            raise WrongType("fast_track must be true or false.", section="registrant")
        for name in ("organization", "contact_person", "email", "phone"):
            object.__setattr__(self, name, normalize_line(check_text(name, getattr(self, name))))
        for name in ("address", "postal_address", "other"):
            object.__setattr__(self, name, normalize_text(check_text(name, getattr(self, name))))

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON types."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def with_texts(self, texts: Mapping[str, str]) -> Self:
        """The registrant with other texts, by the names of their fields."""
        return type(self).from_json({**self.to_json(), **texts})

    @classmethod
    def from_json(cls, mapping: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`. Missing fields are empty; unknown fields are rejected."""
        check_fields(cls, mapping, "registrant")
        return cls(**mapping)
