"""`events/`: what happened in the registry, in order, for whoever keeps a copy of it.

The record numbers its events from 1 without a gap, and an event is seen only when all before it are. So whoever
asks for those since the last number that they have misses nothing, however many write meanwhile. What concerns
few (a draft, somebody's role) keeps its place, and says nothing; it never says more later on.
"""

from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.db.models.expressions import Value
from django.db.models.fields import BooleanField
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.pagination import (
    KeyField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.framework.urls import absolute_url, api_url
from registry.api.schema.operations import operation
from registry.audit_log.models import Event
from registry.cases.workflow.table import ALL_ACTIONS
from registry.core.pagination import Keyset
from registry.namespaces.history import EVENT_LABELS

VERBS_OF_CASES = frozenset({*(transition.name for transition in ALL_ACTIONS), "correct"})
VERBS_OF_NAMESPACES = frozenset({*EVENT_LABELS, "import_iana"})
# Which details say nothing of people.
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
    "successor",
    "corrects",
    "wrong",
    "nss_pattern",
    "ignores_case",
    "ignored_characters",
)


def with_publicity(events: QuerySet[Event, Event]) -> QuerySet[Event, Event]:
    """The events, of each whether it `is_public`: by what came before it, so that this never changes.

    A case is public from its first submission on, that is, from this event on.
    """
    submitted = Event.objects.filter(
        case_number=OuterRef("case_number"), verb="submit", number__lte=OuterRef("number")
    )
    of_case = Q(case_number__isnull=False, verb__in=VERBS_OF_CASES) & Q(Exists(submitted))
    of_namespace = Q(case_number=None, verb__in=VERBS_OF_NAMESPACES)
    return events.annotate(
        is_public=Case(
            When(of_case | of_namespace, then=Value(True)),
            default=Value(False),
            output_field=BooleanField(),
        )
    )


class EventSerializer(serializers.Serializer[Event]):
    """One event. One that is not public has its number, and null for all else."""

    number = serializers.IntegerField()
    is_public = serializers.BooleanField()
    at = serializers.DateTimeField(allow_null=True)
    verb = serializers.CharField(allow_null=True)
    actor = serializers.CharField(allow_null=True, help_text="Null when the registry itself acted.")
    case = serializers.IntegerField(allow_null=True)
    nid = serializers.CharField(allow_null=True)
    from_state = serializers.CharField(allow_null=True)
    to_state = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    text_digest = serializers.CharField(allow_null=True)
    details = serializers.DictField(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    links = serializers.SerializerMethodField()

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "string", "format": "uri"}})
    def get_links(self, event: Event) -> dict[str, str]:
        return {}

    def to_representation(self, instance: Any) -> dict[str, Any]:
        if not instance.is_public:
            return dict.fromkeys(self.fields) | {"number": instance.number, "is_public": False, "links": {}}
        return public_event(instance)


def public_event(event: Any) -> dict[str, Any]:
    known = {name: event.details[name] for name in PUBLIC_DETAILS if name in event.details}
    return {
        "number": event.number,
        "is_public": True,
        "at": event.at,
        "verb": event.verb,
        "actor": str(event.actor) if event.actor else None,
        "case": event.case_number,
        "nid": event.nid or None,
        "from_state": event.from_state or None,
        "to_state": event.to_state or None,
        "reason": event.reason or None,
        "text_digest": event.text_digest or None,
        "details": known,
        "digest": event.digest,
        "links": _links(event),
    }


def _links(event: Event) -> dict[str, str]:
    links = {}
    if event.case_number is not None:
        links["case"] = api_url("case", number=event.case_number)
        links["html"] = absolute_url(f"/cases/{event.case_number}/")
    if event.nid and (event.case_number is None or event.verb == "assign"):
        links["namespace"] = api_url("namespace", nid=event.nid)
    return links


class EventQuerySerializer(serializers.Serializer[Any]):
    """`since` is the number of the last event that is known: the page begins with the one after it."""

    since = KeyField(required=False, default=0)
    page_size = PageSizeField()


class EventPageSerializer(PageSerializer):
    """Some events in order. `next` is where to ask on, now or later, whether there are more already or not."""

    results = EventSerializer(many=True)
    last = serializers.IntegerField(help_text="The number of the last event known now.")
    next = serializers.URLField()


class EventPagination(KeysetPagination):
    """Pages that begin after an event. `next` is there on the last page, too: events may follow."""

    parameter = "since"
    keyset = Keyset("number")
    text = "reason"

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        found = super().paginate_queryset(queryset, request, view)
        self.size = view.parameters["page_size"]
        self.last = found[-1].number if found else view.parameters["since"]
        return found

    def get_next_link(self) -> str:
        return self.link(since=self.last, page_size=self.size)

    def get_paginated_response(self, data: Any, **members: Any) -> Response:
        return super().get_paginated_response(data, last=self.last, **members)


class EventListView(PaginatedAPIView):
    """The registry's changes in order, without a gap: ask for those since the last number that you know.

    Every number from 1 on is there. An event that concerns few, as those of a draft do, has its number alone,
    and that stays so.
    """

    query = EventQuerySerializer
    pagination_class = EventPagination

    @operation(
        "listEvents",
        "What happened in the registry",
        answers=EventPageSerializer,
        parameters=[EventQuerySerializer],
        links={
            "what happens next": ("listEvents", {"since": "$response.body#/last"}),
            "case": ("getCase", {"number": "$response.body#/results/0/case"}),
            "namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        events = with_publicity(Event.objects.select_related("actor"))
        return self.paginated(request, events, EventSerializer)
