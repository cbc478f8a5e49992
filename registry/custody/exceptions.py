"""The reasons for which an action on a claim of a namespace is refused."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace


class ClaimPending(RegistryError):
    """The person has an undecided claim of the namespace."""

    title = "You have claimed this namespace already"

    def __init__(self, namespace: Namespace) -> None:
        super().__init__(
            f"Your claim of “{namespace.nid}” is under consideration. Withdraw it to claim with other evidence."
        )


class ClaimDecided(RegistryError):
    """The claim was approved, declined or withdrawn, or ended by an objection."""

    title = "The claim is decided"


class NotYetApprovable(RegistryError):
    """The claim needs another step first: an announcement, the end of the time for objections, a second person."""

    title = "Not possible at this step"


class ClaimantNotActive(RegistryError):
    """The account of the claimant is closed."""

    title = "The account is closed"


class InvalidEvidence(RegistryError):
    """The evidence has an unknown ground, no statement, or something that is not a link."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The evidence is not complete"
