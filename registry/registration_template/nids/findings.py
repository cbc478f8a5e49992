"""What a NID rule finds, and the facts about the registry that it asks for."""

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
    def is_askable(self) -> bool:
        """Whether a new case may ask for the NID."""
        return self in {NIDAvailability.FREE, NIDAvailability.REQUESTED}


class Likeness(StrEnum):
    """The kind of name that a NID could be mistaken for."""

    NAMESPACE = "namespace"
    CASE = "case"
    COUNTRY_CODE = "country_code"
    URI_SCHEME = "uri_scheme"


class RegisteredNamespace(Protocol):
    """What a rule reads of a registered namespace. `registered_on` is YYYY-MM-DD, YYYY-MM or empty."""

    @property
    def nid(self) -> str: ...
    @property
    def registered_on(self) -> str: ...
    @property
    def is_deprecated(self) -> bool: ...


class KnownNIDs:
    """The facts about the registry, by NIDs in lower case. This class knows none; subclasses look them up."""

    def namespace(self, nid: str) -> RegisteredNamespace | None:
        """The namespace that is registered under the NID."""
        return None

    def requests(self, nid: str) -> tuple[int, ...] | None:
        """The numbers of the other open cases that ask for the NID, as far as they are known; None without cases."""
        return None

    def similar_namespaces(self, nid: str) -> Iterable[str]:
        """NIDs of namespaces, including those that look like the NID."""
        return ()

    def similar_cases(self, nid: str) -> Iterable[tuple[int | None, str]]:
        """Numbers and NIDs of other open cases, including those whose NID looks like this one."""
        return ()

    def country(self, code: str) -> str | None:
        """The name of the country with this code of two or three letters (ISO 3166-1)."""
        return None

    def is_uri_scheme(self, text: str) -> bool:
        """Whether IANA's registry of URI schemes has the text."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class NIDFinding:
    """The result of a rule: it decides the status of the NID, or names something that the NID resembles.

    `code` is stable. `section` is of RFC 8141 unless it names another document. `remedy` says what to do.
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
