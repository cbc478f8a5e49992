"""The reasons for which an action on an organisation is refused."""

from http import HTTPStatus

from registry.core.exceptions import RegistryError
from registry.organisations.models import Organisation


class AlreadyMember(RegistryError):
    """The person is a member of the organisation already."""

    title = "Already a member"


class InvitationPending(RegistryError):
    """The address has an open invitation to the organisation."""

    title = "Already invited"


class InvitationNotOpen(RegistryError):
    """The invitation was accepted, declined or withdrawn, or it expired."""

    title = "The invitation is no longer open"


class NotMember(RegistryError):
    """The person is no longer a member of the organisation."""

    title = "Not a member"


class SamePart(RegistryError):
    """The member has this part already."""

    title = "Nothing changed"


class InvalidOrganisation(RegistryError):
    """The part is unknown, the homepage is not a web address, or the name imitates a role of the registry."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not valid"


class LastRepresentative(RegistryError):
    """The organisation has namespaces or open cases, which only a representative can continue."""

    title = "The organisation needs a representative"

    def __init__(self, organisation: Organisation) -> None:
        super().__init__(
            f"This is the last representative of “{organisation.name}”, which has namespaces or open cases. "
            "Invite another representative first, or transfer the namespaces and withdraw the cases."
        )
