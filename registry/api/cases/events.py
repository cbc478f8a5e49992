"""`cases/{number}/events/`: the events of a case."""

from django.db.models import Q
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from registry.api.cases.queries import CaseUnknown, public_case
from registry.api.framework.pagination import (
    KeysetPagination,
    PageSerializer,
    PaginatedAPIView,
    page_query,
)
from registry.api.schema.operations import NUMBER, operation
from registry.audit_log.models import Event
from registry.events.queries import with_publicity
from registry.events.serializers import EventSerializer


class CaseEventPageSerializer(PageSerializer):
    """A page of events of a case."""

    results = EventSerializer(many=True)


CaseEventQuerySerializer = page_query(EventSerializer, always="number")


class CaseEventPagination(KeysetPagination):
    text = "reason"


class CaseEventListView(PaginatedAPIView):
    """The events of a case in order, from its first submission on."""

    query = CaseEventQuerySerializer
    pagination_class = CaseEventPagination
    knows_etags = True

    @operation(
        "listCaseEvents",
        "The events of a case",
        response=CaseEventPageSerializer,
        refusals=[CaseUnknown],
        parameters=[NUMBER],
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        case = public_case(number)
        events = with_publicity(Event.objects.of_case(case.pk)).filter(Q(is_public=True))
        return self.paginated(request, events.select_related("actor"), EventSerializer)
