"""Claims of namespaces: claim, withdraw, announce, object, approve and decline. The only writers of `NamespaceClaim`."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.models import User
from registry.accounts.services import grants
from registry.accounts.services.locks import lock_accounts, locked_with_account
from registry.accounts.services.roles import lock_roles
from registry.accounts.services.verification import check_is_verified
from registry.audit_log import log
from registry.core.exceptions import NotPermitted
from registry.core.rate_limits import limited
from registry.core.text_limits import MAX_REASON_LENGTH
from registry.core.validators import check_text
from registry.custody import permissions
from registry.custody.exceptions import ClaimantNotActive, ClaimDecided, ClaimPending, NotYetApprovable
from registry.custody.models import ClaimStatus, NamespaceClaim
from registry.custody.notifications import notify_of_claim
from registry.custody.services.evidence import check_evidence
from registry.namespaces.history import event_types
from registry.namespaces.models import Namespace, Transfer
from registry.namespaces.services.registrants import change_registrant, latest_registrant_event
from registry.namespaces.services.transfers import end_lapsed_offer
from registry.organisations.history import Verb
from registry.organisations.models import NO_CONTROLLER, Organisation
from registry.organisations.permissions import is_representative
from registry.organisations.services.members import restore_representative
from registry.organisations.services.organisations import check_represents, lock_organisation


def check_may_claim(namespace: Namespace, *, by: User) -> None:
    if not permissions.may_claim(by, namespace):
        raise NotPermitted(f"You are the registrant of “{namespace.nid}” already.")


def check_may_recover(namespace: Namespace, *, by: User) -> None:
    if not permissions.may_recover(by, namespace):
        raise NotPermitted(f"There is no organisation of “{namespace.nid}” that you can ask to represent.")


@has_gravity(Gravity.CONTROL)
@limited("claims")
@transaction.atomic
def claim_namespace(
    namespace: Namespace,
    *,
    by: User,
    ground: str,
    statement: str,
    links: Iterable[str] = (),
    organisation: Organisation | None = None,
) -> NamespaceClaim:
    """Ask for a namespace, with evidence that the claimant and the administrators can read.

    A representative can claim it for their organisation.
    """
    made_with = grants.lock_grantor(by)
    namespace = _lock(namespace)
    check_may_claim(namespace, by=by)
    if organisation is not None:
        check_represents(organisation, by=by)
    evidence = check_evidence(ground, statement, links)
    return _claim(namespace, by=by, organisation=organisation, made_with=made_with, **evidence)


@has_gravity(Gravity.CONTROL)
@limited("claims")
@transaction.atomic
def recover_organisation(
    namespace: Namespace, *, by: User, ground: str, statement: str, links: Iterable[str] = ()
) -> NamespaceClaim:
    """Ask to represent the organisation of a namespace, whose representatives can't be reached."""
    made_with = grants.lock_grantor(by)
    namespace = _lock(namespace)
    check_may_recover(namespace, by=by)
    evidence = check_evidence(ground, statement, links) | {"made_with": made_with}
    return _claim(namespace, by=by, organisation=namespace.organisation, is_recovery=True, **evidence)


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def withdraw_claim(claim: NamespaceClaim, *, by: User) -> NamespaceClaim:
    """Withdraw an undecided claim. The namespace can be claimed again."""
    claim = _lock_undecided(claim)
    if not permissions.may_withdraw_claim(by, claim):
        raise _not_permitted(claim)
    return _end(claim, ClaimStatus.WITHDRAWN, "withdraw_claim", by=by)


@has_gravity(Gravity.DECISION)
@transaction.atomic
def decline_claim(claim: NamespaceClaim, *, by: User, reason: str) -> NamespaceClaim:
    """Decline a claim. Only the claimant and the administrators read the reason."""
    claim, reason = _lock_to_decide(claim, by=by, reason=reason)
    return _end(claim, ClaimStatus.DECLINED, "decline_claim", by=by, decided_by=by, reason=reason)


@has_gravity(Gravity.DECISION)
@transaction.atomic
def announce_claim(claim: NamespaceClaim, *, by: User, reason: str) -> NamespaceClaim:
    """Announce a claim of a namespace that has a registrant, who then has time to object."""
    claim, reason = _lock_to_decide(claim, by=by, reason=reason)
    _check_announceable(claim)
    claim.announced_at, claim.announced_by = timezone.now(), by
    claim.objections_until = claim.announced_at + timedelta(days=max(1, settings.DAYS_TO_OBJECT))
    claim.status = ClaimStatus.ANNOUNCED
    claim.registrant, claim.former_organisation = claim.namespace.registrant, claim.namespace.organisation
    claim.save()
    until = claim.objections_until.date().isoformat()
    return _write(claim, "announce_claim", by=by, reason=reason, until=until)


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def object_to_claim(claim: NamespaceClaim, *, by: User | None) -> NamespaceClaim:
    """End an announced claim. `by` is None for a person who followed the link that was mailed to a known address."""
    claim = _lock_undecided(claim)
    if by is not None and not permissions.may_object(by, claim):
        raise _not_permitted(claim)
    if not claim.is_announced:
        raise NotYetApprovable("This claim was not announced, so there is nothing to object to yet.")
    how = "" if by else "With the link that was mailed to a known address."
    return _end(claim, ClaimStatus.OBJECTED, "object_to_claim", by=by, decided_by=by, public_reason=how)


@has_gravity(Gravity.DECISION)
@transaction.atomic
def approve_claim(claim: NamespaceClaim, *, by: User, reason: str) -> NamespaceClaim:
    """Make the claimant, or the organisation for which they claim, the registrant, or in a recovery, make the claimant a
    representative. If there is a registrant, a first administrator announces the claim before.
    """
    lock_accounts(*{claim.claimant_id, *filter(None, [claim.announced_by_id])})
    claim, reason = _lock_to_decide(claim, by=by, reason=reason)
    if lapse := grants.lapse_of(claim):
        raise ClaimantNotActive(f"The claim is no longer valid. {lapse} Decline it.")
    _check_approvable(claim, by=by)
    verb: str
    if claim.is_recovery and claim.organisation is not None:
        verb, details = Verb.RESTORE, restore_representative(claim.organisation, claim.claimant)
    else:
        claim.replaced_event = latest_registrant_event(claim.namespace)
        verb, details = "approve_claim", change_registrant(claim.namespace, claim.future_registrant)
        end_lapsed_offer(claim.namespace)
    return _end(claim, ClaimStatus.APPROVED, verb, by=by, decided_by=by, public_reason=reason, **details)


@locked_with_account("namespaces")
def lock_namespaces_of(account: User) -> None:
    """Lock the namespaces that a locked account has, offers, is offered or claims, before anything is written to the log."""
    claims = NamespaceClaim.objects.undecided().filter(claimant=account)
    offers = Transfer.objects.waiting().concerning(account)
    concerned = (
        Q(registrant=account) | Q(pk__in=claims.values("namespace")) | Q(pk__in=offers.values("namespace"))
    )
    list(Namespace.objects.filter(concerned).order_by("pk").select_for_update().values_list("pk"))


def _claim(namespace: Namespace, *, by: User, **values: Any) -> NamespaceClaim:
    """Create a claim of a locked namespace."""
    check_is_verified(by)
    if namespace.claims.undecided().filter(claimant=by).exists():
        raise ClaimPending(namespace)
    claim = NamespaceClaim.objects.create(namespace=namespace, claimant=by, **values)
    notify_of_claim(log.append("claim_namespace", by=by, nid=namespace.nid, claim=claim.pk), claim)
    return claim


def _not_permitted(claim: NamespaceClaim) -> NotPermitted:
    return NotPermitted(f"You can't do this with a claim of “{claim.namespace.nid}”.")


def _check_announceable(claim: NamespaceClaim) -> None:
    namespace, announced = claim.namespace, NamespaceClaim.objects.filter(status=ClaimStatus.ANNOUNCED)
    if claim.is_recovery and namespace.organisation_id != claim.organisation_id:
        raise NotYetApprovable(f"“{namespace.nid}” no longer belongs to the organisation. Decline the claim.")
    if announced.filter(namespace=namespace).exists():
        raise NotYetApprovable(f"A claim of “{namespace.nid}” was already announced.")
    if claim.is_recovery and announced.filter(is_recovery=True, organisation=claim.organisation).exists():
        raise NotYetApprovable(f"A claim to represent “{claim.organisation}” was already announced.")
    if not namespace.controller.is_known:
        raise NotYetApprovable(f"“{namespace.nid}” has no registrant: approve the claim, or decline it.")


def _check_approvable(claim: NamespaceClaim, *, by: User) -> None:
    check_is_verified(claim.claimant)
    registrant = claim.namespace.controller
    if not claim.is_announced:
        if registrant.is_known or claim.is_recovery:
            raise NotYetApprovable(
                f"“{claim.namespace.nid}” has a registrant. Announce the claim first, so that they can object."
            )
    elif not claim.is_due:
        raise NotYetApprovable(
            f"The registrant can object until {claim.objections_until:%Y-%m-%d %H:%M} UTC."
        )
    elif claim.announced_by_id == by.pk:
        raise NotYetApprovable("You announced this claim. Another administrator approves it.")
    elif not permissions.stands_announced(claim):
        raise NotYetApprovable(
            "The person who announced this claim is no longer an administrator, or has a conflict of interest now. Decline "
            "the claim."
        )
    elif registrant not in (claim.announced_to, *(() if claim.is_recovery else (NO_CONTROLLER,))):
        raise NotYetApprovable(
            "The namespace has had another registrant since the announcement. Decline the claim."
        )


def _lock(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_for_update().get(pk=namespace.pk)


def _lock_undecided(claim: NamespaceClaim) -> NamespaceClaim:
    """The claim and its namespace, locked and read again. Raises ClaimDecided."""
    namespace = _lock(claim.namespace)
    claim = NamespaceClaim.objects.select_for_update().get(pk=claim.pk)
    claim.namespace = namespace
    if not claim.is_undecided:
        raise ClaimDecided(claim)
    return claim


def _lock_to_decide(claim: NamespaceClaim, *, by: User, reason: str) -> tuple[NamespaceClaim, str]:
    """The claim, locked, and the checked reason, if `by` decides on it."""
    claim = _lock_undecided(claim)
    if claim.organisation is not None:
        lock_organisation(claim.organisation)
    lock_roles(by)
    if not permissions.may_decide_on_claim(by, claim):
        raise _not_permitted(claim)
    return claim, check_text(reason, "the reason", longest=MAX_REASON_LENGTH)


def _end(
    claim: NamespaceClaim,
    status: ClaimStatus,
    verb: str,
    *,
    by: User | None,
    decided_by: User | None = None,
    reason: str = "",
    public_reason: str = "",
    **details: Any,
) -> NamespaceClaim:
    claim.status, claim.ended_at, claim.decided_by = status, timezone.now(), decided_by
    claim.reason = reason or public_reason
    claim.save()
    return _write(claim, verb, by=by, reason=public_reason, **details)


def _write(
    claim: NamespaceClaim, verb: str, *, by: User | None, reason: str, **details: Any
) -> NamespaceClaim:
    """Append the event of a claim, and create its mails. Private events change nothing that the registry shows."""
    if verb in event_types():
        claim.namespace.mark_changed()
    event = log.append(verb, by=by, nid=claim.namespace.nid, reason=reason, claim=claim.pk, **details)
    notify_of_claim(event, claim)
    return claim


def _missing_authority(claimant: User, claim: NamespaceClaim) -> str:
    is_for_organisation = claim.organisation is not None and not claim.is_recovery
    if not is_for_organisation or is_representative(claimant, claim.organisation_id):
        return ""
    return "The claimant no longer represents the organisation."


def _withdraw_lapsed(claim: NamespaceClaim, *, reason: str) -> None:
    _end(claim, ClaimStatus.WITHDRAWN, "withdraw_claim", by=None, reason=reason)


grants.declare(
    grants.GrantType(
        model=NamespaceClaim,
        pending=lambda: NamespaceClaim.objects.undecided().select_related("namespace", "organisation"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
