"""Services and resolutions as JSON, for `/resolve/` and for the API."""

from typing import Any

from rest_framework import serializers

from registry.resolution.formats import namespace_address
from registry.resolution.models import HealthState
from registry.resolution.resolving import Outcome, ResolvedURN
from urnsyntax.profiles.services.service import KINDS


class EmptyAsNullField(serializers.CharField):
    """A text that is null if it is empty."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_null=True, **options)

    def to_representation(self, value: str) -> Any:
        return value or None


class ServiceSerializer(serializers.Serializer[Any]):
    """A service that resolves a URN to the resource, or to information about it."""

    kind = serializers.ChoiceField(
        source="service.kind", choices=list(KINDS), help_text="What it returns: a service of RFC 2483."
    )
    title = serializers.CharField(source="service.title", help_text="The title of the service.")
    address = serializers.URLField(
        max_length=None,
        help_text="The address to which the service leads for this URN; the f-component is its fragment.",
    )
    host = serializers.CharField(help_text="The host of the address.")
    media_type = EmptyAsNullField(source="service.media_type", help_text="The media type; null if unknown.")
    language = EmptyAsNullField(source="service.language", help_text="A language tag (BCP 47).")
    priority = serializers.IntegerField(
        source="service.priority", help_text="Services with lower values come first."
    )
    host_confirmed = serializers.BooleanField(
        help_text="Whether the registry redirects to the host without asking."
    )
    health = serializers.ChoiceField(
        source="health.state",
        choices=HealthState.values,
        help_text="Whether the service works, by the daily checks.",
    )
    failing_since = serializers.DateTimeField(
        source="health.failing_since",
        allow_null=True,
        help_text="The time of the first of the failed checks in a row; null if the last one succeeded.",
    )
    ignored_r_names = serializers.ListField(
        child=serializers.CharField(),
        source="ignored",
        help_text="Names in the r-component that the service does not understand.",
    )
    ignores_q_component = serializers.BooleanField(
        source="ignores_q",
        help_text="Whether the URN has a q-component that the service does not get.",
    )


class ResolutionSerializer(serializers.Serializer[ResolvedURN]):
    """How a URN resolves. `address` is the one that the registry redirects to, or null."""

    urn = serializers.CharField()
    outcome = serializers.ChoiceField(choices=[each.value for each in Outcome])
    address = serializers.URLField(allow_null=True)
    namespace = serializers.SerializerMethodField()
    is_deprecated = serializers.SerializerMethodField()
    services = ServiceSerializer(many=True, source="choices")

    def get_namespace(self, resolved: ResolvedURN) -> str | None:
        return namespace_address(resolved.namespace_data.nid) if resolved.namespace_data else None

    def get_is_deprecated(self, resolved: ResolvedURN) -> bool:
        return bool(resolved.namespace_data and resolved.namespace_data.deprecated_at)
