"""`namespaces/` and `namespaces/{nid}/`: the registered namespaces."""

import re
from http import HTTPStatus
from typing import Any

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, FilteredRelation, OuterRef, Q, QuerySet
from django.http.response import HttpResponseBase
from django.utils.http import http_date
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from registry.api.framework.fields import (
    NIDKeyField,
    QueryBooleanField,
    SearchTextField,
    UpdatedSinceField,
    query_choice,
)
from registry.api.framework.pagination import (
    AFTER,
    FieldsField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.framework.renderers import PlainTextRenderer, XMLRenderer
from registry.api.framework.views import LookupAPIView
from registry.api.namespaces.json_ld import SCHEMA as LINKED_DATA_SCHEMA
from registry.api.namespaces.json_ld import JSONLDRenderer, linked_data
from registry.api.namespaces.serializers import (
    STATUSES,
    NamespaceDetailSerializer,
    NamespaceSerializer,
    text_lines,
)
from registry.api.namespaces.stored_items import StoredItemsRenderer, items_of, with_items, with_members
from registry.api.nids import NIDProblemSerializer, UnregisteredNIDSerializer
from registry.api.organisations.fields import OrganisationFilterField
from registry.api.schema.operations import (
    NID,
    UNLIMITED_READ_PROBLEMS,
    in_all_formats,
    operation,
    with_problem_members,
)
from registry.cases.nid_report import report_in_registry
from registry.core.exceptions import RegistryError
from registry.core.http.internal_requests import is_internal
from registry.core.pagination import Keyset, in_both_directions
from registry.namespaces.lookup import release_tag, store_lookup
from registry.namespaces.models import DAY_OR_MONTH, Kind, Namespace, Revision
from registry.namespaces.search import BY_RELEVANCE, MAX_RESULTS, Matches, SearchQuery, search_namespaces
from registry.namespaces.search_terms import searchable
from registry.registration_template.nids.report import NIDReport
from urnsyntax.nid import NID_PATTERN
from urnsyntax.profiles.profile import SUBJECTS

KEYSETS = in_both_directions(
    {
        "nid": Keyset("nid"),
        "registered_on": Keyset("registered_on", "nid"),
        "updated_on": Keyset("updated_on", "nid"),
    }
)
RELEVANCE = "relevance"
OF_NAMESPACE = {"nid": "$response.body#/nid"}
KEY = rf"(({DAY_OR_MONTH}|[0-9]{{1,5}})?\.)?({NID_PATTERN})"


@with_problem_members(NIDProblemSerializer)
class NamespaceUnknown(RegistryError):
    """No namespace is registered under this NID. `nid_status` says whether one can be."""

    status = HTTPStatus.NOT_FOUND
    title = "No such namespace"

    def __init__(self, report: NIDReport) -> None:
        super().__init__(report.reason)
        self.members = UnregisteredNIDSerializer(report).data


@extend_schema_field({"type": "string", "pattern": f"^{KEY}$"})
class AfterField(NIDKeyField):
    """The key after which a page starts: a NID, preceded by a dot and the date or the relevance by which the list is ordered."""

    key = re.compile(KEY)


class NamespaceQuerySerializer(serializers.Serializer[Any]):
    """Filters and order of the list."""

    kind = query_choice("kind", tuple(Kind.values), help_text="Only namespaces of this kind.")
    status = query_choice("status", STATUSES, help_text="Only namespaces with this status.")
    grammar = QueryBooleanField(required=False, help_text="Whether the profile states a grammar.")
    subject = query_choice("subject", SUBJECTS, help_text="Only namespaces with this subject.")
    registrant = SearchTextField(
        required=False, help_text="Words of the registrant's name, or their beginnings."
    )
    organisation = OrganisationFilterField("namespaces")
    q = SearchTextField(
        required=False,
        help_text=(
            "Words to search for, or a URN, which finds its namespace. Namespaces with more of the words come first, and among "
            "them those whose NID, title and subjects have them."
        ),
    )
    updated_since = UpdatedSinceField("namespaces")
    ordering = query_choice(
        "ordering",
        (*KEYSETS, RELEVANCE),
        help_text=(
            "Sort key. Prefix it with `-` for descending order. By default, the order is that of relevance with `q`, and that of "
            "NIDs without."
        ),
    )
    fields = FieldsField(NamespaceSerializer, always="nid")  # type: ignore[assignment]  # a parameter
    after = AfterField(required=False, help_text=AFTER)
    page_size = PageSizeField()


class CorrectionSerializer(serializers.Serializer[Any]):
    """A word of a search that nothing has, and the known word that was searched for instead."""

    typed = serializers.CharField(help_text="The word that nothing has.")
    used = serializers.CharField(help_text="The nearest known word, which was searched for.")


class NamespacePageSerializer(PageSerializer):
    """A page of namespaces."""

    results = NamespaceSerializer(many=True, help_text="The entries of this page, in order.")
    is_truncated = serializers.BooleanField(
        help_text=f"Whether the search matched more than {MAX_RESULTS} namespaces. The others are on no page."
    )
    corrections = CorrectionSerializer(
        many=True, help_text="The words of `q` that nothing has, and that were corrected."
    )
    unknown_words = serializers.ListField(
        child=serializers.CharField(), help_text="The other words of `q` that nothing has."
    )


def about_search(matches: Matches) -> dict[str, Any]:
    """The members of a page that say what was searched for."""
    corrections = [{"typed": typed, "used": used} for typed, used in matches.corrections.items()]
    return {
        "is_truncated": matches.is_truncated,
        "corrections": corrections,
        "unknown_words": [*matches.unknown],
    }


NO_SEARCH = about_search(Matches(Namespace.objects.none()))


class NamespacePagination(KeysetPagination):
    """Pages in the requested order. A date in a key may change between two pages."""

    def length(self, row: Any) -> int:
        return int(row.text_length)


class NamespaceListView(PaginatedAPIView):
    """All namespaces, in pages. Namespaces added between two requests do not shift the pages.

    `next` and the header Link are the address of the next page, which begins after the key `after`.
    """

    query = NamespaceQuerySerializer
    pagination_class = NamespacePagination
    knows_etags = True
    renderer_classes = (StoredItemsRenderer,)

    def get_throttles(self) -> list[BaseThrottle]:
        """Counting a page of the whole list would take longer than its fast path (registry.api.namespaces.fast_paths)."""
        return super().get_throttles() if self.request.query_params.keys() - {"after", "page_size"} else []

    @operation(
        "listNamespaces",
        "All namespaces",
        response=NamespacePageSerializer,
        links={"namespace": ("getNamespace", {"nid": "$response.body#/results/0/nid"})},
    )
    def get(self, request: Request) -> HttpResponseBase:
        if (unchanged := self.confirmed(request)) is not None:
            return unchanged
        query = _search_query(self.parameters)
        matches = search_namespaces(query, self.parameters["page_size"] + 1)
        paginator = NamespacePagination()
        paginator.keyset = query.keyset
        page = paginator.paginate_queryset(with_items(matches.namespaces), request, self)
        items = items_of(page, store=not is_internal(request._request))
        if chosen := self.parameters.get("fields"):
            items = [with_members(item, chosen) for item in items]
        return paginator.get_paginated_response(items, **about_search(matches))


def _search_query(parameters: dict[str, Any]) -> SearchQuery:
    renamed = {"q": "text", "updated_since": "since", "grammar": "has_grammar"}
    values = {
        renamed.get(name, name): value
        for name, value in parameters.items()
        if name not in ("page_size", "fields")
    }
    if "since" in values:
        values["since"] = values["since"].replace(tzinfo=None).isoformat(timespec="microseconds")
    relevance = BY_RELEVANCE if searchable(values.get("text", "")) else KEYSETS["nid"]
    return SearchQuery(keyset=KEYSETS.get(values.pop("ordering", RELEVANCE), relevance), **values)


class NamespaceDetailView(LookupAPIView):
    """One namespace, by its NID in any case of letters. Deprecated namespaces are marked and stay available.

    The plain text contains the members and the current template, and application/ld+json describes the namespace in
    the vocabularies of schema.org and DCAT. An address that ends in .json, .txt, .xml or .jsonld (`namespaces/isbn.txt`)
    selects that format and overrides Accept.
    """

    renderer_classes = (JSONRenderer, PlainTextRenderer, XMLRenderer, JSONLDRenderer)
    element = "namespace"

    @operation(
        "getNamespace",
        "One namespace",
        response={**in_all_formats(NamespaceDetailSerializer), JSONLDRenderer.media_type: LINKED_DATA_SCHEMA},
        refusals=[NamespaceUnknown],
        common=UNLIMITED_READ_PROBLEMS,
        parameters=[NID],
        links={
            "versions": ("listNamespaceVersions", OF_NAMESPACE),
            "version": ("getNamespaceVersion", {**OF_NAMESPACE, "version": "$response.body#/version"}),
            "template": ("getNamespaceTemplate", OF_NAMESPACE),
            "NID check": ("checkNid", OF_NAMESPACE),
            "profile": ("listProfileVersions", OF_NAMESPACE),
            "set profile": ("setNamespaceProfile", OF_NAMESPACE),
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

    def as_linked_data(self, body: dict[str, Any]) -> dict[str, Any]:
        return linked_data(body)

    def as_text(self, body: dict[str, Any]) -> str:
        """The members as lines, and the template if the registry has it."""
        latest = self.namespace.latest
        return "\n".join(text_lines(body)) + "\n" + (f"\n{latest.text}" if latest else "")


def in_full() -> QuerySet[Namespace]:
    """Namespaces with everything that a response contains, and the state of their stored lookup.

    One statement reads all of it, and so one snapshot: the response belongs to the generation read with it.
    """
    versions = Revision.objects.filter(namespace=OuterRef("pk")).order_by("version").values("version")
    everything = Namespace.objects.select_related(
        "latest", "successor", "profile", "contact", "organisation"
    ).annotate(
        versions=ArraySubquery(versions),
        register_below=FilteredRelation("registers", condition=Q(registers__entry=None)),
        register_number=F("register_below__pk"),
        generation=F("cached_lookup__generation"),
        stored_release=F("cached_lookup__release"),
    )
    return everything.defer("latest__text")


def _store(namespace: Any, body: dict[str, Any], last_modified: str) -> None:
    """Store the response for the fast path (registry.api.namespaces.fast_paths), unless it is stored."""
    if namespace.stored_release != release_tag():
        store_lookup(namespace.pk, namespace.generation, JSONRenderer().render(body), last_modified)


def registered_or_404(nid: str, namespaces: QuerySet[Namespace] | None = None) -> Namespace:
    """The namespace. Raises NamespaceUnknown, which contains the status of the NID."""
    report = report_in_registry(nid, namespaces)
    if not isinstance(report.namespace, Namespace):
        raise NamespaceUnknown(report)
    return report.namespace
