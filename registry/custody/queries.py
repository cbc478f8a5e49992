"""Queries for claims: one by the parts of its URL, those that wait, and the history of one."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from django.db.models import F, Q
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.accounts.waiting import Line, WaitingKind, declare
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.custody.evidence import address_of
from registry.custody.models import (
    ClaimStatus,
    NamespaceClaim,
    NamespaceClaimQuerySet,
    NamespaceContact,
    is_in_conflict_with,
)
from registry.mail.bounces import bounces_at
from registry.mail.models import BouncedAddress
from registry.namespaces.models import Namespace
from registry.organisations.models import Organisation
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


def get_claim(user: User, number: int, *, namespace: Namespace | None = None) -> NamespaceClaim:
    """A claim by its number, of the namespace if one is given. Raises NotPermitted unless `user` may see it."""
    claims = visible_claims(user) if namespace is None else visible_claims(user).filter(namespace=namespace)
    claim = claims.filter(pk=number).first()
    if claim is None:
        raise NotPermitted(f"There is no claim {number} that you can see.")
    return claim


def visible_claims(user: User) -> NamespaceClaimQuerySet:
    """The claims that `user` may see, with their people."""
    claims = NamespaceClaim.objects.visible_to(user)
    return claims.select_related("namespace", "claimant", "organisation", "announced_by")


def find_claim(namespace: Namespace, number: int) -> NamespaceClaim | None:
    claims = NamespaceClaim.objects.select_related(
        "namespace__latest", "namespace__organisation", "claimant", "organisation", "announced_by"
    )
    return claims.filter(pk=number, namespace=namespace).first()


def undecided_claims(user: User) -> NamespaceClaimQuerySet:
    """The claims that `user` may see, and that wait for administrators, or for objections."""
    return visible_claims(user).undecided()


OBJECT = "object to it, if it is wrong."
DECIDE = "decide on the claim."


@dataclass(frozen=True, slots=True)
class ClaimTask:
    """An undecided claim that concerns a person, and what they can do."""

    claim: NamespaceClaim
    text: str
    is_turn: bool = False


def claim_tasks_of(user: User) -> Iterator[ClaimTask]:
    """The undecided claims by `user`, of their namespaces, and those on which they can decide now."""
    to_object, to_decide = (
        set(claims.values_list("pk", flat=True))
        for claims in (NamespaceClaim.objects.open_to_objections_by(user), _claims_to_decide(user))
    )
    for claim in undecided_claims(user).order_by("pk"):
        if claim.pk in to_object:
            yield ClaimTask(claim, OBJECT, is_turn=True)
        elif claim.pk in to_decide:
            yield ClaimTask(claim, DECIDE, is_turn=True)
        elif claim.is_by(user) and claim.is_announced:
            yield ClaimTask(claim, "the registrant can object to your claim.")
        elif claim.is_by(user):
            yield ClaimTask(claim, "the administrators decide on your claim.")


def _claims_to_decide(user: User) -> NamespaceClaimQuerySet:
    """The claims on which `user` decides: those that were not announced, and those that another announced and that are due."""
    if RoleName.ADMINISTRATOR not in user.roles:
        return NamespaceClaim.objects.none()
    is_due = Q(status=ClaimStatus.ANNOUNCED, objections_until__lte=timezone.now()) & ~Q(announced_by=user)
    claims = NamespaceClaim.objects.undecided().exclude(is_in_conflict_with(user))
    return claims.filter(Q(status=ClaimStatus.OPEN) | is_due)


def _claims_to_object_to(user: User) -> NamespaceClaimQuerySet:
    """The claims to which `user` can object, while nothing can be decided. They still can later, until the decision."""
    return NamespaceClaim.objects.open_to_objections_by(user).filter(objections_until__gt=timezone.now())


_waiting_claims = partial(
    WaitingKind,
    since="claimed_at",
    nid=F("namespace__nid"),
    person=F("claimant__name"),
    related=("namespace", "organisation", "claimant"),
)


def _title_of(claim: NamespaceClaim) -> str:
    return f"Claim {claim.pk} {claim.aim} by {claim.claimant}"


declare(
    _waiting_claims(
        name="claim",
        label="Claim to decide on",
        rows=_claims_to_decide,
        show=lambda claim: Line(_title_of(claim), DECIDE, claim.get_absolute_url()),
    )
)
declare(
    _waiting_claims(
        name="objection",
        label="Claim of your namespace",
        rows=_claims_to_object_to,
        show=lambda claim: Line(_title_of(claim), OBJECT, claim.get_absolute_url()),
        due="objections_until",
        assignee=True,
    )
)


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
