"""`namespaces/{nid}/events/`, `compare/` and `profile/compare/`: the events of a namespace, and comparisons of versions."""

from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.pagination import (
    KeysetPagination,
    PageSerializer,
    PaginatedAPIView,
    page_query,
)
from registry.api.framework.views import PublicAPIView
from registry.api.namespaces.versions import VersionUnknown
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.registration_template.comparison import (
    ComparisonQuerySerializer,
    ComparisonSerializer,
    chosen_pair,
)
from registry.api.schema.operations import NID, operation
from registry.audit_log.models import Event
from registry.events.queries import with_publicity
from registry.events.serializers import EventSerializer
from registry.namespaces.history import event_label, event_types
from registry.namespaces.models import Namespace
from registry.namespaces.profile_documents import compare_profiles
from registry.namespaces.queries import NoSuchProfileVersion, TooFewProfileVersions
from registry.registration_template.diff import compare_templates


class NamespaceEventSerializer(EventSerializer):
    """An event in the history of a namespace, and the line of its page that describes it."""

    summary = serializers.SerializerMethodField()

    @extend_schema_field(serializers.CharField())
    def get_summary(self, event: Event) -> str:
        return event_label(event)


class NamespaceEventPageSerializer(PageSerializer):
    """A page of events of a namespace."""

    results = NamespaceEventSerializer(many=True)


NamespaceEventQuerySerializer = page_query(NamespaceEventSerializer, always="number")


class NamespaceEventPagination(KeysetPagination):
    text = "reason"


class NamespaceEventListView(PaginatedAPIView):
    """The history of a namespace in order. Events of cases that only requested its NID are not part of it."""

    query = NamespaceEventQuerySerializer
    pagination_class = NamespaceEventPagination
    knows_etags = True

    @operation(
        "listNamespaceEvents",
        "The history of a namespace",
        response=NamespaceEventPageSerializer,
        refusals=[NamespaceUnknown],
        parameters=[NID],
    )
    def get(self, request: Request, nid: str) -> HttpResponseBase:
        namespace = registered_or_404(nid, Namespace.objects.only("nid"))
        events = Event.objects.of_namespace(namespace.nid).filter(verb__in=[*event_types()])
        return self.paginated(
            request, with_publicity(events.select_related("actor")), NamespaceEventSerializer
        )


class CompareVersionsView(PublicAPIView):
    """The differences between two versions of a namespace, by default the latest two."""

    query = ComparisonQuerySerializer

    @operation(
        "compareNamespaceVersions",
        "The differences between two versions",
        response=ComparisonSerializer,
        refusals=[NamespaceUnknown, VersionUnknown],
        parameters=[NID],
        links={"versions": ("listNamespaceVersions", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        numbers = [*namespace.revisions.order_by("version").values_list("version", flat=True)]
        if len(numbers) < 2:
            raise VersionUnknown(f"The registry has fewer than two texts of “{namespace.nid}” to compare.")
        try:
            older, newer = chosen_pair(self.parameters, namespace.revisions.defer("text"), "version", numbers)
        except KeyError as unknown:
            raise VersionUnknown(
                f"The registry has no text of version {unknown} of “{namespace.nid}”; it has "
                f"{', '.join(map(str, numbers))}."
            ) from unknown
        compared: dict[str, Any] = {
            "older": older.version,
            "newer": newer.version,
            "comparison": compare_templates(older.template, newer.template),
        }
        return Response(ComparisonSerializer(compared).data)


class CompareProfilesView(PublicAPIView):
    """The differences between two versions of the profile of a namespace, by default the latest two."""

    query = ComparisonQuerySerializer

    @operation(
        "compareProfileVersions",
        "The differences between two versions of the profile",
        response=ComparisonSerializer,
        about="`section` is a key of the profile, with `-` for `.`, such as `names-abnf`.",
        refusals=[NamespaceUnknown, NoSuchProfileVersion, TooFewProfileVersions],
        parameters=[NID],
        links={"profile": ("listProfileVersions", {"nid": "$request.path.nid"})},
    )
    def get(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        numbers = [*namespace.profile_versions.order_by("version").values_list("version", flat=True)]
        if len(numbers) < 2:
            raise TooFewProfileVersions(namespace.nid)
        try:
            older, newer = chosen_pair(self.parameters, namespace.profile_versions.all(), "version", numbers)
        except KeyError as unknown:
            raise NoSuchProfileVersion(namespace.nid, unknown.args[0]) from unknown
        compared: dict[str, Any] = {
            "older": older.version,
            "newer": newer.version,
            "comparison": compare_profiles(older.content, newer.content),
        }
        return Response(ComparisonSerializer(compared).data)
