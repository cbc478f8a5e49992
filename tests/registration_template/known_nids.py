"""A registry that is a few lists."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from registry.registration_template.nids.report import NIDReport, report_on
from registry.registration_template.nids.rules import KnownNIDs


@dataclass(frozen=True)
class ListedNamespace:
    nid: str
    registered_on: str = ""
    is_deprecated: bool = False


@dataclass(frozen=True, kw_only=True)
class ListedNIDs(KnownNIDs):
    registered: frozenset[str] = frozenset()
    requested: frozenset[str] = frozenset()
    countries: Mapping[str, str] = field(default_factory=dict)
    uri_schemes: frozenset[str] = frozenset()

    def namespace(self, nid: str) -> ListedNamespace | None:
        return ListedNamespace(nid) if nid in self.registered else None

    def requests(self, nid: str) -> tuple[int, ...] | None:
        return () if nid in self.requested else None

    def similar_namespaces(self, nid: str) -> Iterable[str]:
        return self.registered

    def similar_cases(self, nid: str) -> Iterable[tuple[int | None, str]]:
        return [(None, each) for each in sorted(self.requested)]

    def country(self, code: str) -> str | None:
        return self.countries.get(code.upper())

    def is_uri_scheme(self, text: str) -> bool:
        return text in self.uri_schemes


def a_report(nid: str, **lists: object) -> NIDReport:
    return report_on(nid, ListedNIDs(**lists))  # type: ignore[arg-type]
