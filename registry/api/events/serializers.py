"""Events in responses."""

from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.db.models.expressions import Value
from django.db.models.fields import BooleanField
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from registry.api.framework.fields import NullableCharField
from registry.api.framework.urls import absolute_url, api_url
from registry.audit_log.models import Event
from registry.cases.workflow.table import EVENT_TYPE_BY_NAME
from registry.namespaces.history import EVENT_LABELS

# The details that contain no personal data.
PUBLIC_DETAILS = (
    "round",
    "version",
    "reference",
    "action_points",
    "anticipated",
    "outcome",
    "as_of",
    "message",
    "section",
    "code",
    "comment",
    "successor",
    "corrects",
    "wrong",
    "changed",
    "host",
    "basis",
)


# The types of public events: those of cases, and those of namespaces.
PUBLIC_VERBS = tuple(sorted({*EVENT_TYPE_BY_NAME, *EVENT_LABELS}))


def with_publicity(events: QuerySet[Event, Event]) -> QuerySet[Event, Event]:
    """Annotate each event with `is_public`. It depends on earlier events only, so it never changes.

    The events of a case are public from its first submission on.
    """
    submitted = Event.objects.filter(
        case_number=OuterRef("case_number"), verb="submit", number__lte=OuterRef("number")
    )
    of_case = Q(case_number__isnull=False, verb__in=[*EVENT_TYPE_BY_NAME]) & Q(Exists(submitted))
    of_namespace = Q(case_number=None, verb__in=[*EVENT_LABELS])
    return events.annotate(
        is_public=Case(
            When(of_case | of_namespace, then=Value(True)),
            default=Value(False),
            output_field=BooleanField(),
        )
    )


class EventSerializer(serializers.Serializer[Event]):
    """One event. An event that is not public has its number, and null for all other members."""

    number = serializers.IntegerField()
    is_public = serializers.BooleanField()
    at = serializers.DateTimeField(allow_null=True)
    verb = serializers.CharField(allow_null=True)
    actor = serializers.CharField(allow_null=True, help_text="Null if the registry itself acted.")
    case = serializers.IntegerField(source="case_number", allow_null=True)
    nid = NullableCharField()
    from_state = NullableCharField()
    to_state = NullableCharField()
    reason = NullableCharField()
    text_digest = NullableCharField()
    details = serializers.SerializerMethodField()
    digest = serializers.CharField(allow_null=True)
    links = serializers.SerializerMethodField()

    def to_representation(self, instance: Any) -> dict[str, Any]:
        if not instance.is_public:
            return dict.fromkeys(self.fields) | {"number": instance.number, "is_public": False, "links": {}}
        return super().to_representation(instance)

    @extend_schema_field(serializers.DictField(allow_null=True))
    def get_details(self, event: Event) -> dict[str, Any]:
        return {name: event.details[name] for name in PUBLIC_DETAILS if name in event.details}

    @extend_schema_field(serializers.DictField(child=serializers.URLField()))
    def get_links(self, event: Event) -> dict[str, str]:
        links = {}
        if event.case_number is not None:
            links["case"] = api_url("case", number=event.case_number)
            links["html"] = absolute_url(f"/cases/{event.case_number}/")
        if event.nid and (event.case_number is None or event.verb == "assign"):
            links["namespace"] = api_url("namespace", nid=event.nid)
        return links
