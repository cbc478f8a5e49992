"""`namespaces/` and `namespaces/{nid}/`: what is registered."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, OuterRef, QuerySet
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.description import NID, in_formats, operation, with_members
from registry.api.nids import case_links
from registry.api.pages import Page, PageSizeField, cut, in_json, page
from registry.api.parameters import DayField, NIDField, WordsField, YesOrNoField, one_of
from registry.api.problem_shapes import NIDProblem
from registry.api.renderers import PlainTextRenderer, XMLRenderer
from registry.api.resources import PublicResource, absolute, address
from registry.api.sections import SectionsSerializer
from registry.errors import RegistryError
from registry.namespaces import answers
from registry.namespaces.models import Kind, Namespace, Revision, RulesVersion
from registry.namespaces.rules import Rules
from registry.namespaces.search import MOST, Question, Sorting, found_by, listed
from registry.registrations.nid_reports import NIDReport, report_on
from urnsyntax.nid import NID_PATTERN

STATUSES = ("active", "deprecated")
ORDERINGS = ("nid", "-nid", "registered_on", "-registered_on", "updated_on", "-updated_on")
DATE_OR_NONE = re.compile("([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?")


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


@extend_schema_field({"type": "string", "pattern": f"^({DATE_OR_NONE.pattern},)?({NID_PATTERN})$"})
class AfterField(NIDField):
    """Where a page begins: after a NID, in another order than that of the NIDs with its date before it."""

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if data is serializers.empty:
            return super().run_validation(data)
        date, comma, nid = str(data).rpartition(",")
        if not DATE_OR_NONE.fullmatch(date):
            self.fail("blank", name=self.field_name)
        return f"{date}{comma}{super().run_validation(nid)}"


class NamespaceQuery(serializers.Serializer[Any]):
    """What the list can be asked. `updated_since` asks the registry's dates, the day of deprecation too."""

    kind = one_of("kind", tuple(Kind.values))
    status = one_of("status", STATUSES)
    registrant = WordsField(
        required=False, allow_blank=True, help_text="Words of the registrant's name, or how they begin."
    )
    q = WordsField(required=False, allow_blank=True, help_text="Words to search for.")
    updated_since = DayField(required=False)
    has_rules = YesOrNoField(required=False, help_text="Whether rules for names are set.")
    ordering = one_of("ordering", ORDERINGS, default="nid", help_text="By what; “-” is downwards.")
    after = AfterField(required=False)
    page_size = PageSizeField()


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


class RulesSerializer(serializers.Serializer[RulesVersion]):
    """How the names of a namespace are built, and which differences do not count when two are compared."""

    version = serializers.IntegerField()
    nss_pattern = serializers.SerializerMethodField(
        help_text="In the syntax of RE2; the whole NSS matches it."
    )
    ignores_case = serializers.BooleanField()
    ignored_characters = serializers.CharField(allow_blank=True)
    basis = serializers.CharField(help_text="Where the registration says so in words, which count.")
    set_at = serializers.DateTimeField()

    def get_nss_pattern(self, rules: RulesVersion) -> str | None:
        return rules.nss_pattern or None


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
    rules = RulesSerializer(allow_null=True)

    class Meta(NamespaceSerializer.Meta):
        fields = (
            *NamespaceSerializer.Meta.fields[:-1],
            "sections",
            "versions",
            "deprecation",
            "rules",
            "links",
        )
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


class NamespacePage(Page):
    """Some namespaces."""

    results = NamespaceSerializer(many=True)
    is_cut = serializers.BooleanField(
        help_text=f"Whether more than {MOST} have the words, so that some of them are left out on all pages."
    )


class NamespaceList(PublicResource):
    """All namespaces, in pages that stay right while namespaces are added.

    `next` and the header Link lead to the next page; `after` is the key that the page begins behind.
    """

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
        asked = self.parameters
        chosen, is_cut = _chosen(asked)
        found, has_more = cut(chosen, asked["page_size"], lambda each: len(each.purpose))
        column = asked["ordering"].removeprefix("-")
        after = {"after": _key(found[-1], column)} if has_more else {}
        answer = page(request, in_json(NamespaceSerializer, found), address("namespaces"), **after)
        answer.data["is_cut"] = is_cut
        return answer


def _key(last: Namespace, column: str) -> str:
    """What `after` is for the page that follows. It holds the date, which may be another one by then."""
    return last.nid if column == "nid" else f"{getattr(last, column)},{last.nid}"


def _chosen(asked: dict[str, Any]) -> tuple[QuerySet[Namespace], bool]:
    """The namespaces that are asked for, those after `after`, in order; and whether a search left some out."""
    kind, status, since = (asked.get(name, "") for name in ("kind", "status", "updated_since"))
    words, registrant = (asked.get(name, "").strip() for name in ("q", "registrant"))
    sorting, how_many = _sorting(asked["ordering"], asked.get("after", "")), asked["page_size"] + 1
    question = Question(
        words, kind, status, registrant=registrant, since=since, has_rules=asked.get("has_rules")
    )
    if words or registrant:
        found, is_cut = found_by(question, sorting, how_many)
        return _brief(found), is_cut
    return listed(_brief(Namespace.objects.all()), question.chosen, sorting, how_many, since), False


def _brief(found: QuerySet[Namespace]) -> QuerySet[Namespace]:
    """Without their texts, which no list shows."""
    return found.select_related("latest").defer("latest__content", "latest__text")


def _sorting(ordering: str, after: str) -> Sorting:
    """By a column and, where that says the same of several, by NID; beyond the key `after`."""
    column, descends = ordering.removeprefix("-"), ordering.startswith("-")
    date, _, nid = after.rpartition(",")
    beyond = (nid,) if column == "nid" else (date, nid)
    return Sorting("" if column == "nid" else column, descends, beyond if nid else ())


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
            "revise": ("revise", {"nid": "$response.body#/nid"}),
            "deprecate": ("deprecate", {"nid": "$response.body#/nid"}),
            "offer": ("offer_transfer", {"nid": "$response.body#/nid"}),
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
    if rules := body["rules"]:
        yield from _rules_in_lines(rules)
    for reference in body["references"]:
        yield f"Reference: {reference['label'] or reference['target']}"


def _rules_in_lines(rules: dict[str, Any]) -> Iterator[str]:
    if rules["nss_pattern"]:
        yield f"Names match: {rules['nss_pattern']}"
    said = Rules(ignores_case=rules["ignores_case"], ignored_characters=rules["ignored_characters"])
    if said.equivalence_in_words:
        yield said.equivalence_in_words


def in_full() -> QuerySet[Namespace]:
    """Namespaces with all that an answer needs, in one query."""
    versions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    everything = Namespace.objects.select_related("latest", "successor", "rules").annotate(
        versions=ArraySubquery(versions), digest=F("answer__digest")
    )
    return everything.defer("latest__text")


def registered(nid: str, namespaces: QuerySet[Namespace] | None = None) -> Namespace:
    """The namespace, or NamespaceUnknown, which says what else the NID is."""
    report = report_on(nid, namespaces)
    if report.namespace is None:
        raise NamespaceUnknown(report)
    return report.namespace
