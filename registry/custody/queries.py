"""Queries for claims: one by the parts of its URL, those that wait, and the history of one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.db.models import Exists, OuterRef, Q, QuerySet

from registry.accounts.models import RoleName, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.custody import permissions
from registry.custody.evidence import address_of
from registry.custody.models import UNDECIDED, ClaimStatus, NamespaceClaim, NamespaceContact
from registry.custody.permissions import may_see_claim
from registry.mail.bounces import bounces_at
from registry.mail.models import BouncedAddress
from registry.namespaces.models import Namespace
from registry.namespaces.permissions import Person
from registry.organisations.models import MemberRole, Membership, Organisation, organisations_of
from registry.registration_template.sections import Registrant

LABELS = {
    "claim_namespace": "Claimed",
    "announce_claim": "Announced",
    "object_to_claim": "Ended by an objection",
    "approve_claim": "Approved",
    "restore_representative": "Approved",
    "decline_claim": "Declined",
    "withdraw_claim": "Withdrawn",
}


def get_claim(user: Person, namespace: Namespace, number: int) -> NamespaceClaim:
    """A claim of the namespace with its people. Raises NotPermitted unless `user` may see it."""
    claim = find_claim(namespace, number)
    if claim is None or not may_see_claim(user, claim):
        raise NotPermitted(f"There is no claim {number} of “{namespace.nid}” that you can see.")
    return claim


def get_visible_claim(user: User, number: int) -> NamespaceClaim:
    """A claim by its number alone. Raises NotPermitted unless `user` may see it."""
    claim = visible_claims(user).filter(pk=number).first()
    if claim is None:
        raise NotPermitted(f"There is no claim {number} that you can see.")
    return claim


def visible_claims(user: User) -> QuerySet[NamespaceClaim]:
    """The claims that `user` may see, as `may_see_claim` says."""
    of_others = Q(is_recovery=True) | ~Q(organisation__in=organisations_of(user))
    may_object = Q(status=ClaimStatus.ANNOUNCED) & _is_held_by(user) & of_others
    return NamespaceClaim.objects.filter(_shows_evidence_to(user) | may_object).select_related(
        "namespace", "claimant", "organisation", "announced_by"
    )


def claims_with_evidence_for(user: User) -> QuerySet[NamespaceClaim]:
    """The claims whose evidence `user` may read, as `may_see_evidence` says."""
    return NamespaceClaim.objects.filter(_shows_evidence_to(user))


def _shows_evidence_to(user: User) -> Q:
    if RoleName.ADMINISTRATOR not in user.roles:
        return Q(claimant=user)
    has_no_interest = ~Q(namespace__registrant=user) & ~Q(registrant=user) & ~Q(_was_concerned(user))
    return Q(claimant=user) | has_no_interest


def _was_concerned(user: User) -> Exists:
    """A condition for claims that concern an organisation of which `user` is a member, or was one since the claim."""
    organisations = ("organisation", "former_organisation", "namespace__organisation")
    since = Membership.objects.since(OuterRef("claimed_at")).filter(user=user)
    return Exists(since.filter(reduce(or_, (Q(organisation=OuterRef(each)) for each in organisations))))


def find_claim(namespace: Namespace, number: int) -> NamespaceClaim | None:
    claims = NamespaceClaim.objects.select_related(
        "namespace__latest", "namespace__organisation", "claimant", "organisation", "announced_by"
    )
    return claims.filter(pk=number, namespace=namespace).first()


def undecided_claims(user: User) -> QuerySet[NamespaceClaim]:
    """The claims that `user` may see, and that wait for administrators, or for objections."""
    return visible_claims(user).filter(status__in=UNDECIDED)


def _is_held_by(user: User) -> Q:
    """A condition for claims of namespaces of which `user` is the registrant, or represents it."""
    represented = organisations_of(user, [MemberRole.REPRESENTATIVE])
    return Q(namespace__registrant=user) | Q(namespace__organisation__in=represented)


@dataclass(frozen=True, slots=True)
class ClaimTask:
    """An undecided claim that concerns a person, and what they can do."""

    claim: NamespaceClaim
    text: str
    is_turn: bool = False


def claim_tasks_of(user: User) -> Iterator[ClaimTask]:
    """The undecided claims by `user`, of their namespaces, and those on which they can decide now."""
    for claim in undecided_claims(user).order_by("pk"):
        if permissions.may_object(user, claim):
            yield ClaimTask(claim, "object to it, if you are the registrant.", is_turn=True)
        elif permissions.may_announce(user, claim) or permissions.may_approve(user, claim):
            yield ClaimTask(claim, "decide on the claim.", is_turn=True)
        elif claim.is_by(user) and claim.is_announced:
            yield ClaimTask(claim, "the registrant can object to your claim.")
        elif claim.is_by(user):
            yield ClaimTask(claim, "the administrators decide on your claim.")


def claim_shown_to_all(namespace: Namespace) -> NamespaceClaim | None:
    """The claim of which the page of the namespace tells: an announced one, or one of a namespace without a registrant."""
    statuses = [ClaimStatus.ANNOUNCED]
    if not namespace.controller.is_known:
        statuses.append(ClaimStatus.OPEN)
    # "announced" is before "open".
    claim = namespace.claims.filter(status__in=statuses).order_by("status", "pk").first()
    return claim or (recovery_shown_to_all(namespace.organisation) if namespace.organisation else None)


def recovery_shown_to_all(organisation: Organisation) -> NamespaceClaim | None:
    """The announced recovery, of which the pages of the organisation and of its namespaces tell."""
    announced = organisation.claims.filter(is_recovery=True, status=ClaimStatus.ANNOUNCED)
    return announced.select_related("namespace", "organisation").first()


def contact_of(namespace: Namespace) -> NamespaceContact | None:
    contact = NamespaceContact.objects.filter(pk=namespace.pk).first()
    if contact:
        contact.namespace = namespace
    return contact


def bounce_at_contact(contact: NamespaceContact | None) -> BouncedAddress | None:
    """That mail to the public address of the contact came back."""
    address = address_of(contact) if contact else ""
    return bounces_at([address]).get(address) if address else None


def is_contact_outdated(namespace: Namespace, contact: NamespaceContact | None) -> bool:
    """Whether the registered text names the contact of a former registrant."""
    if contact is None or contact.held_since is None or namespace.latest is None:
        return False
    return contact.held_since > namespace.latest.registered_at


def former_contact_of(namespace: Namespace) -> Registrant | None:
    """The section Registrant of the current text, if a former registrant wrote it."""
    is_outdated = is_contact_outdated(namespace, contact_of(namespace))
    return namespace.latest.template.registrant if is_outdated and namespace.latest else None


def history_of_claim(claim: NamespaceClaim) -> list[tuple[str, Event]]:
    """The events of a claim with their labels, in order."""
    events = Event.objects.of_namespace(claim.namespace.nid).filter(verb__in=LABELS, details__claim=claim.pk)
    return [(LABELS[event.verb], event) for event in events.order_by("number").select_related("actor")]
