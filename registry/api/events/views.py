"""`events/`: the events of the registry in order, for programs that keep a copy of it.

The audit log numbers its events from 1 without gaps, and an event becomes visible only after all events before it.
A program that asks for the events after the last number that it has therefore misses none. Events that are not
public, such as those of a draft or of a person's roles, appear with their number only, and that never changes. They are
left out of a list with a filter.
"""

from http import HTTPStatus
from typing import Any

from django.db.models import Q
from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import NIDField
from registry.api.framework.pagination import (
    FieldsField,
    KeyField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.framework.views import PublicAPIView
from registry.api.schema.operations import operation, with_problem_members
from registry.api.schema.problems import PositionProblemSerializer
from registry.audit_log.models import Event, LogPosition
from registry.core.exceptions import RegistryError
from registry.core.pagination import Keyset
from registry.events.events import VERB_CHOICES, EventSerializer, text_length, with_publicity


@with_problem_members(PositionProblemSerializer)
class LogBehind(RegistryError):
    """The log does not reach the event that the client has read: it was restored from an older copy, or is another one."""

    status = HTTPStatus.CONFLICT
    title = "Log behind"

    def __init__(self, since: int, last: int) -> None:
        super().__init__(
            f"You have read event {since}, but the last event of this log is {last}. Compare the digest of the last event "
            "that you have with that of `events/head/`; if the log is another one, read it from the beginning."
        )
        self.members = {"last": last}


PAGE = ("since", "page_size", "fields")


@extend_schema_field({"$ref": "#/components/schemas/EventVerb"})
class VerbField(serializers.ChoiceField):
    """A query parameter with the type of an event. `EventSerializer` describes the component."""

    default_error_messages = {
        "invalid_choice": "“verb” must be the type of a public event, such as “submit”."
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=VERB_CHOICES, required=False, **options)


class EventFilterSerializer(serializers.Serializer[Any]):
    """The filters of the list and of the stream."""

    nid = NIDField(required=False, help_text="Only public events of this namespace.")
    case = KeyField(
        required=False, source="case_number", help_text="Only public events of the case with this number."
    )
    verb = VerbField(help_text="Only public events of this type.")


class EventQuerySerializer(EventFilterSerializer):
    """The page and the filters of the list."""

    since = KeyField(
        required=False,
        default=0,
        help_text="The number of the last event that you have read. The page begins after it.",
    )
    page_size = PageSizeField()
    fields = FieldsField(EventSerializer, always="number")  # type: ignore[assignment]  # a parameter


def filters_in(parameters: dict[str, Any]) -> dict[str, Any]:
    """The chosen values by the fields of the model."""
    return {name: value for name, value in parameters.items() if name not in PAGE}


class EventPageSerializer(PageSerializer):
    """A page of events in order. `next` is the address of the following events, even if there are none yet."""

    results = EventSerializer(many=True, help_text="The entries of this page, in order.")
    last = serializers.IntegerField(
        help_text="The number of the event up to which the log has been read: `since` of the next request."
    )
    next = serializers.URLField(help_text="The address of the next page, even if it has no entries yet.")


class EventPagination(KeysetPagination):
    """Pages that begin after an event. The last page has `next`, too, because events may follow."""

    parameter = "since"
    keyset = Keyset("number")

    def length(self, row: Event) -> int:
        return text_length(row)

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        since = view.parameters["since"]
        # Read before the page, which therefore contains all events up to it.
        head = LogPosition.current().number
        if since > head:
            raise LogBehind(since, head)
        found = super().paginate_queryset(queryset, request, view)
        self.size = view.parameters["page_size"]
        read = [since, *(event.number for event in found[-1:])]
        self.last = max(read if self.page.after else [*read, head])
        return found

    def get_next_link(self) -> str:
        return self.link(since=self.last, page_size=self.size)

    def get_paginated_response(self, data: Any, **members: Any) -> Response:
        return super().get_paginated_response(data, last=self.last, **members)


class EventListView(PaginatedAPIView):
    """The events of the registry in order. Use `since` with the last number that you have read.

    The numbers from 1 on have no gaps. An event that is not public, such as that of a draft, has its number only,
    and that never changes. A list with a filter contains public events only.
    """

    query = EventQuerySerializer
    pagination_class = EventPagination
    knows_etags = True

    @operation(
        "listEvents",
        "The events of the registry",
        response=EventPageSerializer,
        refusals=[LogBehind],
        links={
            "following events": ("listEvents", {"since": "$response.body#/last"}),
            "case": ("getCase", {"number": "$response.body#/results/0/case"}),
            "namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> HttpResponseBase:
        events = with_publicity(Event.objects.select_related("actor"))
        if filters := filters_in(self.parameters):
            events = events.filter(Q(is_public=True, **filters))
        return self.paginated(request, events, EventSerializer)


class EventHeadSerializer(serializers.Serializer[Any]):
    """The newest event of the log, which commits to all events before it."""

    number = serializers.IntegerField(help_text="0 before the first event.")
    digest = serializers.CharField(help_text="The digest of the event, or 64 zeros.")
    at = serializers.DateTimeField(
        allow_null=True, help_text="The time of the newest event; null before the first."
    )


class EventHeadView(PublicAPIView):
    """The number, digest and time of the newest event. A copy that has read this far is complete."""

    @operation(
        "getEventHead",
        "The newest event",
        response=EventHeadSerializer,
        links={"following events": ("listEvents", {"since": "$response.body#/number"})},
    )
    def get(self, request: Request) -> Response:
        event = Event.objects.last()
        position = event.position if event else LogPosition()
        return Response(EventHeadSerializer(position.to_json() | {"at": event and event.at}).data)
