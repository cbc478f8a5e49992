"""`namespaces/` and `namespaces/{nid}/`: what is registered."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, Q, QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import NID, in_formats, operation, with_members
from registry.api.nids import case_links
from registry.api.problem_shapes import NIDProblem
from registry.api.renderers import PlainTextRenderer, XMLRenderer
from registry.api.resources import PublicResource, absolute, address
from registry.api.sections import SectionsSerializer
from registry.errors import RegistryError
from registry.namespaces import answers
from registry.namespaces.models import Kind, Namespace, Revision
from registry.registrations.nid_reports import NIDReport, report_on
from urnsyntax.nid import NID_PATTERN, is_well_formed

PAGE_SIZE = 100
LARGEST_PAGE = 1000
STATUSES = ("active", "deprecated")
# A day or a month of the registry. ASCII digits, and nothing after them.
DAY_OR_MONTH = re.compile("[0-9]{4}-[0-9]{2}(-[0-9]{2})?")
WHOLE_NUMBER = re.compile("[1-9][0-9]{0,8}")


@with_members(
    NIDProblem,
    nid="example-forest",
    nid_status="requested",
    section="6.2",
    position=None,
    rule=None,
    pointed=None,
    cases=[{"case": 12, "html": "https://registry.example.org/registrations/12/"}],
)
class NamespaceUnknown(RegistryError):
    """No namespace is registered under this NID; `nid_status` says whether one could be."""

    status = HTTPStatus.NOT_FOUND
    title = "No such namespace"

    def __init__(self, report: NIDReport) -> None:
        super().__init__(report.reason)
        self.members: dict[str, Any] = {
            "nid": report.nid,
            "nid_status": report.status.value,
            "section": report.section,
            "position": report.fault.position if report.fault else None,
            "rule": report.fault.rule if report.fault else None,
            "pointed": report.fault.pointed() if report.fault else None,
            "cases": case_links(report),
        }


@extend_schema_field({"type": "string", "pattern": f"^({NID_PATTERN})$"})
class NIDField(serializers.CharField):
    """A NID in any case of letters, given on in lower case."""

    default_error_messages = {
        "blank": "“after” has to be a NID, such as “isbn”.",
    }

    def to_internal_value(self, data: Any) -> str:
        if not is_well_formed(str(data)):
            self.fail("blank")
        return str(data).lower()


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": PAGE_SIZE})
class PageSizeField(serializers.Field[int, str, int, Any]):
    """A whole number from 1 to LARGEST_PAGE, in ASCII digits."""

    default_error_messages = {
        "range": f"“page_size” has to be a whole number from 1 to {LARGEST_PAGE}.",
    }

    def to_internal_value(self, data: str) -> int:
        if not WHOLE_NUMBER.fullmatch(data) or int(data) > LARGEST_PAGE:
            self.fail("range")
        return int(data)


@extend_schema_field({"type": "string", "pattern": f"^{DAY_OR_MONTH.pattern}$"})
class DayField(serializers.Field[str, str, str, Any]):
    """A date as the registry writes them: YYYY-MM-DD or YYYY-MM."""

    default_error_messages = {
        "date": "“updated_since” has to be a date, as 2026-01-31 or 2026-01.",
    }

    def to_internal_value(self, data: str) -> str:
        if not DAY_OR_MONTH.fullmatch(data):
            self.fail("date")
        try:
            _beginning(data)
        except ValueError:  # a 31 February
            self.fail("date")
        return data


@extend_schema_field({"type": "string", "maxLength": 200})
class WordsField(serializers.CharField):
    """Words to search for, on one line. Blank means all."""

    default_error_messages = {
        "unsearchable": "“q” has to be words of at most 200 characters, without control characters.",
    }

    def to_internal_value(self, data: Any) -> str:
        words = str(data)
        if len(words) > 200 or not words.isprintable():
            self.fail("unsearchable")
        return words


def _one_of(name: str, choices: tuple[str, ...]) -> serializers.ChoiceField:
    message = f"“{name}” has to be {' or '.join(f'“{each}”' for each in choices)}."
    return serializers.ChoiceField(
        choices=choices, required=False, error_messages={"invalid_choice": message, "null": message}
    )


class NamespaceQuery(serializers.Serializer[Any]):
    """What the list can be asked. `updated_since` asks the registry's dates, the day of deprecation too."""

    kind = _one_of("kind", tuple(Kind.values))
    status = _one_of("status", STATUSES)
    q = WordsField(required=False, allow_blank=True)
    updated_since = DayField(required=False)
    after = NIDField(required=False)
    page_size = PageSizeField(required=False, default=PAGE_SIZE)


class Reference(serializers.Serializer[Any]):
    """Where something is written about the namespace: an RFC, a page."""

    type = serializers.CharField()
    target = serializers.CharField(allow_blank=True)
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # a member of the JSON


@extend_schema_field(Reference(many=True))
class ReferencesField(serializers.JSONField):
    """The references, as they are stored."""


class NamespaceLinks(serializers.Serializer[Any]):
    """The addresses around a namespace; there is no template where only IANA holds the text."""

    self = serializers.URLField()
    html = serializers.URLField()
    versions = serializers.URLField()
    template = serializers.URLField(allow_null=True)


class VersionLink(serializers.Serializer[Any]):
    """A version of a namespace, and where it is."""

    version = serializers.IntegerField()
    url = serializers.URLField()
    template = serializers.URLField()


class Successor(serializers.Serializer[Any]):
    """The namespace to use instead."""

    nid = serializers.CharField()
    url = serializers.URLField()


class Deprecation(serializers.Serializer[Any]):
    """Since when and why a namespace is deprecated."""

    deprecated_at = serializers.DateTimeField()
    statement = serializers.CharField()
    successor = Successor(allow_null=True)


class NamespaceSerializer(serializers.ModelSerializer[Namespace]):
    """A namespace in a list. What the registry does not know is null, never an empty text."""

    status = serializers.SerializerMethodField()
    version = serializers.IntegerField(read_only=True)
    registered_on = serializers.SerializerMethodField()
    updated_on = serializers.SerializerMethodField()
    registrant = serializers.SerializerMethodField()
    purpose = serializers.SerializerMethodField()
    references = ReferencesField(read_only=True)
    template_url = serializers.SerializerMethodField()
    links = serializers.SerializerMethodField()

    class Meta:
        model = Namespace
        fields: tuple[str, ...] = (
            "nid",
            "kind",
            "number",
            "status",
            "origin",
            "version",
            "registered_on",
            "updated_on",
            "registrant",
            "purpose",
            "references",
            "template_url",
            "links",
        )
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=STATUSES))
    def get_status(self, namespace: Namespace) -> str:
        return STATUSES[namespace.is_deprecated]

    def get_registered_on(self, namespace: Namespace) -> str | None:
        return namespace.registered_on or None

    def get_updated_on(self, namespace: Namespace) -> str | None:
        return namespace.updated_on or None

    def get_registrant(self, namespace: Namespace) -> str | None:
        return namespace.holder or None

    def get_purpose(self, namespace: Namespace) -> str | None:
        return namespace.purpose or None

    def get_template_url(self, namespace: Namespace) -> str | None:
        return namespace.template_url or None

    @extend_schema_field(NamespaceLinks)
    def get_links(self, namespace: Namespace) -> dict[str, str | None]:
        nid = namespace.nid
        has_text = namespace.latest_id is not None
        return {
            "self": address("namespace", nid=nid),
            "html": absolute(namespace.get_absolute_url()),
            "versions": address("versions", nid=nid),
            "template": address("template", nid=nid) if has_text else None,
        }


class NamespaceDetailSerializer(NamespaceSerializer):
    """A namespace with the sections of its current registration: null when only IANA holds the text."""

    sections = serializers.SerializerMethodField()
    versions = serializers.SerializerMethodField()
    deprecation = serializers.SerializerMethodField()

    class Meta(NamespaceSerializer.Meta):
        fields = (*NamespaceSerializer.Meta.fields[:-1], "sections", "versions", "deprecation", "links")
        read_only_fields = fields

    @extend_schema_field(SectionsSerializer(allow_null=True))
    def get_sections(self, namespace: Namespace) -> dict[str, Any] | None:
        return SectionsSerializer(namespace.latest.submission).data if namespace.latest else None

    @extend_schema_field(VersionLink(many=True))
    def get_versions(self, namespace: Any) -> list[dict[str, Any]]:
        return [version_link(namespace.nid, each) for each in namespace.versions]

    @extend_schema_field(Deprecation(allow_null=True))
    def get_deprecation(self, namespace: Namespace) -> dict[str, Any] | None:
        if namespace.deprecated_at is None:
            return None
        return {
            "deprecated_at": namespace.deprecated_at,
            "statement": namespace.deprecation_statement,
            "successor": self._successor(namespace.successor),
        }

    def _successor(self, successor: Namespace | None) -> dict[str, str] | None:
        if successor is None:
            return None
        return {
            "nid": successor.nid,
            "url": address("namespace", nid=successor.nid),
        }


def version_link(nid: str, version: int) -> dict[str, Any]:
    return {
        "version": version,
        "url": address("version", nid=nid, version=version),
        "template": address("version-template", nid=nid, version=version),
    }


class NamespacePage(serializers.Serializer[Any]):
    """Some namespaces; `next` is where more are."""

    results = NamespaceSerializer(many=True)
    has_more = serializers.BooleanField()
    next = serializers.URLField(allow_null=True)


class NamespaceList(PublicResource):
    """All namespaces in the order of their NIDs, in pages that stay right while namespaces are added."""

    query = NamespaceQuery

    @operation(
        "namespaces",
        "All namespaces",
        answers=NamespacePage,
        parameters=[NamespaceQuery],
        links={
            "namespace": ("namespace", {"nid": "$response.body#/results/0/nid"}),
            "next page": ("namespaces", {"after": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        size = self.parameters["page_size"]
        chosen = _chosen(**self.parameters).select_related("latest")
        brief = chosen.defer("latest__content", "latest__text")
        found = list(brief[: size + 1])
        page, has_more = found[:size], len(found) > size
        following = _following(request, page[-1].nid) if has_more else None
        results = NamespaceSerializer(page, many=True).data
        headers = {"Link": f'<{following}>; rel="next"'} if following else None
        return Response({"results": results, "has_more": has_more, "next": following}, headers=headers)


def _chosen(
    *,
    page_size: int,
    kind: str = "",
    status: str = "",
    q: str = "",
    updated_since: str = "",
    after: str = "",
) -> QuerySet[Namespace]:
    """The namespaces that the parameters ask for, those after `after`."""
    found = Namespace.objects.matching(q)
    if kind:
        found = found.filter(kind=kind)
    if status:
        found = found.filter(deprecated_at__isnull=status == "active")
    if updated_since:
        found = found.filter(_changed_since(updated_since))
    return found.filter(nid__gt=after) if after else found


def _changed_since(day: str) -> Q:
    """Registered, updated or deprecated on `day` or later. A date of a month only may be any of its days."""
    month = day[:7]
    return (
        Q(updated_on__gte=day)
        | Q(updated_on=month)
        | Q(registered_on__gte=day)
        | Q(registered_on=month)
        | Q(deprecated_at__gte=_beginning(day))
    )


def _beginning(day: str) -> datetime:
    return datetime.fromisoformat(f"{day}-01"[:10]).replace(tzinfo=UTC)


def _following(request: Request, last: str) -> str:
    parameters = request.query_params.dict() | {"after": last}
    return f"{address('namespaces')}?{urlencode(parameters)}"


class NamespaceDetail(PublicResource):
    """One namespace, by its NID in any case of letters. A deprecated one says so, and is still here.

    As plain text: what is known of it, and its current template. An address that ends in .json, .txt or .xml
    (`namespaces/isbn.txt`) asks for that format, whatever Accept says.
    """

    renderer_classes = (JSONRenderer, PlainTextRenderer, XMLRenderer)
    element = "namespace"

    @operation(
        "namespace",
        "One namespace",
        answers=in_formats(NamespaceDetailSerializer),
        refusals=[NamespaceUnknown],
        parameters=[NID],
        links={
            "versions": ("versions", {"nid": "$response.body#/nid"}),
            "version": ("version", {"nid": "$response.body#/nid", "version": "$response.body#/version"}),
            "template": ("template", {"nid": "$response.body#/nid"}),
            "NID check": ("nid_check", {"nid": "$response.body#/nid"}),
        },
    )
    def get(self, request: Request, nid: str, suffix: str = "") -> Response:
        self.namespace = namespace = registered(nid, in_full())
        body = NamespaceDetailSerializer(namespace).data
        headers = {"Last-Modified": http_date(namespace.changed_at.timestamp())}
        if isinstance(request.accepted_renderer, JSONRenderer):
            # The same text, octet for octet, that the fast lookup sends (registry.api.front).
            headers["ETag"] = answers.etag(namespace.digest)  # type: ignore[attr-defined]
        return Response(body, headers=headers)

    def in_words(self, body: dict[str, Any]) -> str:
        """What is known, a line each, and the template if it is here."""
        latest = self.namespace.latest
        return "\n".join(_lines(body)) + "\n" + (f"\n{latest.text}" if latest else "")


def _lines(body: dict[str, Any]) -> Iterator[str]:
    yield f"NID: {body['nid']}"
    yield f"Kind: {body['kind']}"
    yield f"Status: {body['status']}"
    if deprecation := body["deprecation"]:
        yield f"Deprecated: {deprecation['deprecated_at']:%Y-%m-%d}: {' '.join(deprecation['statement'].split())}"
        if deprecation["successor"]:
            yield f"Successor: {deprecation['successor']['nid']}"
    yield f"Version: {body['version']}"
    for label, name in (
        ("Registered", "registered_on"),
        ("Updated", "updated_on"),
        ("Registrant", "registrant"),
        ("Template", "template_url"),
    ):
        if body[name]:
            yield f"{label}: {' '.join(body[name].split())}"
    for reference in body["references"]:
        yield f"Reference: {reference['label'] or reference['target']}"


def in_full() -> QuerySet[Namespace]:
    """Namespaces with all that an answer needs, in one query."""
    versions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    everything = Namespace.objects.select_related("latest", "successor").annotate(
        versions=ArraySubquery(versions), digest=F("answer__digest")
    )
    return everything.defer("latest__text")


def registered(nid: str, namespaces: QuerySet[Namespace] | None = None) -> Namespace:
    """The namespace, or NamespaceUnknown, which says what else the NID is."""
    report = report_on(nid, namespaces)
    if report.namespace is None:
        raise NamespaceUnknown(report)
    return report.namespace
