"""The report on a NID, with the facts that its rules need from the database."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from registry.cases.competing_cases import cases_with_similar_nid
from registry.cases.models import Case, CaseQuerySet
from registry.namespaces.confusables import (
    country_by_code,
    country_names,
    identifier_systems,
    trademarks,
    uri_schemes,
)
from registry.namespaces.models import Namespace
from registry.namespaces.queries import similar_registered_nids
from registry.registration_template.nids import report
from registry.registration_template.nids.report import NIDReport
from registry.registration_template.nids.rules import MAX_LOOKALIKES, KnownNIDs
from registry.sightings.models import SIGHTED, Sighting


def report_in_registry(
    nid: str, namespaces: QuerySet[Namespace] | None = None, *, excluded_case: Case | None = None
) -> NIDReport:
    """The report on a text as a NID. `namespaces` is the query for a registered namespace. `excluded_case` is not
    reported as competing.
    """
    known = Namespace.objects.all() if namespaces is None else namespaces
    return report.report_on(nid, RegistryNIDs(known, excluded_case))


@dataclass(frozen=True)
class RegistryNIDs(KnownNIDs):
    """The facts in the database. Drafts are private, so they are not among the cases."""

    namespaces: QuerySet[Namespace]
    excluded_case: Case | None = None
    # What was read already, by NID: a rule and the report ask for it.
    _sightings: dict[str, Sequence[Sighting]] = field(default_factory=dict, compare=False, repr=False)

    def namespace(self, nid: str) -> Namespace | None:
        return self.namespaces.filter(nid=nid).first()

    def requests(self, nid: str) -> tuple[int, ...] | None:
        cases = self._other_cases().filter(requested_nid=nid)
        return tuple(cases.order_by("pk").values_list("pk", flat=True)) or None

    def similar_namespaces(self, nid: str) -> Iterable[str]:
        return similar_registered_nids(nid)

    def similar_cases(self, nid: str) -> Iterable[tuple[int | None, str]]:
        cases = cases_with_similar_nid(nid, self._other_cases().exclude(requested_nid=nid))
        return cases.values_list("pk", "requested_nid")[:MAX_LOOKALIKES]

    def sightings(self, nid: str) -> Sequence[Sighting]:
        if nid not in self._sightings:
            is_possible = re.fullmatch(SIGHTED, nid) is not None
            self._sightings[nid] = list(Sighting.objects.public().of([nid])) if is_possible else ()
        return self._sightings[nid]

    def similar_sightings(self, nid: str) -> Iterable[Sighting]:
        return Sighting.objects.public().near(nid)[:MAX_LOOKALIKES]

    def country(self, code: str) -> str | None:
        country = country_by_code(code)
        return country.name if country else None

    def country_named(self, name: str) -> str | None:
        return country_names().get(name)

    def is_trademark(self, text: str) -> bool:
        return text in trademarks()

    def is_uri_scheme(self, text: str) -> bool:
        return text in uri_schemes()

    def identifier_systems(self) -> Mapping[str, str]:
        return identifier_systems()

    def _other_cases(self) -> CaseQuerySet:
        cases = Case.objects.requesting_nids()
        return cases.exclude(pk=self.excluded_case.pk) if self.excluded_case else cases
