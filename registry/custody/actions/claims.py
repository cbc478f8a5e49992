"""Claims of namespaces: claim, withdraw, announce, object, approve and decline. The only writers of `NamespaceClaim`."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from functools import partial
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from registry.accounts import grants
from registry.accounts.gravity import Gravity
from registry.accounts.locks import check_is_verified
from registry.accounts.models import User
from registry.actions.declarations import (
    Action,
    ActionContext,
    Condition,
    EventType,
    SubjectType,
    UseOfGrants,
)
from registry.actions.engine import performs
from registry.actions.parameters import Parameter, Selection, Text, public_reason
from registry.audit_log.history import Detail
from registry.audit_log.models import Event
from registry.core.validators import MAX_BASIS_LENGTH, MAX_REASON_LENGTH, check_text
from registry.custody import permissions
from registry.custody.evidence import Links, check_evidence
from registry.custody.exceptions import (
    ClaimantNotActive,
    ClaimDecided,
    ClaimPending,
    InvalidEvidence,
    NotYetApprovable,
)
from registry.custody.models import ClaimStatus, Ground, NamespaceClaim
from registry.custody.notifications import notify_of_claim
from registry.namespaces.actions.registrants import change_registrant, latest_registrant_event
from registry.namespaces.actions.transfers import end_lapsed_offer
from registry.namespaces.models import Namespace
from registry.namespaces.subjects import CLAIM, NAMESPACE, NEW_REGISTRANT
from registry.organisations import gains
from registry.organisations.actions import members
from registry.organisations.event_details import ORGANISATION, PERSON
from registry.organisations.inputs import OrganisationChoice
from registry.organisations.models import NO_CONTROLLER, Organisation
from registry.organisations.permissions import check_represents, is_representative
from registry.organisations.subjects import lock_organisation


class ClaimSubject(SubjectType[NamespaceClaim]):
    """The claim, its namespace, and the organisation for which it is made, are locked."""

    def lock(self, subject: NamespaceClaim, by: User | None) -> NamespaceClaim:
        namespace = NAMESPACE.lock(subject.namespace, by)
        claim = NamespaceClaim.objects.select_for_update().get(pk=subject.pk)
        claim.namespace = namespace
        if claim.organisation is not None:
            lock_organisation(claim.organisation)
        return claim

    def members(self, subject: NamespaceClaim) -> Mapping[str, Any]:
        return {"nid": subject.namespace.nid, "claim": subject.pk}

    def mark_changed(self, subject: NamespaceClaim) -> None:
        subject.namespace.mark_changed()


def _mail_about_claim(event: Event, context: ActionContext[Any]) -> None:
    notify_of_claim(event, context.result)


CLAIM_SUBJECT = ClaimSubject()
NOT_PERMITTED = "You can't do this with a claim of “{subject.namespace.nid}”."
EVIDENCE: tuple[Parameter, ...] = (
    Selection("ground", "Evidence", alternatives=Ground),
    Text(
        "statement",
        "Statement",
        "Who you are, and what an administrator can check. Only administrators can read it.",
        lines=6,
        max_length=MAX_BASIS_LENGTH,
    ),
    Links(
        "links",
        "Links",
        "Web addresses that prove it, one on each line, such as a page of your organisation.",
    ),
)
REASON = public_reason("What you checked, and how. Do not name the claimant.")
UNDECIDED = Condition[NamespaceClaim](
    lambda claim: claim.is_undecided,
    lambda claim: f"This claim of “{claim.namespace.nid}” was already {claim.get_status_display()}.",
    ClaimDecided,
)
CLAIM_NAMESPACE = Action[Namespace](
    name="claim_namespace",
    label="Claim a namespace",
    button="Send the claim",
    effect=(
        "An administrator checks your evidence. If the claim is approved, you or your organisation will be the registrant, and "
        "can revise the namespace."
    ),
    success="Your claim was sent to the administrators. You get their decision by e-mail.",
    past="Claimed",
    details=(CLAIM,),
    is_public=False,
    permission=permissions.may_claim,
    not_permitted="You are the registrant of “{subject.nid}” already.",
    obstacle=gains.obstacle_to_getting,
    gravity=Gravity.CONTROL,
    limit="claims",
    makes_grant=True,
    parameters=(*EVIDENCE, OrganisationChoice("organisation", "For whom")),
    refusals=(ClaimPending, InvalidEvidence),
    notify=_mail_about_claim,
)
RECOVER_ORGANISATION = Action[Namespace](
    name="recover_organisation",
    button="Send the claim",
    effect="An administrator checks your evidence. If the claim is approved, you will represent the organisation of the namespace.",
    success="Your claim was sent to the administrators. You get their decision by e-mail.",
    # Its event is that of CLAIM_NAMESPACE.
    is_public=False,
    permission=permissions.may_recover,
    not_permitted="There is no organisation of “{subject.nid}” that you can ask to represent.",
    gravity=Gravity.CONTROL,
    limit="claims",
    makes_grant=True,
    parameters=EVIDENCE,
    refusals=(ClaimPending, InvalidEvidence),
)
# What the actions on a claim have in common.
on_claim = partial(
    Action[NamespaceClaim],
    not_permitted=NOT_PERMITTED,
    needs_confirmed_address=False,
    notify=_mail_about_claim,
)
APPROVE_CLAIM = on_claim(
    name="approve_claim",
    label="Approve the claim",
    effect="The claimant, or the organisation for which they claim the namespace, becomes the registrant. The claimant of a "
    "recovery becomes a representative of the organisation. The reason is public.",
    success="The claim was approved. The claimant and all known addresses were notified.",
    past="Claim approved: new registrant",
    details=(CLAIM, *NEW_REGISTRANT),
    permission=permissions.may_decide_on_claim,
    obstacle=permissions.obstacle_of_invitation,
    gravity=Gravity.DECISION,
    conditions=(UNDECIDED,),
    offered_to=permissions.can_approve,
    uses_grants=UseOfGrants(
        lambda claim, by: [claim],
        ClaimantNotActive,
        "The claim is no longer valid. {lapse} Decline it.",
        lambda claim: [claim.announced_by_id] if claim.announced_by_id else [],
    ),
    parameters=(REASON,),
    refusals=(NotYetApprovable,),
)
# The event of an approved recovery.
RESTORE_REPRESENTATIVE = EventType(
    name=members.RESTORE_REPRESENTATIVE.name,
    past="Claim approved: the organisation has another representative",
    details=(CLAIM, ORGANISATION, PERSON),
    notify=_mail_about_claim,
)
ANNOUNCE_CLAIM = on_claim(
    name="announce_claim",
    label="Announce the claim",
    effect="The registrant and all known addresses are notified, and can object. Another administrator can approve "
    "the claim when the time is over. The reason is public.",
    success="The claim is announced. The registrant was notified.",
    past="Claim announced: objections until {until}",
    details=(CLAIM, Detail("until", date, "The day from which the claim can be approved.")),
    permission=permissions.may_decide_on_claim,
    obstacle=permissions.obstacle_of_invitation,
    gravity=Gravity.DECISION,
    conditions=(UNDECIDED,),
    offered_to=permissions.can_announce,
    parameters=(REASON,),
    refusals=(NotYetApprovable,),
)
DECLINE_CLAIM = on_claim(
    name="decline_claim",
    label="Decline the claim",
    effect="The claimant gets the reason, and can claim again with other evidence. The reason is not public.",
    success="The claim was declined. The claimant was notified.",
    past="Declined",
    details=(CLAIM,),
    is_public=False,
    permission=permissions.may_decide_on_claim,
    obstacle=permissions.obstacle_of_invitation,
    gravity=Gravity.DECISION,
    conditions=(UNDECIDED,),
    parameters=(REASON,),
    is_grave=True,
)
OBJECT_TO_CLAIM = on_claim(
    name="object_to_claim",
    label="Object to the claim",
    effect="The claim ends, and the registrant stays the same.",
    success="The claim has ended. The registrant stays the same.",
    past="Objection: the claim ended",
    details=(CLAIM,),
    permission=permissions.can_object,
    gravity=Gravity.CONTROL,
    conditions=(
        UNDECIDED,
        Condition(
            lambda claim: claim.is_announced,
            "This claim was not announced, so there is nothing to object to yet.",
            NotYetApprovable,
        ),
    ),
    # By the link that was mailed to a known address.
    is_automatic=True,
    is_grave=True,
)
WITHDRAW_CLAIM = on_claim(
    name="withdraw_claim",
    label="Withdraw the claim",
    effect="The claim ends. You can make it again.",
    success="The claim was withdrawn.",
    past="Withdrawn",
    details=(CLAIM,),
    is_public=False,
    permission=permissions.is_claimant,
    gravity=Gravity.CONTROL,
    conditions=(UNDECIDED,),
    is_grave=True,
)
# By their parts of URLs, in the order of the buttons.
DECISIONS = {
    "approve": APPROVE_CLAIM,
    "announce": ANNOUNCE_CLAIM,
    "decline": DECLINE_CLAIM,
    "object": OBJECT_TO_CLAIM,
    "withdraw": WITHDRAW_CLAIM,
}


@performs(CLAIM_NAMESPACE, NAMESPACE)
def claim_namespace(
    context: ActionContext[Namespace],
    *,
    ground: str,
    statement: str,
    links: Iterable[str] = (),
    organisation: Organisation | None = None,
) -> NamespaceClaim:
    """Ask for a namespace, with evidence that the claimant and the administrators can read.

    A representative can claim it for their organisation.
    """
    if organisation is not None:
        check_represents(organisation, by=context.actor)
    evidence = check_evidence(ground, statement, links)
    return _claim(context, organisation=organisation, **evidence)


@performs(RECOVER_ORGANISATION, NAMESPACE)
def recover_organisation(
    context: ActionContext[Namespace], *, ground: str, statement: str, links: Iterable[str] = ()
) -> NamespaceClaim:
    """Ask to represent the organisation of a namespace, whose representatives can't be reached."""
    evidence = check_evidence(ground, statement, links)
    return _claim(context, organisation=context.subject.organisation, is_recovery=True, **evidence)


def _claim(context: ActionContext[Namespace], **values: Any) -> NamespaceClaim:
    namespace, by = context.subject, context.actor
    if namespace.claims.undecided().filter(claimant=by).exists():
        raise ClaimPending(namespace)
    claim = NamespaceClaim.objects.create(
        namespace=namespace, claimant=by, made_with=context.made_with, **values
    )
    context.event_type, context.details = CLAIM_NAMESPACE, {"claim": claim.pk}
    return claim


@performs(WITHDRAW_CLAIM, CLAIM_SUBJECT)
def withdraw_claim(context: ActionContext[NamespaceClaim]) -> None:
    """Withdraw an undecided claim. The namespace can be claimed again."""
    _end(context, ClaimStatus.WITHDRAWN)


@performs(DECLINE_CLAIM, CLAIM_SUBJECT)
def decline_claim(context: ActionContext[NamespaceClaim], *, reason: str) -> None:
    """Decline a claim. Only the claimant and the administrators read the reason."""
    _end(context, ClaimStatus.DECLINED, reason=_checked(reason), decided_by=context.by)


def time_to_object() -> timedelta:
    """How long someone who may be lost has time to answer."""
    return timedelta(days=max(1, settings.DAYS_TO_OBJECT))


@performs(ANNOUNCE_CLAIM, CLAIM_SUBJECT)
def announce_claim(context: ActionContext[NamespaceClaim], *, reason: str) -> None:
    """Announce a claim of a namespace that has a registrant, who then has time to object."""
    claim = context.subject
    context.reason = _checked(reason)
    _check_announceable(claim)
    claim.announced_at, claim.announced_by = timezone.now(), context.actor
    claim.objections_until = claim.announced_at + time_to_object()
    claim.status = ClaimStatus.ANNOUNCED
    claim.registrant, claim.former_organisation = claim.namespace.registrant, claim.namespace.organisation
    claim.save()
    context.details = {"until": claim.objections_until.date().isoformat()}


@performs(OBJECT_TO_CLAIM, CLAIM_SUBJECT)
def object_to_claim(context: ActionContext[NamespaceClaim]) -> None:
    """End an announced claim: as its registrant, or as a person who followed the link that was mailed to a known address."""
    context.reason = "" if context.by else "With the link that was mailed to a known address."
    _end(context, ClaimStatus.OBJECTED, reason=context.reason, decided_by=context.by)


@performs(APPROVE_CLAIM, CLAIM_SUBJECT)
def approve_claim(context: ActionContext[NamespaceClaim], *, reason: str) -> None:
    """Make the claimant, or the organisation for which they claim, the registrant, or in a recovery, make the claimant a
    representative. If there is a registrant, a first administrator announces the claim before.
    """
    claim = context.subject
    context.reason = _checked(reason)
    _check_approvable(claim, by=context.actor)
    if claim.is_recovery and claim.organisation is not None:
        context.event_type = RESTORE_REPRESENTATIVE
        context.details = members.restore_representative(claim.organisation, claim.claimant)
    else:
        claim.replaced_event = latest_registrant_event(claim.namespace)
        context.details = change_registrant(claim.namespace, claim.future_registrant)
        end_lapsed_offer(claim.namespace)
    _end(context, ClaimStatus.APPROVED, reason=context.reason, decided_by=context.by)


def _checked(reason: str) -> str:
    return check_text(reason, "the reason", longest=MAX_REASON_LENGTH, argument="reason")


def _end(
    context: ActionContext[NamespaceClaim],
    status: ClaimStatus,
    *,
    reason: str = "",
    decided_by: User | None = None,
) -> None:
    claim = context.subject
    claim.status, claim.ended_at, claim.decided_by = status, timezone.now(), decided_by
    claim.reason = reason
    claim.save()


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


def _missing_authority(claimant: User, claim: NamespaceClaim) -> str:
    is_for_organisation = claim.organisation is not None and not claim.is_recovery
    if not is_for_organisation or is_representative(claimant, claim.organisation_id):
        return ""
    return "The claimant no longer represents the organisation."


def _withdraw_lapsed(claim: NamespaceClaim, *, reason: str) -> None:
    context = ActionContext(claim, None, WITHDRAW_CLAIM, result=claim)
    _end(context, ClaimStatus.WITHDRAWN, reason=reason)
    CLAIM_SUBJECT.record(context)


grants.declare(
    grants.GrantType(
        model=NamespaceClaim,
        pending=lambda: NamespaceClaim.objects.undecided().select_related("namespace", "organisation"),
        missing_authority=_missing_authority,
        withdraw=_withdraw_lapsed,
    )
)
gains.declare(Q(verb__in=[ANNOUNCE_CLAIM.name, APPROVE_CLAIM.name, RESTORE_REPRESENTATIVE.name]))
