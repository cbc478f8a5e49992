"""The registered versions of a namespace and their templates, their comparisons, and the events of the namespace."""

from http import HTTPStatus
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.http.response import HttpResponseBase
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import nid_field, parse_number
from registry.api.framework.pagination import (
    KeysetPagination,
    PaginatedAPIView,
    chosen_entries,
    page_of,
    page_query,
    sparse_query,
)
from registry.api.framework.renderers import FORMATS, PlainTextRenderer
from registry.api.framework.urls import LinkField, PageLinkField, ProofLinkField
from registry.api.framework.views import PublicAPIView
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.registration_template import (
    CommitmentsField,
    ComparisonQuerySerializer,
    ComparisonSerializer,
    SectionsSerializer,
    chosen_pair,
)
from registry.api.schema.operations import NID, TEXT, VERSION, in_all_formats, operation
from registry.audit_log.models import Event
from registry.core.exceptions import RegistryError
from registry.events.events import EventSerializer, text_length, with_publicity
from registry.namespaces.history import event_label, event_types
from registry.namespaces.models import Namespace, Revision
from registry.namespaces.profile_documents import compare_profiles
from registry.namespaces.queries import NoSuchProfileVersion, TooFewProfileVersions
from registry.registration_template.diff import compare_templates
from registry.registration_template.normal_form import MAX_VERSION
from urnsyntax.nid import is_well_formed


class VersionUnknown(RegistryError):
    """The namespace has no such version, or only IANA has its text."""

    status = HTTPStatus.NOT_FOUND
    title = "No such version"


class NamespaceVersionSerializer(serializers.ModelSerializer[Revision]):
    """A version in a list."""

    url = LinkField("version", nid="namespace.nid", version="version", help_text="The address.")
    template = LinkField(
        "version-template",
        nid="namespace.nid",
        version="version",
        help_text="The address of the completed template as plain text.",
    )

    class Meta:
        model = Revision
        fields: tuple[str, ...] = ("version", "registered_at", "origin", "digest", "url", "template")
        read_only_fields = fields
        extra_kwargs = {
            "version": {"help_text": "The number of the version, from 1."},
            "registered_at": {"help_text": "The time of the registration of this version."},
            "origin": {"help_text": "Whether the registration was made here, or imported from IANA."},
            "digest": {"help_text": "The SHA-256 digest, in hexadecimal digits; see “Digests”."},
        }


class NamespaceVersionLinksSerializer(serializers.Serializer[Revision]):
    """Addresses related to a version."""

    self = LinkField("version", nid="namespace.nid", version="version")
    html = PageLinkField()
    template = LinkField(
        "version-template",
        nid="namespace.nid",
        version="version",
        help_text="The address of the completed template as plain text.",
    )
    namespace = LinkField("namespace", nid="namespace.nid", help_text="The address of the namespace.")
    versions = LinkField("versions", nid="namespace.nid", help_text="The address of the versions.")
    proof = ProofLinkField("namespaces:version_proof")


class NamespaceVersionDetailSerializer(serializers.ModelSerializer[Revision]):
    """A version with its sections."""

    nid = nid_field(source="namespace.nid")
    commitments = CommitmentsField()
    sections = SectionsSerializer(source="template", help_text="The sections of the registration template.")
    links = NamespaceVersionLinksSerializer(source="*", help_text="Related addresses.")

    class Meta:
        model = Revision
        fields = ("nid", "version", "registered_at", "origin", "digest", "commitments", "sections", "links")
        read_only_fields = fields
        extra_kwargs = {
            "version": {"help_text": "The number of the version, from 1."},
            "registered_at": {"help_text": "The time of the registration of this version."},
            "origin": {"help_text": "Whether the registration was made here, or imported from IANA."},
            "digest": {"help_text": "The SHA-256 digest, in hexadecimal digits; see “Digests”."},
        }


class NamespaceVersionListSerializer(serializers.Serializer[Namespace]):
    """The versions of one namespace."""

    nid = nid_field()
    current = serializers.IntegerField(source="version", help_text="The number of the current version.")
    results = NamespaceVersionSerializer(many=True, source="revisions", help_text="The entries, in order.")


NamespaceVersionQuerySerializer = sparse_query(NamespaceVersionSerializer, always="version")


class VersionListView(PublicAPIView):
    """The versions of a namespace whose text the registry has, oldest first."""

    query = NamespaceVersionQuerySerializer
    renderer_classes = FORMATS
    element = "versions"

    @operation(
        "listNamespaceVersions",
        "The versions of a namespace",
        response=in_all_formats(NamespaceVersionListSerializer),
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={
            "version": (
                "getNamespaceVersion",
                {"nid": "$response.body#/nid", "version": "$response.body#/results/0/version"},
            )
        },
    )
    def get(self, request: Request, nid: str, suffix: str = "") -> Response:
        revisions = Prefetch("revisions", Revision.objects.defer("content", "text"))
        namespace = registered_or_404(nid, _without_text().prefetch_related(revisions))
        return Response(chosen_entries(NamespaceVersionListSerializer(namespace), self.parameters))

    def as_text(self, body: dict[str, Any]) -> str:
        """One line for each version: number, time and address of the template."""
        members = ("version", "registered_at", "template")
        lines = (" ".join(str(each[name]) for name in members if name in each) for each in body["results"])
        return "".join(f"{line}\n" for line in lines)


class VersionDetailView(PublicAPIView):
    """One version, which never changes. The plain text is the template."""

    renderer_classes = FORMATS
    element = "version"

    @operation(
        "getNamespaceVersion",
        "One version of a namespace",
        response=in_all_formats(NamespaceVersionDetailSerializer),
        refusals=[NamespaceUnknown, VersionUnknown],
        parameters=[NID, VERSION],
        links={
            "template": (
                "getNamespaceVersionTemplate",
                {"nid": "$response.body#/nid", "version": "$response.body#/version"},
            ),
            "namespace": ("getNamespace", {"nid": "$response.body#/nid"}),
        },
    )
    def get(self, request: Request, nid: str, version: str, suffix: str = "") -> Response:
        if isinstance(request.accepted_renderer, PlainTextRenderer):
            return _template(nid, version)
        revision = _version(nid, version, Revision.objects.defer("text"))
        body = NamespaceVersionDetailSerializer(revision).data
        return Response(body, headers=_registered_at(revision))


class VersionTemplateView(PublicAPIView):
    """The template of one version as plain text."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "getNamespaceVersionTemplate",
        "The template of one version, as plain text",
        response={"text/plain": TEXT},
        refusals=[NamespaceUnknown, VersionUnknown],
        parameters=[NID, VERSION],
    )
    def get(self, request: Request, nid: str, version: str) -> Response:
        return _template(nid, version)


class NamespaceTemplateView(PublicAPIView):
    """The current template as plain text."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "getNamespaceTemplate",
        "The current template of a namespace, as plain text",
        response={"text/plain": TEXT},
        refusals=[NamespaceUnknown, VersionUnknown],
        parameters=[NID],
    )
    def get(self, request: Request, nid: str) -> Response:
        with_text = Namespace.objects.select_related("latest").defer("latest__content")
        namespace = registered_or_404(nid, with_text)
        if namespace.latest is None:
            raise VersionUnknown(_text_elsewhere(namespace))
        return Response(namespace.latest.text, headers=_registered_at(namespace.latest))


def _template(nid: str, version: str) -> Response:
    revision = _version(nid, version, Revision.objects.defer("content"))
    return Response(revision.text, headers=_registered_at(revision))


def _without_text() -> QuerySet[Namespace]:
    return Namespace.objects.select_related("latest").defer("latest__content", "latest__text")


def _registered_at(revision: Revision) -> dict[str, str]:
    return {"Last-Modified": http_date(revision.registered_at.timestamp())}


def _version(nid: str, version: str, revisions: QuerySet[Revision]) -> Revision:
    """The version, in one query if it exists. Raises NamespaceUnknown or VersionUnknown."""
    number = parse_number(version, max_value=MAX_VERSION)
    if number and is_well_formed(nid):
        found = revisions.select_related("namespace").filter(namespace__nid=nid.lower(), version=number)
        if revision := found.first():
            return revision
    namespace = registered_or_404(nid, _without_text())
    if not number:
        raise VersionUnknown("The version must be a whole number of 1 or more, in ASCII digits.")
    if number > namespace.version:
        raise VersionUnknown(
            f"“{namespace.nid}” has no version {number}. Its latest version is {namespace.version}."
        )
    raise VersionUnknown(_text_elsewhere(namespace))


def _text_elsewhere(namespace: Namespace) -> str:
    place = f" It is at {namespace.template_url}" if namespace.template_url else ""
    return (
        f"This registry does not have that text of “{namespace.nid}”, which was registered with IANA.{place}"
    )


class NamespaceEventSerializer(EventSerializer):
    """An event in the history of a namespace, and the line of its page that describes it."""

    summary = serializers.SerializerMethodField(
        help_text="One to three sentences on the namespace, for people who do not know it."
    )

    @extend_schema_field(serializers.CharField())
    def get_summary(self, event: Event) -> str:
        return event_label(event)


NamespaceEventQuerySerializer = page_query(NamespaceEventSerializer, always="number")


class NamespaceEventPagination(KeysetPagination):
    def length(self, row: Event) -> int:
        return text_length(row)


class NamespaceEventListView(PaginatedAPIView):
    """The history of a namespace in order. Events of cases that only requested its NID are not part of it."""

    query = NamespaceEventQuerySerializer
    pagination_class = NamespaceEventPagination
    knows_etags = True

    @operation(
        "listNamespaceEvents",
        "The history of a namespace",
        response=page_of(NamespaceEventSerializer, "A page of events of a namespace."),
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
