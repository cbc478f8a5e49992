"""`services/`: the services of namespaces and their health."""

import re
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request

from registry.api.framework.fields import NIDField, NIDKeyField, query_choice
from registry.api.framework.pagination import (
    AFTER,
    FieldsField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.schema.operations import operation
from registry.api.services.serializers import ListedServiceSerializer
from registry.resolution.health.queries import BY_NID
from registry.resolution.models import HealthState, ListedService
from urnsyntax.nid import NID_PATTERN

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


class ServicePageSerializer(PageSerializer):
    """A page of services."""

    results = ListedServiceSerializer(many=True)


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
        response=ServicePageSerializer,
        links={"namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        chosen = {"nid": self.parameters.get("nid"), "state": self.parameters.get("health")}
        services = ListedService.objects.filter(**{name: value for name, value in chosen.items() if value})
        return self.paginated(request, services, ListedServiceSerializer)
