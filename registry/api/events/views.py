"""`events/`: the events of the registry in order, for programs that keep a copy of it.

The audit log numbers its events from 1 without gaps, and an event becomes visible only after all events before it.
A program that asks for the events after the last number that it has therefore misses none. Events that are not
public, such as those of a draft or of a person's roles, appear with their number only, and that never changes.
"""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.events.serializers import EventSerializer, with_publicity
from registry.api.framework.pagination import (
    KeyField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.schema.operations import operation
from registry.audit_log.models import Event
from registry.core.pagination import Keyset


class EventQuerySerializer(serializers.Serializer[Any]):
    """The page of the list."""

    since = KeyField(
        required=False,
        default=0,
        help_text="The number of the last event that you have read. The page begins after it.",
    )
    page_size = PageSizeField()


class EventPageSerializer(PageSerializer):
    """A page of events in order. `next` is the address of the following events, even if there are none yet."""

    results = EventSerializer(many=True)
    last = serializers.IntegerField(help_text="The number of the last event of the page, or `since`.")
    next = serializers.URLField()


class EventPagination(KeysetPagination):
    """Pages that begin after an event. The last page has `next`, too, because events may follow."""

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
    """The events of the registry in order. Use `since` with the last number that you have read.

    The numbers from 1 on have no gaps. An event that is not public, such as that of a draft, has its number only,
    and that never changes.
    """

    query = EventQuerySerializer
    pagination_class = EventPagination

    @operation(
        "listEvents",
        "The events of the registry",
        response=EventPageSerializer,
        parameters=[EventQuerySerializer],
        links={
            "following events": ("listEvents", {"since": "$response.body#/last"}),
            "case": ("getCase", {"number": "$response.body#/results/0/case"}),
            "namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        events = with_publicity(Event.objects.select_related("actor"))
        return self.paginated(request, events, EventSerializer)
