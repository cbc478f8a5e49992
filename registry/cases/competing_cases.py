"""Open cases that request the same NID or a similar one ("race conditions", RFC 8141, Section 6.2).

Competing cases are allowed and shown to everyone. The first registration decides.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import BooleanField, ExpressionWrapper, Q

from registry.cases.drafts.drafts import requested_nid
from registry.cases.models import Case, CaseQuerySet
from registry.namespaces.models import Kind, shape_of_column
from registry.registration_template.nids.rules import find_lookalikes, shape_of
from urnsyntax.nid import one_edit_away

MAX_SIMILAR = 100  # similar cases that are read for one
SAME_NID = "is the same identifier"
SAME_NAMESPACE = "is also revised in that case"


@dataclass(frozen=True, slots=True)
class CompetingCase:
    """Another open case, its NID, and the similarity as the end of a sentence: "<nid> <reason>"."""

    case: Case
    nid: str
    reason: str

    @property
    def is_same(self) -> bool:
        """Whether only one of the two can be registered without changes."""
        return self.reason in {SAME_NID, SAME_NAMESPACE}


def competing_cases_of(case: Case) -> list[CompetingCase]:
    """The cases that compete with the latest round of an open case, or with its draft before the first round."""
    return _competing_cases(case, case.requested_nid)


def competing_cases_of_draft(case: Case) -> list[CompetingCase]:
    """The cases that would compete with the draft if it were submitted now."""
    return _competing_cases(case, requested_nid(case, case.draft_template))


def _competing_cases(case: Case, nid: str) -> list[CompetingCase]:
    if not case.is_open or not nid:
        return []
    if case.is_revision:
        others = Case.objects.public().open().exclude(pk=case.pk)
        revising = others.filter(is_revision=True, namespace=case.namespace_id).order_by("pk")
        return [CompetingCase(other, nid, SAME_NAMESPACE) for other in revising]
    asking = Case.objects.requesting_nids().exclude(pk=case.pk)
    found = list(cases_with_similar_nid(nid, asking)[:MAX_SIMILAR])
    lookalikes = find_lookalikes(nid, (other.requested_nid for other in found))
    reasons = {nid: SAME_NID} | {each.nid: each.reason for each in lookalikes}
    return [CompetingCase(other, other.requested_nid, reasons[other.requested_nid]) for other in found]


def cases_with_similar_nid(nid: str, cases: CaseQuerySet) -> CaseQuerySet:
    """The `cases` that request a well-formed `nid`, followed by those that request a similar one."""
    near = Q(requested_nid__any=one_edit_away(nid) | {nid.lower()})
    alike = cases.alias(shape=shape_of_column("requested_nid")).filter(near | Q(shape=shape_of(nid)))
    return alike.order_by(ExpressionWrapper(Q(requested_nid=nid.lower()), BooleanField()).desc(), "pk")


def cases_with_same_target(cases: Sequence[Case]) -> dict[int, list[Case]]:
    """For each case, by number, the other open cases of which only one can be registered.

    Takes one query for all cases. Cases whose NIDs are only similar are not included.
    """
    nids = [case.requested_nid for case in cases if not case.is_revision and case.requested_nid]
    revised = [case.namespace_id for case in cases if case.is_revision]
    wanted = Q(is_revision=False, kind=Kind.FORMAL, requested_nid__in=nids)
    wanted |= Q(is_revision=True, namespace__in=revised)
    others = Case.objects.public().open().filter(wanted).select_related("namespace").order_by("pk")
    by_target = defaultdict(list)
    for other in others:
        by_target[_target(other)].append(other)
    return {case.pk: [other for other in by_target[_target(case)] if other.pk != case.pk] for case in cases}


def cases_with_similar_targets(cases: Sequence[Case]) -> dict[int, list[CompetingCase]]:
    """For each case, by number, the other open cases whose NIDs are similar but not the same, in one query."""
    nids = {case.requested_nid for case in cases if not case.is_revision and case.requested_nid}
    near = Q(requested_nid__any=set().union(*map(one_edit_away, nids)))
    asking = Case.objects.requesting_nids().alias(shape=shape_of_column("requested_nid"))
    found = list(
        asking.filter(near | Q(shape__in=[shape_of(nid) for nid in nids])).order_by("pk")[
            : MAX_SIMILAR * len(nids)
        ]
    )
    return {case.pk: _similar(case, found) for case in cases if case.requested_nid in nids}


def _similar(case: Case, others: Sequence[Case]) -> list[CompetingCase]:
    lookalikes = find_lookalikes(case.requested_nid, {other.requested_nid for other in others})
    reasons = {each.nid: each.reason for each in lookalikes if each.nid != case.requested_nid}
    return [
        CompetingCase(other, other.requested_nid, reasons[other.requested_nid])
        for other in others
        if other.pk != case.pk and other.requested_nid in reasons
    ]


def _target(case: Case) -> tuple[bool, str | int | None]:
    return case.is_revision, case.namespace_id if case.is_revision else case.requested_nid
