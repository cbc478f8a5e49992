"""Cases that want the same, or what could be taken for it ("race conditions", RFC 8141, section 6.2).

Rivals are shown to everyone and forbidden to nobody; only registration decides, once.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import BooleanField, ExpressionWrapper, Q

from registry.cases.drafts.drafts import requested_nid
from registry.cases.models import Case, CaseQuerySet
from registry.namespaces.models import SHAPE_OF, Kind, Namespace
from registry.registration_template.nids.lookalikes import find_lookalikes, one_edit_away, shape_of

# So many are told of at most: a text that looks like more of them has enough to answer for.
MOST = 100
SAME_NID = "is the same identifier"
SAME_NAMESPACE = "is revised there too"


@dataclass(frozen=True, slots=True)
class CompetingCase:
    """Another open case, the NID that it is about, and how that NID is alike: "<nid> <reason>"."""

    case: Case
    nid: str
    reason: str

    @property
    def is_same(self) -> bool:
        """Whether one of the two at most can be registered as it stands."""
        return self.reason in {SAME_NID, SAME_NAMESPACE}


def competing_cases_of(case: Case) -> list[CompetingCase]:
    """The rivals of an open case as it was last submitted; of one not submitted yet, as it is drafted."""
    return _competing_cases(case, case.requested_nid)


def competing_cases_of_draft(case: Case) -> list[CompetingCase]:
    """The rivals that the case would have if its draft were submitted now."""
    return _competing_cases(case, requested_nid(case, case.draft_template))


def _competing_cases(case: Case, nid: str) -> list[CompetingCase]:
    if not case.is_open or not nid:
        return []
    if case.is_revision:
        others = Case.objects.public().open().exclude(pk=case.pk)
        revising = others.filter(is_revision=True, namespace=case.namespace_id).order_by("pk")
        return [CompetingCase(other, nid, SAME_NAMESPACE) for other in revising]
    asking = Case.objects.asking_for_nids().exclude(pk=case.pk)
    found = list(requested_alike(nid, asking)[:MOST])
    lookalikes = find_lookalikes(nid, (other.requested_nid for other in found))
    reasons = {nid: SAME_NID} | {each.nid: each.reason for each in lookalikes}
    return [CompetingCase(other, other.requested_nid, reasons[other.requested_nid]) for other in found]


def registered_alike(nid: str) -> set[str]:
    """The NIDs of namespaces that look like a well-formed `nid`: by each way of doing so, at most MOST."""
    # Each way by its own index; in one query, and sorted, the database would rather read the whole list.
    near = Namespace.objects.filter(nid__in=one_edit_away(nid))
    ways = (near, Namespace.objects.shaped_like(shape_of(nid)))
    return {name for way in ways for name in way.order_by("nid").values_list("nid", flat=True)[:MOST]}


def requested_alike(nid: str, cases: CaseQuerySet) -> CaseQuerySet:
    """Those of `cases` that ask for a well-formed `nid`, and then those that ask for what looks like it."""
    near = Q(requested_nid__in=one_edit_away(nid) | {nid.lower()})
    alike = cases.alias(shape=SHAPE_OF("requested_nid")).filter(near | Q(shape=shape_of(nid)))
    return alike.order_by(ExpressionWrapper(Q(requested_nid=nid.lower()), BooleanField()).desc(), "pk")


def same_wishes(cases: Sequence[Case]) -> dict[int, list[Case]]:
    """By the number of each case, the other open ones of which it or they can be registered, not both.

    One query, however many cases; those that merely look alike are not among them.
    """
    nids = [case.requested_nid for case in cases if not case.is_revision and case.requested_nid]
    revised = [case.namespace_id for case in cases if case.is_revision]
    wanted = Q(is_revision=False, kind=Kind.FORMAL, requested_nid__in=nids)
    wanted |= Q(is_revision=True, namespace__in=revised)
    others = Case.objects.public().open().filter(wanted).select_related("namespace").order_by("pk")
    by_wish = defaultdict(list)
    for other in others:
        by_wish[_wish(other)].append(other)
    return {case.pk: [other for other in by_wish[_wish(case)] if other.pk != case.pk] for case in cases}


def _wish(case: Case) -> tuple[bool, str | int | None]:
    return case.is_revision, case.namespace_id if case.is_revision else case.requested_nid
