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

from registry.api.description import operation
from registry.api.pages import KeyField, Page, PageSizeField, cut, in_json
from registry.api.resources import PublicResource, absolute, address
from registry.namespaces.history import WORDS
from registry.record.models import Event
from registry.registrations.workflow import EVERYTHING

VERBS_OF_CASES = frozenset({*(move.name for move in EVERYTHING), "correct"})
VERBS_OF_NAMESPACES = frozenset({*WORDS, "import_iana"})
# Which particulars say nothing of people.
PUBLIC_PARTICULARS = (
    "round",
    "version",
    "reference",
    "action_points",
    "anticipated",
    "outcome",
    "as_of",
    "words",
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
        registration_number=OuterRef("registration_number"), verb="submit", number__lte=OuterRef("number")
    )
    of_case = Q(registration_number__isnull=False, verb__in=VERBS_OF_CASES) & Q(Exists(submitted))
    of_namespace = Q(registration_number=None, verb__in=VERBS_OF_NAMESPACES)
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
    particulars = serializers.DictField(allow_null=True)
    digest = serializers.CharField(allow_null=True)
    links = serializers.SerializerMethodField()

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "string", "format": "uri"}})
    def get_links(self, event: Event) -> dict[str, str]:
        return {}

    def to_representation(self, instance: Any) -> dict[str, Any]:
        if not instance.is_public:
            return dict.fromkeys(self.fields) | {"number": instance.number, "is_public": False, "links": {}}
        return event_in_full(instance)


def event_in_full(event: Any) -> dict[str, Any]:
    known = {name: event.particulars[name] for name in PUBLIC_PARTICULARS if name in event.particulars}
    return {
        "number": event.number,
        "is_public": True,
        "at": event.at,
        "verb": event.verb,
        "actor": str(event.actor) if event.actor else None,
        "case": event.registration_number,
        "nid": event.nid or None,
        "from_state": event.from_state or None,
        "to_state": event.to_state or None,
        "reason": event.reason or None,
        "text_digest": event.text_digest or None,
        "particulars": known,
        "digest": event.digest,
        "links": _links(event),
    }


def _links(event: Event) -> dict[str, str]:
    links = {}
    if event.registration_number is not None:
        links["case"] = address("registration", number=event.registration_number)
        links["html"] = absolute(f"/registrations/{event.registration_number}/")
    if event.nid and (event.registration_number is None or event.verb == "assign"):
        links["namespace"] = address("namespace", nid=event.nid)
    return links


class EventQuery(serializers.Serializer[Any]):
    """`since` is the number of the last event that is known: the page begins with the one after it."""

    since = KeyField(required=False, default=0)
    page_size = PageSizeField()


class EventPage(Page):
    """Some events in order. `next` is where to ask on, now or later, whether there are more already or not."""

    results = EventSerializer(many=True)
    last = serializers.IntegerField(help_text="The number of the last event known now.")
    next = serializers.URLField()


class EventList(PublicResource):
    """The registry's changes in order, without a gap: ask for those since the last number that you know.

    Every number from 1 on is there. An event that concerns few, as those of a draft do, has its number alone,
    and that stays so.
    """

    query = EventQuery

    @operation(
        "events",
        "What happened in the registry",
        answers=EventPage,
        parameters=[EventQuery],
        links={
            "what happens next": ("events", {"since": "$response.body#/last"}),
            "case": ("registration", {"number": "$response.body#/results/0/case"}),
            "namespace": ("namespace", {"nid": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        since, size = self.parameters["since"], self.parameters["page_size"]
        wanted = with_publicity(Event.objects.filter(number__gt=since)).select_related("actor")
        found, has_more = cut(wanted.order_by("number"), size, length=lambda event: len(event.reason))
        last = found[-1].number if found else since
        following = f"{address('events')}?since={last}&page_size={size}"
        return Response(
            {
                "results": in_json(EventSerializer, found),
                "has_more": has_more,
                "last": last,
                "next": following,
            },
            headers={"Link": f'<{following}>; rel="next"'} if has_more else None,
        )
