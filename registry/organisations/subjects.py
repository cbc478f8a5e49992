"""What actions on organisations, their members and invitations are about, their locks, and the reasons for which
actions are refused.
"""

from collections.abc import Mapping
from typing import Any

from registry.accounts.models import User
from registry.actions.declarations import SubjectType
from registry.core.exceptions import RegistryError
from registry.core.validators import TextRefused
from registry.organisations.models import Membership, MembershipInvitation, Organisation


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


class InvalidOrganisation(TextRefused, RegistryError):
    """The part is unknown, the homepage is not a web address, or the name imitates a role of the registry."""

    title = "Not valid"


class NameTaken(TextRefused, RegistryError):
    """Another organisation has this name, or one that could be mistaken for it (UTS #39, Section 4)."""

    title = "Another organisation has this name"


class LastRepresentative(RegistryError):
    """The organisation has namespaces, entries of registers or open cases, which only a representative can continue."""

    title = "The organisation needs a representative"

    def __init__(self, organisation: Organisation) -> None:
        super().__init__(
            f"This is the last representative of “{organisation.name}”, which has namespaces, entries of registers or open "
            "cases. Invite another representative first, or hand on the namespaces and entries, and withdraw the cases."
        )


def lock_organisation(organisation: Organisation) -> Organisation:
    """Lock and re-read an organisation: its members, and what belongs to it, change one after the other."""
    return Organisation.objects.select_for_update().get(pk=organisation.pk)


def share_organisation(key: int) -> None:
    """Lock an organisation until the end of the transaction, so that its members do not change before, and other actions
    of its cases can run at the same time. Django does not support FOR SHARE.
    """
    list(Organisation.objects.raw("SELECT id FROM organisations_organisation WHERE id = %s FOR SHARE", [key]))


class OrganisationSubject(SubjectType[Organisation]):
    def lock(self, subject: Organisation, by: User | None) -> Organisation:
        return lock_organisation(subject)

    def members(self, subject: Organisation) -> Mapping[str, Any]:
        return {"organisation": subject.pk}


class InvitationSubject(SubjectType[MembershipInvitation]):
    """The invitation is read again under the lock of its organisation."""

    def lock(self, subject: MembershipInvitation, by: User | None) -> MembershipInvitation:
        organisation = lock_organisation(subject.organisation)
        found = organisation.invitations.filter(pk=subject.pk).first()
        if found is None:
            raise InvitationNotOpen("This invitation was already accepted, declined or withdrawn.")
        found.organisation = organisation
        return found

    def members(self, subject: MembershipInvitation) -> Mapping[str, Any]:
        return {"organisation": subject.organisation_id, "part": subject.part}


class MembershipSubject(SubjectType[Membership]):
    """The membership is read again under the lock of its organisation."""

    def lock(self, subject: Membership, by: User | None) -> Membership:
        organisation = lock_organisation(subject.organisation)
        found = organisation.memberships.current().select_related("user").filter(pk=subject.pk).first()
        if found is None:
            raise NotMember(f"{subject.user} is no longer a member of “{organisation.name}”.")
        found.organisation = organisation
        return found

    def members(self, subject: Membership) -> Mapping[str, Any]:
        return {"organisation": subject.organisation_id, "part": subject.part, "person": subject.user_id}


ORGANISATION, INVITATION, MEMBERSHIP = OrganisationSubject(), InvitationSubject(), MembershipSubject()
