"""The personal data of claims: the claimant, the evidence, and the reasons of decisions."""

from registry.accounts.services.erasure import Erasure, PersonalDataHolder, holds_personal_data
from registry.custody.models import NamespaceClaim
from registry.custody.services.claims import withdraw_claims_of


@holds_personal_data
class CustodyData(PersonalDataHolder):
    """Undecided claims of the person are withdrawn, and the texts of all their claims erased."""

    def erase(self, erasure: Erasure) -> None:
        if erasure.account is None:
            return
        ended = withdraw_claims_of(erasure.account, reason=erasure.reason)
        erasure.note("open claims of namespaces", ended)
        written = NamespaceClaim.objects.filter(claimant=erasure.account).exclude(statement="")
        erasure.note("evidence of claims", written.update(statement="", links=[], reason=""))

    def look_for_rest(self, erasure: Erasure) -> None:
        erasure.look_in("claims of namespaces", NamespaceClaim.objects.all(), "statement", "links", "reason")
