"""The personal data of resolution: names in what administrators write about hosts. The audit log records these texts."""

from registry.accounts.erasure import Erasure, PersonalDataHolder, holds_personal_data
from registry.accounts.export import exports
from registry.resolution.models import ConfirmedHost


@holds_personal_data
class ResolutionData(PersonalDataHolder):
    """Nothing is erased; the texts that name the person are reported."""

    def look_for_rest(self, erasure: Erasure) -> None:
        erasure.look_in("confirmed hosts", ConfirmedHost.objects.all(), "evidence", label="host")


exports(ConfirmedHost, "namespace_id host basis evidence confirmed_at", of="confirmed_by")
