"""The personal data of organisations: who is a member, and the addresses of invitations."""

from collections.abc import Iterator

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.accounts.models import User
from registry.organisations.actions.members import check_not_last, end_memberships_of
from registry.organisations.models import Membership, MembershipInvitation, Organisation, organisations_of
from registry.organisations.subjects import LastRepresentative


@holds_personal_data
class OrganisationData(PersonalDataHolder):
    """Memberships of the person end, and invitations to their addresses and by them are deleted."""

    addresses = ((MembershipInvitation, "email"),)
    texts = (TextColumns("organisations", Organisation.objects, "name homepage"),)

    def lock(self, account: User, *, to_erase: bool) -> None:
        organisations = Organisation.objects.filter(pk__in=organisations_of(account)).order_by("pk")
        list(organisations.select_for_update().values_list("pk"))

    def close(self, account: User) -> None:
        end_memberships_of(account, by=None, reason="The account was closed.")

    def erase(self, erasure: Erasure) -> None:
        for address in sorted(erasure.person.addresses):
            erasure.delete("invitations to organisations", MembershipInvitation.objects.to_address(address))
        if erasure.account is not None:
            ended = end_memberships_of(erasure.account, by=None, reason=erasure.reason)
            erasure.note("memberships of organisations", ended)
            # What was still pending was withdrawn with the account.
            made = MembershipInvitation.objects.filter(invited_by=erasure.account)
            erasure.delete("expired invitations to organisations", made)

    def left_to_do(self, account: User) -> Iterator[str]:
        for membership in Membership.objects.of(account).select_related("organisation"):
            try:
                check_not_last(membership)
            except LastRepresentative as reason:
                yield str(reason)


exports(Membership, "organisation_id part began_at ended_at", of="user")
exports(
    MembershipInvitation,
    "organisation_id email part invited_at expires_at",
    of="invited_by",
)
