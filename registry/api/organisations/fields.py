"""The member and the parameter of requests that name an organisation."""

from typing import Any

from drf_spectacular.utils import extend_schema_field

from registry.accounts.models import User
from registry.api.framework.actions import RequestField, request_field
from registry.api.framework.fields import (
    MAX_NUMBER,
    QueryIntegerField,
    StrictIntegerField,
    StrictSerializer,
)
from registry.organisations.inputs import OrganisationChoice
from registry.organisations.queries import get_represented_organisation


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": MAX_NUMBER})
class OrganisationFilterField(QueryIntegerField):
    """The number of an organisation, to which the entries belong."""

    def __init__(self, entries: str) -> None:
        text = f"Only {entries} that belong to the organisation with this number."
        super().__init__(min_value=1, required=False, help_text=text)


class OrganisationChoiceSerializer(StrictSerializer):
    """For the user, or for an organisation that they represent."""

    organisation = StrictIntegerField(
        default=None,
        allow_null=True,
        help_text="The number of an organisation that you represent, if you act for it; null for yourself.",
    )


def with_organisation(body: dict[str, Any], user: User) -> dict[str, Any]:
    """The validated body with the organisation instead of its number. Raises NotPermitted."""
    number = body["organisation"]
    return body | {"organisation": None if number is None else get_represented_organisation(user, number)}


class OrganisationField(StrictIntegerField):
    """The number of an organisation that the owner of the token represents; its value is the organisation, or None."""

    def to_internal_value(self, data: Any) -> Any:
        """Raises NotPermitted."""
        return get_represented_organisation(self.context["user"], super().to_internal_value(data))


@request_field.register
def _(parameter: OrganisationChoice) -> RequestField:
    return OrganisationField(
        default=None,
        allow_null=True,
        help_text="The number of an organisation that you represent, if you act for it; null for yourself.",
    )
