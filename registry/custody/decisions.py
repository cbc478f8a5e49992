"""The decisions on a claim, as its page and the API present them."""

from collections.abc import Callable
from dataclasses import dataclass

from registry.accounts.models import User
from registry.core.exceptions import RegistryError
from registry.custody import permissions
from registry.custody.exceptions import ClaimantNotActive, ClaimDecided, NotYetApprovable
from registry.custody.models import NamespaceClaim
from registry.custody.services import claims


@dataclass(frozen=True)
class ClaimDecision:
    """A decision on a claim; `action` takes `by` and, if `takes_reason`, `reason`.

    `operation_id` names the decision in the API; by default “Claim” follows the name.
    """

    name: str
    label: str
    effect: str
    success_message: str
    action: Callable[..., NamespaceClaim]
    is_allowed: Callable[[User, NamespaceClaim], bool]
    refusals: tuple[type[RegistryError], ...] = (ClaimDecided,)
    takes_reason: bool = True
    is_grave: bool = True
    operation_id: str = ""


APPROVE_CLAIM = ClaimDecision(
    name="approve",
    label="Approve the claim",
    effect="The claimant, or the organisation for which they claim the namespace, becomes the registrant. The claimant of a "
    "recovery becomes a representative of the organisation. The reason is public.",
    success_message="The claim was approved. The claimant and all known addresses were notified.",
    action=claims.approve_claim,
    is_allowed=permissions.may_approve,
    refusals=(ClaimDecided, NotYetApprovable, ClaimantNotActive),
    is_grave=False,
)
ANNOUNCE_CLAIM = ClaimDecision(
    name="announce",
    label="Announce the claim",
    effect="The registrant and all known addresses are notified, and can object. Another administrator can approve "
    "the claim when the time is over. The reason is public.",
    success_message="The claim is announced. The registrant was notified.",
    action=claims.announce_claim,
    is_allowed=permissions.may_announce,
    refusals=(ClaimDecided, NotYetApprovable),
    is_grave=False,
)
DECLINE_CLAIM = ClaimDecision(
    name="decline",
    label="Decline the claim",
    effect="The claimant gets the reason, and can claim again with other evidence. The reason is not public.",
    success_message="The claim was declined. The claimant was notified.",
    action=claims.decline_claim,
    is_allowed=permissions.may_decline,
)
OBJECT_TO_CLAIM = ClaimDecision(
    name="object",
    label="Object to the claim",
    operation_id="objectToClaim",
    effect="The claim ends, and the registrant stays the same.",
    success_message="The claim has ended. The registrant stays the same.",
    action=claims.object_to_claim,
    is_allowed=permissions.may_object,
    refusals=(ClaimDecided, NotYetApprovable),
    takes_reason=False,
)
WITHDRAW_CLAIM = ClaimDecision(
    name="withdraw",
    label="Withdraw the claim",
    effect="The claim ends. You can make it again.",
    success_message="The claim was withdrawn.",
    action=claims.withdraw_claim,
    is_allowed=permissions.may_withdraw_claim,
    takes_reason=False,
)
DECISIONS = {
    each.name: each
    for each in (APPROVE_CLAIM, ANNOUNCE_CLAIM, DECLINE_CLAIM, OBJECT_TO_CLAIM, WITHDRAW_CLAIM)
}


def decisions_open_to(user: User, claim: NamespaceClaim) -> list[ClaimDecision]:
    """The decisions that `user` can make now, in the order of the buttons."""
    return [each for each in DECISIONS.values() if each.is_allowed(user, claim)]
