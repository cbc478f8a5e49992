"""Services of namespaces in responses."""

from rest_framework import serializers

from registry.api.framework.fields import NullableCharField
from registry.api.framework.urls import LinkField
from registry.resolution.models import HealthState, ListedService
from urnsyntax.profiles.services.service import KINDS


class ListedServiceSerializer(serializers.Serializer[ListedService]):
    """A service in the profile of a namespace, and what the daily checks found."""

    nid = serializers.CharField()
    title = serializers.CharField()
    kind = serializers.ChoiceField(choices=list(KINDS), help_text="What it returns: a service of RFC 2483.")
    template = serializers.CharField(help_text="The address template.")
    host = serializers.CharField()
    media_type = NullableCharField()
    language = NullableCharField(help_text="A language tag (BCP 47).")
    health = serializers.ChoiceField(
        source="state",
        choices=HealthState.values,
        help_text="`degraded` after three failed checks in a row, and `down` when they fail for 14 days.",
    )
    failures = serializers.IntegerField(help_text="The number of failed checks in a row.")
    checked_at = serializers.DateTimeField(allow_null=True)
    worked_at = serializers.DateTimeField(allow_null=True, help_text="The last check that succeeded.")
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="The first of the failed checks in a row."
    )
    detail = NullableCharField(help_text="The result of the last check as a sentence.")
    namespace = LinkField("namespace", nid="nid")
