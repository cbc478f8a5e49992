"""`services/`: the services of namespaces and their health."""

import re
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from registry.api.framework.fields import NIDField, NIDKeyField, NullableCharField, nid_field, query_choice
from registry.api.framework.pagination import (
    AFTER,
    FieldsField,
    KeysetPagination,
    PageSizeField,
    PaginatedAPIView,
    page_of,
)
from registry.api.framework.urls import LinkField
from registry.api.schema.operations import operation
from registry.resolution.health.views import BY_NID
from registry.resolution.models import HealthState, ListedService
from urnsyntax.nid import NID_PATTERN
from urnsyntax.profiles.services.service import KINDS


class ListedServiceSerializer(serializers.Serializer[ListedService]):
    """A service in the profile of a namespace, and what the daily checks found."""

    nid = nid_field()
    title = serializers.CharField(help_text="The title of the service.")
    kind = serializers.ChoiceField(choices=list(KINDS), help_text="What it returns: a service of RFC 2483.")
    template = serializers.CharField(help_text="The address template.")
    host = serializers.CharField(help_text="The host of the address.")
    media_type = NullableCharField(help_text="The media type; null if unknown.")
    language = NullableCharField(help_text="A language tag (BCP 47).")
    health = serializers.ChoiceField(
        source="state",
        choices=HealthState.values,
        help_text="`degraded` after three failed checks in a row, and `down` when they fail for 14 days.",
    )
    failures = serializers.IntegerField(help_text="The number of failed checks in a row.")
    checked_at = serializers.DateTimeField(
        allow_null=True, help_text="The time of the last check; null before the first."
    )
    worked_at = serializers.DateTimeField(allow_null=True, help_text="The last check that succeeded.")
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="The first of the failed checks in a row."
    )
    detail = NullableCharField(help_text="The result of the last check as a sentence.")
    namespace = LinkField("namespace", nid="nid", help_text="The address of the namespace.")


KEY = rf"({NID_PATTERN})\.[0-9]{{1,3}}"


@extend_schema_field({"type": "string", "pattern": f"^{KEY}$"})
class ServiceKeyField(NIDKeyField):
    """The key after which a page starts: a NID and the position of a service in its profile."""

    key = re.compile(KEY)


class ServiceQuerySerializer(serializers.Serializer[Any]):
    """Filters of the list."""

    nid = NIDField(required=False, help_text="Only services of this namespace.")
    health = query_choice("health", tuple(HealthState.values), help_text="Only services with this health.")
    fields = FieldsField(ListedServiceSerializer, always="nid")  # type: ignore[assignment]  # a parameter
    after = ServiceKeyField(required=False, help_text=AFTER)
    page_size = PageSizeField()


class ServicePagination(KeysetPagination):
    """Pages in the order of the NIDs."""

    keyset = BY_NID


class ServiceListView(PaginatedAPIView):
    """The services in the profiles of all namespaces, and whether they work.

    The registry requests examples of each service every day. Services of a namespace that share an address template share
    their health.
    """

    query = ServiceQuerySerializer
    pagination_class = ServicePagination
    knows_etags = True

    @operation(
        "listServices",
        "The services of namespaces",
        response=page_of(ListedServiceSerializer, "A page of services.", "Service"),
        links={"namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        chosen = {"nid": self.parameters.get("nid"), "state": self.parameters.get("health")}
        services = ListedService.objects.filter(**{name: value for name, value in chosen.items() if value})
        return self.paginated(request, services, ListedServiceSerializer)
