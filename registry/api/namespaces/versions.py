"""`namespaces/{nid}/versions/` and the text of each: what was registered, and when."""

from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import parse_number
from registry.api.framework.renderers import FORMATS, PlainTextRenderer
from registry.api.framework.urls import absolute_url, api_url
from registry.api.framework.views import PublicAPIView
from registry.api.namespaces.serializers import version_links
from registry.api.namespaces.views import NamespaceUnknown, registered_or_404
from registry.api.registration_template.serializers import SectionsSerializer
from registry.api.schema.operations import NID, TEXT, VERSION, in_all_formats, operation
from registry.core.exceptions import RegistryError
from registry.namespaces.models import Namespace, Revision
from registry.registration_template.normal_form import MAX_VERSION
from urnsyntax.nid import is_well_formed


class VersionUnknown(RegistryError):
    """The namespace has no such version, or not with its text: only IANA may hold that."""

    status = HTTPStatus.NOT_FOUND
    title = "No such version"


class VersionSerializer(serializers.ModelSerializer[Revision]):
    """A version in a list."""

    url = serializers.SerializerMethodField()
    template = serializers.SerializerMethodField()

    class Meta:
        model = Revision
        fields: tuple[str, ...] = ("version", "registered_at", "origin", "digest", "url", "template")
        read_only_fields = fields

    def get_url(self, revision: Revision) -> str:
        return str(self._link(revision)["url"])

    def get_template(self, revision: Revision) -> str:
        return str(self._link(revision)["template"])

    def _link(self, revision: Revision) -> dict[str, Any]:
        return version_links(revision.namespace.nid, revision.version)


class VersionLinksSerializer(serializers.Serializer[Any]):
    """The addresses around a version."""

    self = serializers.URLField()
    html = serializers.URLField()
    template = serializers.URLField()
    namespace = serializers.URLField()
    versions = serializers.URLField()


class VersionDetailSerializer(serializers.ModelSerializer[Revision]):
    """A version with its sections."""

    nid = serializers.CharField(source="namespace.nid")
    sections = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta:
        model = Revision
        fields = ("nid", "version", "registered_at", "origin", "digest", "sections", "links")
        read_only_fields = fields

    @extend_schema_field(SectionsSerializer)
    def get_sections(self, revision: Revision) -> dict[str, Any]:
        return SectionsSerializer(revision.template).data

    @extend_schema_field(VersionLinksSerializer)
    def get_links(self, revision: Revision) -> dict[str, str]:
        nid = revision.namespace.nid
        link = version_links(nid, revision.version)
        return {
            "self": link["url"],
            "html": absolute_url(revision.get_absolute_url()),
            "template": link["template"],
            "namespace": api_url("namespace", nid=nid),
            "versions": api_url("versions", nid=nid),
        }


class VersionListSerializer(serializers.Serializer[Any]):
    """The versions of one namespace."""

    nid = serializers.CharField()
    current = serializers.IntegerField()
    results = VersionSerializer(many=True)


class VersionListView(PublicAPIView):
    """The versions of a namespace whose text is here, the oldest first."""

    renderer_classes = FORMATS
    element = "versions"

    @operation(
        "listNamespaceVersions",
        "The versions of a namespace",
        answers=in_all_formats(VersionListSerializer),
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
        namespace = registered_or_404(nid, _without_text())
        revisions = namespace.revisions.defer("content", "text")
        for revision in revisions:
            revision.namespace = namespace
        results = VersionSerializer(revisions, many=True).data
        return Response({"nid": namespace.nid, "current": namespace.version, "results": results})

    def as_text(self, body: dict[str, Any]) -> str:
        """A line a version: its number, its time, its template."""
        lines = (
            f"{each['version']} {each['registered_at']} {each['template']}\n" for each in body["results"]
        )
        return "".join(lines)


class VersionDetailView(PublicAPIView):
    """One version. It never changes. As plain text it is the template."""

    renderer_classes = FORMATS
    element = "version"

    @operation(
        "getNamespaceVersion",
        "One version of a namespace",
        answers=in_all_formats(VersionDetailSerializer),
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
        body = VersionDetailSerializer(revision).data
        return Response(body, headers=_registered_at(revision))


class VersionTemplateView(PublicAPIView):
    """The template of one version as plain text."""

    renderer_classes = (PlainTextRenderer,)

    @operation(
        "getNamespaceVersionTemplate",
        "The template of one version, as plain text",
        answers={"text/plain": TEXT},
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
        answers={"text/plain": TEXT},
        refusals=[NamespaceUnknown, VersionUnknown],
        parameters=[NID],
    )
    def get(self, request: Request, nid: str) -> Response:
        with_text = Namespace.objects.select_related("latest").defer("latest__content")
        namespace = registered_or_404(nid, with_text)
        if namespace.latest is None:
            raise VersionUnknown(_elsewhere(namespace))
        return Response(namespace.latest.text, headers=_registered_at(namespace.latest))


def _template(nid: str, version: str) -> Response:
    revision = _version(nid, version, Revision.objects.defer("content"))
    return Response(revision.text, headers=_registered_at(revision))


def _without_text() -> QuerySet[Namespace]:
    return Namespace.objects.select_related("latest").defer("latest__content", "latest__text")


def _registered_at(revision: Revision) -> dict[str, str]:
    return {"Last-Modified": http_date(revision.registered_at.timestamp())}


def _version(nid: str, version: str, revisions: QuerySet[Revision]) -> Revision:
    """That version, or NamespaceUnknown or VersionUnknown. One query when it is there."""
    number = parse_number(version, most=MAX_VERSION)
    if number and is_well_formed(nid):
        wanted = revisions.select_related("namespace").filter(namespace__nid=nid.lower(), version=number)
        if revision := wanted.first():
            return revision
    namespace = registered_or_404(nid, _without_text())
    if not number:
        raise VersionUnknown("A version is a whole number, in ASCII digits: 1, 2, 3 …")
    if number > namespace.version:
        raise VersionUnknown(
            f"“{namespace.nid}” has no version {number}; it is at version {namespace.version}."
        )
    raise VersionUnknown(_elsewhere(namespace))


def _elsewhere(namespace: Namespace) -> str:
    place = f" It is at {namespace.template_url}" if namespace.template_url else ""
    return (
        f"This registry does not hold that text of “{namespace.nid}”, which was registered with IANA.{place}"
    )
