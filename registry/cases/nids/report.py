"""What the registry can say of a NID: malformed, not registrable, registered, requested or free.

Said once here for every door: the API's NID check, the check page, and the NID field of the form.
"""

from dataclasses import dataclass
from enum import StrEnum

from django.db.models import QuerySet

from registry.cases.models import Case
from registry.namespaces.models import Namespace
from urnsyntax import InvalidNID, NIDKind, classify
from urnsyntax.nid import is_well_formed


class NIDAvailability(StrEnum):
    MALFORMED = "malformed"
    UNREGISTRABLE = "unregistrable"
    REGISTERED = "registered"
    REQUESTED = "requested"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class NIDReport:
    """What is known of one NID. `section` is of RFC 8141 unless it names another document.

    `fault` is there for a malformed one, `namespace` for a registered one, `cases` for a requested one.
    """

    nid: str
    status: NIDAvailability
    section: str
    reason: str
    fault: InvalidNID | None = None
    namespace: Namespace | None = None
    cases: tuple[int, ...] = ()


def report_on(
    nid: str, namespaces: QuerySet[Namespace] | None = None, *, asked_by: Case | None = None
) -> NIDReport:
    """Find out what can be said of `nid`. `namespaces` says how a registered one is fetched; the case
    `asked_by` is not in its own way.
    """
    if not is_well_formed(nid):
        fault = InvalidNID(nid)
        return NIDReport(nid, NIDAvailability.MALFORMED, fault.section, str(fault), fault=fault)
    nid = nid.lower()
    known = Namespace.objects.all() if namespaces is None else namespaces
    if namespace := known.filter(nid=nid).first():
        return _registered(namespace)
    status = classify(nid)
    if status.kind is not NIDKind.FORMAL:
        return NIDReport(nid, NIDAvailability.UNREGISTRABLE, status.section, status.reason)
    if cases := tuple(open_cases_asking_for(nid, besides=asked_by)):
        numbers = ", ".join(map(str, cases))
        reason = f"“{nid}” is already requested in case {numbers}."
        return NIDReport(nid, NIDAvailability.REQUESTED, "6.2", reason, cases=cases)
    reason = f"“{nid}” is free and can be registered as a formal namespace."
    return NIDReport(nid, NIDAvailability.FREE, status.section, reason)


def open_cases_asking_for(nid: str, *, besides: Case | None = None) -> QuerySet[Case, int]:
    """The numbers of the open cases whose latest round asks for `nid`. Drafts stay unseen."""
    cases = Case.objects.asking_for_nids().filter(requested_nid=nid)
    if besides is not None:
        cases = cases.exclude(pk=besides.pk)
    return cases.order_by("pk").values_list("pk", flat=True)


def _registered(namespace: Namespace) -> NIDReport:
    day = namespace.registered_on
    registered = f"has been registered since {day}" if day else "is registered"
    now = " and is deprecated" if namespace.is_deprecated else ""
    reason = f"“{namespace.nid}” {registered}{now}. A NID is never reused."
    return NIDReport(namespace.nid, NIDAvailability.REGISTERED, "5.1 (1)", reason, namespace=namespace)
