"""The personal data of resolution: names in what administrators write about hosts. The audit log records these texts."""

from registry.accounts.erasure import PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.resolution.models import ConfirmedHost


@holds_personal_data
class ResolutionData(PersonalDataHolder):
    """Nothing is erased; the texts that name the person are reported."""

    texts = (TextColumns("confirmed hosts", ConfirmedHost.objects, "evidence", "host"),)


exports(ConfirmedHost, "namespace_id host basis evidence confirmed_at", of="confirmed_by")
