"""Cases that want the same, or what could be taken for it ("race conditions", RFC 8141, section 6.2).

Rivals are shown to everyone and forbidden to nobody; only registration decides, once.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from registry.appendix_a.lookalikes import find_lookalikes, one_edit_away, shape_of
from registry.namespaces.models import SHAPE_OF, Kind, Namespace
from registry.registrations.drafts import requested_nid
from registry.registrations.models import Registration, RegistrationQuerySet

SAME_NID = "is the same identifier"
SAME_NAMESPACE = "is revised there too"


@dataclass(frozen=True, slots=True)
class Rival:
    """Another open case, the NID that it is about, and how that NID is alike: "<nid> <reason>"."""

    case: Registration
    nid: str
    reason: str

    @property
    def is_same(self) -> bool:
        """Whether one of the two at most can be registered as it stands."""
        return self.reason in {SAME_NID, SAME_NAMESPACE}


def rivals_of(case: Registration) -> list[Rival]:
    """The rivals of an open case as it was last submitted; of one not submitted yet, as it is drafted."""
    return _rivals(case, case.requested_nid)


def rivals_of_draft(case: Registration) -> list[Rival]:
    """The rivals that the case would have if its draft were submitted now."""
    return _rivals(case, requested_nid(case, case.content))


def _rivals(case: Registration, nid: str) -> list[Rival]:
    if not case.is_open or not nid:
        return []
    others = Registration.objects.public().open().exclude(pk=case.pk)
    if case.is_revision:
        revising = others.filter(is_revision=True, namespace=case.namespace_id).order_by("pk")
        return [Rival(other, nid, SAME_NAMESPACE) for other in revising]
    return _alike(nid, others.filter(is_revision=False, kind=Kind.FORMAL))


def _alike(nid: str, others: RegistrationQuerySet) -> list[Rival]:
    """The same identifier first, then those that look like it."""
    lookalikes = find_lookalikes(nid, requested_alike(nid, others).values_list("requested_nid", flat=True))
    reasons = {nid: SAME_NID} | {each.nid: each.reason for each in lookalikes}
    found = others.filter(requested_nid__in=reasons).order_by("pk")
    rivals = [Rival(other, other.requested_nid, reasons[other.requested_nid]) for other in found]
    return sorted(rivals, key=lambda rival: not rival.is_same)


def registered_alike(nid: str) -> set[str]:
    """The NIDs of namespaces that could look like a well-formed `nid`, for `find_lookalikes` to judge."""
    # Each way by its own index; in one query, and sorted, the database would rather read the whole list.
    near = Namespace.objects.filter(nid__in=one_edit_away(nid))
    ways = (near, Namespace.objects.shaped_like(shape_of(nid)))
    return {name for way in ways for name in way.order_by().values_list("nid", flat=True)}


def requested_alike(nid: str, cases: RegistrationQuerySet) -> RegistrationQuerySet:
    """Those of `cases` that ask for a well-formed `nid`, or for what could look like it."""
    near = Q(requested_nid__in=one_edit_away(nid) | {nid.lower()})
    return cases.alias(shape=SHAPE_OF("requested_nid")).filter(near | Q(shape=shape_of(nid)))


def same_wishes(cases: Sequence[Registration]) -> dict[int, list[Registration]]:
    """By the number of each case, the other open ones of which it or they can be registered, not both.

    One query, however many cases; those that merely look alike are not among them.
    """
    nids = [case.requested_nid for case in cases if not case.is_revision and case.requested_nid]
    revised = [case.namespace_id for case in cases if case.is_revision]
    wanted = Q(is_revision=False, kind=Kind.FORMAL, requested_nid__in=nids)
    wanted |= Q(is_revision=True, namespace__in=revised)
    others = Registration.objects.public().open().filter(wanted).select_related("namespace").order_by("pk")
    by_wish = defaultdict(list)
    for other in others:
        by_wish[_wish(other)].append(other)
    return {case.pk: [other for other in by_wish[_wish(case)] if other.pk != case.pk] for case in cases}


def _wish(case: Registration) -> tuple[bool, str | int | None]:
    return case.is_revision, case.namespace_id if case.is_revision else case.requested_nid
