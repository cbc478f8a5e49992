"""The report on a NID, with the facts that its rules ask for looked up in the database."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from registry.cases.competing_cases import registered_alike, requested_alike
from registry.cases.models import Case, CaseQuerySet
from registry.namespaces.confusables import country_by_code, uri_schemes
from registry.namespaces.models import Namespace
from registry.registration_template.nids import report
from registry.registration_template.nids.findings import KnownNIDs
from registry.registration_template.nids.report import NIDReport
from registry.registration_template.nids.rules import MAX_LOOKALIKES


def report_on(
    nid: str, namespaces: QuerySet[Namespace] | None = None, *, asked_by: Case | None = None
) -> NIDReport:
    """The report on any text as a NID. `namespaces` selects what is fetched of a registered one; the case
    `asked_by` does not compete with itself.
    """
    known = Namespace.objects.all() if namespaces is None else namespaces
    return report.report_on(nid, RegistryNIDs(known, asked_by))


@dataclass(frozen=True)
class RegistryNIDs(KnownNIDs):
    """The facts in the database. Drafts are private, so they are not among the cases."""

    namespaces: QuerySet[Namespace]
    besides: Case | None = None

    def namespace(self, nid: str) -> Namespace | None:
        return self.namespaces.filter(nid=nid).first()

    def requests(self, nid: str) -> tuple[int, ...] | None:
        cases = self._other_cases().filter(requested_nid=nid)
        return tuple(cases.order_by("pk").values_list("pk", flat=True)) or None

    def similar_namespaces(self, nid: str) -> Iterable[str]:
        return registered_alike(nid)

    def similar_cases(self, nid: str) -> Iterable[tuple[int | None, str]]:
        cases = requested_alike(nid, self._other_cases().exclude(requested_nid=nid))
        return cases.values_list("pk", "requested_nid")[:MAX_LOOKALIKES]

    def country(self, code: str) -> str | None:
        country = country_by_code(code)
        return country.name if country else None

    def is_uri_scheme(self, text: str) -> bool:
        return text in uri_schemes()

    def _other_cases(self) -> CaseQuerySet:
        cases = Case.objects.asking_for_nids()
        return cases.exclude(pk=self.besides.pk) if self.besides else cases
