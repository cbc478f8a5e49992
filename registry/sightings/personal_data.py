"""The personal data of sightings: who reported and decided, and the texts of those that are not public."""

from registry.accounts.erasure import Erasure, PersonalDataHolder, TextColumns, holds_personal_data
from registry.accounts.export import exports
from registry.sightings.models import Sighting, SightingState


@holds_personal_data
class SightingData(PersonalDataHolder):
    """What the person reported is deleted, unless it was confirmed: it is public then, without a name."""

    texts = (TextColumns("sightings", Sighting.objects, "used_by example source reason"),)

    def erase(self, erasure: Erasure) -> None:
        if erasure.account is None:
            return
        reported = Sighting.objects.filter(reported_by=erasure.account)
        kept = reported.filter(state=SightingState.CONFIRMED)
        erasure.note("reasons of confirmed sightings", kept.exclude(reason="").update(reason=""))
        erasure.delete("sightings that are not public", reported.exclude(state=SightingState.CONFIRMED))


exports(
    Sighting,
    "nid example used_by source reported_at state decided_at reason",
    of="reported_by",
    not_of="decided_by",
)
