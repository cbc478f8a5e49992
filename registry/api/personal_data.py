"""The personal data of the API: responses to requests with an Idempotency-Key."""

from registry.accounts.erasure import Erasure, PersonalDataHolder, holds_personal_data
from registry.api.models import IdempotentResponse


@holds_personal_data
class ApiData(PersonalDataHolder):
    """The responses to programs of the person, which are kept for a day."""

    def erase(self, erasure: Erasure) -> None:
        erasure.delete(
            "stored API responses", IdempotentResponse.objects.filter(token__owner=erasure.account)
        )
