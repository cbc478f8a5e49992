"""Findings of NID rules, and the facts about the registry that the rules use."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from urnsyntax import InvalidNID


class NIDAvailability(StrEnum):
    """Whether a NID can be registered for a formal namespace."""

    MALFORMED = "malformed"
    UNREGISTRABLE = "unregistrable"
    REGISTERED = "registered"
    REQUESTED = "requested"
    FREE = "free"

    @property
    def is_requestable(self) -> bool:
        """Whether a new case can request the NID."""
        return self in {NIDAvailability.FREE, NIDAvailability.REQUESTED}


class Likeness(StrEnum):
    """The kind of name that a NID could be mistaken for."""

    NAMESPACE = "namespace"
    CASE = "case"
    COUNTRY_CODE = "country_code"
    COUNTRY_NAME = "country_name"
    TRADEMARK = "trademark"
    URI_SCHEME = "uri_scheme"


class RegisteredNamespace(Protocol):
    """The attributes of a namespace that rules use. `registered_on` is YYYY-MM-DD, YYYY-MM or empty."""

    @property
    def nid(self) -> str: ...
    @property
    def registered_on(self) -> str: ...
    @property
    def is_deprecated(self) -> bool: ...


class KnownNIDs:
    """The facts about the registry, by NID in lower case. This class has none; subclasses look them up."""

    def namespace(self, nid: str) -> RegisteredNamespace | None:
        """The namespace with this NID."""
        return None

    def requests(self, nid: str) -> tuple[int, ...] | None:
        """The known numbers of other open cases that request the NID; None if there are no such cases."""
        return None

    def similar_namespaces(self, nid: str) -> Iterable[str]:
        """NIDs of namespaces, including all that look like this NID."""
        return ()

    def similar_cases(self, nid: str) -> Iterable[tuple[int | None, str]]:
        """Numbers and NIDs of other open cases, including all whose NID looks like this one."""
        return ()

    def country(self, code: str) -> str | None:
        """The name of the country with this code of two or three letters (ISO 3166-1)."""
        return None

    def country_named(self, name: str) -> str | None:
        """The name of the country that is written like this without spaces: "southafrica"."""
        return None

    def is_trademark(self, text: str) -> bool:
        """Whether the text, which has no hyphens, is among the well-known trademarks."""
        return False

    def is_uri_scheme(self, text: str) -> bool:
        """Whether the text is in IANA's registry of URI schemes."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class NIDFinding:
    """The result of a rule: the status of the NID, or another name that it resembles.

    `code` is stable. `section` is a section of RFC 8141 unless it includes another document. `remedy` says what to do.
    """

    code: str
    section: str
    reason: str
    remedy: str = ""
    status: NIDAvailability | None = None
    fault: InvalidNID | None = None
    namespace: RegisteredNamespace | None = None
    cases: tuple[int, ...] = ()
    kind: Likeness | None = None
    # The other name: "isbn", "FR", "http".
    name: str = ""

    @property
    def reference(self) -> str:
        """The section with its document."""
        return self.section if self.section.startswith("RFC") else f"RFC 8141, Section {self.section}"

    @property
    def message(self) -> str:
        """The reason and the remedy."""
        return f"{self.reason} {self.remedy}".rstrip()
