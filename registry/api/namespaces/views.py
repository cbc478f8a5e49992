"""`namespaces/` and `namespaces/{nid}/`: what is registered."""

import re
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

from registry.api.framework.fields import (
    NIDField,
    QueryBooleanField,
    QueryDateField,
    SearchTextField,
    query_choice,
)
from registry.api.framework.pagination import (
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.framework.renderers import PlainTextRenderer, XMLRenderer
from registry.api.framework.views import PublicAPIView
from registry.api.namespaces.serializers import (
    STATUSES,
    NamespaceDetailSerializer,
    NamespaceSerializer,
    text_lines,
)
from registry.api.nids.views import case_links
from registry.api.schema.operations import (
    NID,
    UNLIMITED_READ_PROBLEMS,
    in_all_formats,
    operation,
    with_problem_members,
)
from registry.api.schema.problem_serializers import NIDProblemSerializer
from registry.cases.nids.report import report_on
from registry.core.exceptions import RegistryError
from registry.core.pagination import Page, take
from registry.namespaces.lookup.store import release_tag, store_lookup
from registry.namespaces.models import Kind, Namespace, Revision
from registry.namespaces.search import MAX_RESULTS, SearchQuery, Sorting, list_namespaces, search_namespaces
from registry.publication.snapshot.internal_requests import is_internal
from registry.registration_template.nids.report import NIDReport
from urnsyntax.nid import NID_PATTERN

ORDERINGS = ("nid", "-nid", "registered_on", "-registered_on", "updated_on", "-updated_on")
OF_NAMESPACE = {"nid": "$response.body#/nid"}
DATE_OR_NONE = re.compile("([0-9]{4}-[0-9]{2}(-[0-9]{2})?)?")


@with_problem_members(
    NIDProblemSerializer,
    nid="example-forest",
    nid_status="requested",
    section="6.2",
    position=None,
    rule=None,
    pointed=None,
    cases=[{"case": 12, "html": "https://registry.example.org/cases/12/"}],
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
            "pointed": report.fault.with_caret() if report.fault else None,
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


class NamespaceQuerySerializer(serializers.Serializer[Any]):
    """What the list can be asked. `updated_since` asks the registry's dates, the day of deprecation too."""

    kind = query_choice("kind", tuple(Kind.values))
    status = query_choice("status", STATUSES)
    registrant = SearchTextField(
        required=False, allow_blank=True, help_text="Words of the registrant's name, or how they begin."
    )
    q = SearchTextField(required=False, allow_blank=True, help_text="Words to search for.")
    updated_since = QueryDateField(required=False)
    has_rules = QueryBooleanField(required=False, help_text="Whether rules for names are set.")
    ordering = query_choice("ordering", ORDERINGS, default="nid", help_text="By what; “-” is downwards.")
    after = AfterField(required=False)
    page_size = PageSizeField()


class NamespacePageSerializer(PageSerializer):
    """Some namespaces."""

    results = NamespaceSerializer(many=True)
    is_cut = serializers.BooleanField(
        help_text=f"Whether more than {MAX_RESULTS} have the words, so that some of them are left out on all pages."
    )


class NamespacePagination(KeysetPagination):
    """Pages that begin after a NID, or after a date and a NID: the date may have changed by the next page."""

    text = "purpose"

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.request = request
        found, has_more = take(queryset, view.parameters["page_size"], self.length)
        column = view.parameters["ordering"].removeprefix("-")
        self.page = Page(found, self._key(found[-1], column) if has_more else "", is_later=False)
        return found

    def _key(self, row: Namespace, column: str) -> str:
        return row.nid if column == "nid" else f"{getattr(row, column)},{row.nid}"


class NamespaceListView(PaginatedAPIView):
    """All namespaces, in pages that stay right while namespaces are added.

    `next` and the header Link lead to the next page; `after` is the key that the page begins behind.
    """

    query = NamespaceQuerySerializer
    pagination_class = NamespacePagination

    @operation(
        "listNamespaces",
        "All namespaces",
        answers=NamespacePageSerializer,
        parameters=[NamespaceQuerySerializer],
        links={
            "namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"}),
            "next page": ("listNamespaces", {"after": "$response.body#/results/0/nid"}),
        },
    )
    def get(self, request: Request) -> Response:
        chosen, is_cut = _filtered(self.parameters)
        return self.paginated(request, chosen, NamespaceSerializer, is_cut=is_cut)


def _filtered(parameters: dict[str, Any]) -> tuple[QuerySet[Namespace], bool]:
    """The namespaces that are asked for, those after `after`, in order; and whether a search left some out."""
    kind, status, since = (parameters.get(name, "") for name in ("kind", "status", "updated_since"))
    words, registrant = (parameters.get(name, "").strip() for name in ("q", "registrant"))
    sorting, limit = (
        _sorting(parameters["ordering"], parameters.get("after", "")),
        parameters["page_size"] + 1,
    )
    query = SearchQuery(
        words, kind, status, registrant=registrant, since=since, has_rules=parameters.get("has_rules")
    )
    if words or registrant:
        found, is_cut = search_namespaces(query, sorting, limit)
        return _brief(found), is_cut
    return list_namespaces(_brief(Namespace.objects.all()), query.filters, sorting, limit, since), False


def _brief(found: QuerySet[Namespace]) -> QuerySet[Namespace]:
    """Without their texts, which no list shows."""
    return found.select_related("latest").defer("latest__content", "latest__text")


def _sorting(ordering: str, after: str) -> Sorting:
    """By a column and, where that says the same of several, by NID; beyond the key `after`."""
    column, descends = ordering.removeprefix("-"), ordering.startswith("-")
    date, _, nid = after.rpartition(",")
    beyond = (nid,) if column == "nid" else (date, nid)
    return Sorting("" if column == "nid" else column, descends, beyond if nid else ())


class NamespaceDetailView(PublicAPIView):
    """One namespace, by its NID in any case of letters. A deprecated one says so, and is still here.

    As plain text: what is known of it, and its current template. An address that ends in .json, .txt or .xml
    (`namespaces/isbn.txt`) asks for that format, whatever Accept says.
    """

    renderer_classes = (JSONRenderer, PlainTextRenderer, XMLRenderer)
    element = "namespace"
    throttle_classes = ()  # counting a request would take longer than the fast lookup

    @operation(
        "getNamespace",
        "One namespace",
        answers=in_all_formats(NamespaceDetailSerializer),
        refusals=[NamespaceUnknown],
        common=UNLIMITED_READ_PROBLEMS,
        parameters=[NID],
        links={
            "versions": ("listNamespaceVersions", OF_NAMESPACE),
            "version": ("getNamespaceVersion", {**OF_NAMESPACE, "version": "$response.body#/version"}),
            "template": ("getNamespaceTemplate", OF_NAMESPACE),
            "NID check": ("checkNid", OF_NAMESPACE),
            "rules": ("listNamespaceRules", OF_NAMESPACE),
            "set rules": ("setNamespaceRules", OF_NAMESPACE),
            "revise": ("reviseNamespace", OF_NAMESPACE),
            "deprecate": ("deprecateNamespace", OF_NAMESPACE),
            "offer": ("offerTransfer", OF_NAMESPACE),
        },
    )
    def get(self, request: Request, nid: str, suffix: str = "") -> Response:
        self.namespace = namespace = registered_or_404(nid, in_full())
        body = NamespaceDetailSerializer(namespace).data
        last_modified = http_date(namespace.changed_at.timestamp())
        if not is_internal(request._request):
            _store(namespace, body, last_modified)
        return Response(body, headers={"Last-Modified": last_modified})

    def as_text(self, body: dict[str, Any]) -> str:
        """What is known, a line each, and the template if it is here."""
        latest = self.namespace.latest
        return "\n".join(text_lines(body)) + "\n" + (f"\n{latest.text}" if latest else "")


def in_full() -> QuerySet[Namespace]:
    """Namespaces with everything that a response contains, and the state of their stored lookup.

    One statement reads all of it, and so one snapshot: the response belongs to the generation read with it.
    """
    versions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    everything = Namespace.objects.select_related("latest", "successor", "rules").annotate(
        versions=ArraySubquery(versions),
        generation=F("cached_lookup__generation"),
        stored_release=F("cached_lookup__release"),
    )
    return everything.defer("latest__text")


def _store(namespace: Any, body: dict[str, Any], last_modified: str) -> None:
    """Store the response for the fast lookup (registry.api.namespaces.lookup_wsgi), unless it is stored."""
    if namespace.stored_release != release_tag():
        store_lookup(namespace.pk, namespace.generation, JSONRenderer().render(body), last_modified)


def registered_or_404(nid: str, namespaces: QuerySet[Namespace] | None = None) -> Namespace:
    """The namespace, or NamespaceUnknown, which says what else the NID is."""
    report = report_on(nid, namespaces)
    if not isinstance(report.namespace, Namespace):
        raise NamespaceUnknown(report)
    return report.namespace
