"""`namespaces/{nid}/subnamespaces/` and `namespaces/{nid}/subnamespace/?prefix=`: the list, one of them, and imports.

A prefix can contain slashes, and so it is a parameter.
"""

from itertools import islice
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope
from registry.api.framework.actions import request_serializer
from registry.api.framework.fields import (
    NullableCharField,
    SearchTextField,
    StrictBooleanField,
    nid_field,
    query_choice,
)
from registry.api.framework.methods import write_operation
from registry.api.framework.pagination import (
    AFTER,
    FieldsField,
    KeysetPagination,
    PageSerializer,
    PageSizeField,
    PaginatedAPIView,
)
from registry.api.framework.permissions import check_scope
from registry.api.framework.urls import LinkField, PageLinkField, ProofLinkField, api_url
from registry.api.framework.views import LookupAPIView, TokenAPIView
from registry.api.namespaces.json_ld import SCHEMA as LINKED_DATA_SCHEMA
from registry.api.namespaces.json_ld import JSONLDRenderer, linked_list, linked_subnamespace
from registry.api.namespaces.serializers import document_schema
from registry.api.namespaces.views import OF_NAMESPACE, NamespaceUnknown, registered_or_404
from registry.api.schema.operations import NID, UNLIMITED_READ_PROBLEMS, operation, with_problem_members
from registry.api.schema.problems import ProblemSerializer
from registry.core.http.urls import public_url
from registry.core.validators import check_text
from registry.subnamespaces.exports import list_files
from registry.subnamespaces.importing import (
    IMPORT_SUBNAMESPACES,
    MAX_DOCUMENT,
    ListChange,
    ListRefused,
    StaleList,
    import_subnamespaces,
    plan_import,
)
from registry.subnamespaces.models import MAX_KEY, ListVersion, Status, SubNamespace
from registry.subnamespaces.queries import (
    BY_KEY,
    NoSuchSubNamespace,
    below,
    get_subnamespace,
    list_of,
    search,
)
from urnsyntax.profiles import Names, Service
from urnsyntax.profiles.subnamespaces.history import PastRecord

MAX_LISTED_CHANGES = 100  # prefixes of each kind in the response to an import
DRY_RUN = "Show the difference, and change nothing."
PREFIX = {"type": "string", "minLength": 1, "maxLength": MAX_KEY}


class NearProblemSerializer(ProblemSerializer):
    """Prefixes of the list that were perhaps meant."""

    near = serializers.ListField(
        child=serializers.CharField(),
        help_text="The prefixes that differ by one edit, or the innermost one around.",
    )


class ListFailuresProblemSerializer(ProblemSerializer):
    """What is wrong with the list."""

    failures = serializers.ListField(
        child=serializers.CharField(), help_text="What is wrong with the list, in a sentence for each fault."
    )


class StaleListProblemSerializer(ProblemSerializer):
    """The current version of the list."""

    current = serializers.IntegerField(help_text="The current version of the list; 0 before the first.")


with_problem_members(NearProblemSerializer)(NoSuchSubNamespace)
with_problem_members(ListFailuresProblemSerializer)(ListRefused)
with_problem_members(StaleListProblemSerializer)(StaleList)


class SubNamespaceLinksSerializer(serializers.Serializer[SubNamespace]):
    """Addresses related to a sub-namespace."""

    self = serializers.SerializerMethodField(help_text="The address of this resource.")
    html = PageLinkField()
    namespace = LinkField("namespace", nid="namespace.nid", help_text="The address of the namespace.")
    proof = ProofLinkField("subnamespaces:proof")

    @extend_schema_field(serializers.URLField())
    def get_self(self, row: SubNamespace) -> str:
        _, _, query = row.get_absolute_url().partition("?")
        return f"{api_url('subnamespace', nid=row.namespace.nid)}?{query}"


class StatedField(NullableCharField):
    """A member of the content of a sub-namespace; null if it is not stated."""

    def get_attribute(self, row: SubNamespace) -> str:
        return str(row.content.get(self.field_name, ""))


def _stated(help_text: str) -> StatedField:
    return StatedField(help_text=f"{help_text} Null if it is not stated.")


class StatedFieldsField(serializers.DictField):
    """The values of the fields of the register in the content of a sub-namespace."""

    def __init__(self, **options: Any) -> None:
        help_text = "The values of the fields of the register, by name; empty without any."
        super().__init__(child=serializers.CharField(), read_only=True, help_text=help_text, **options)

    def to_representation(self, row: SubNamespace) -> dict[str, str]:  # type: ignore[override]  # the row has them
        return dict(row.content.get("fields", {}))


@extend_schema_field({"type": "array", "items": document_schema(PastRecord)})
class StatedHistoryField(serializers.Field[Any, Any, Any, Any]):
    """The records in the content of a sub-namespace."""

    def __init__(self, **options: Any) -> None:
        help_text = (
            "What happened before it was listed here, from old to new, as the holder of the list states it; empty if nothing is "
            "stated. The log does not have it."
        )
        super().__init__(read_only=True, help_text=help_text, **options)

    def to_representation(self, row: SubNamespace) -> list[dict[str, str]]:
        return list(row.content.get("history", ()))


class SubNamespaceSerializer(serializers.Serializer[SubNamespace]):
    """A sub-namespace: a prefix of the names of a namespace, and who stands behind it."""

    nid = nid_field(source="namespace.nid")
    prefix = serializers.CharField(help_text="The prefix, without the NID and the separator after it.")
    title = serializers.CharField(help_text="What it is, for people who do not know it.")
    holder = _stated("Who decides on the names below it.")
    status = serializers.ChoiceField(
        choices=Status.choices,
        help_text="`deprecated`: not for new names. `retired`: no new names are assigned. Old names conform in any status.",
    )
    successor = _stated("The prefix that replaces it.")
    reference = _stated("The document that defines it.")
    url = _stated("An address about it.")
    source = _stated("Where it is listed, if not in the source of its level.")  # type: ignore[assignment]  # a member of the JSON
    as_of = _stated("The day of the source, if not that of its level.")
    names = serializers.SerializerMethodField(
        help_text="The rules for what follows the prefix and its separator; null if it has none of its own."
    )
    services = serializers.SerializerMethodField(help_text="The services for these names; empty without any.")
    fields = StatedFieldsField(source="*")  # type: ignore[assignment]  # a member of the JSON
    history = StatedHistoryField(source="*")
    version = serializers.IntegerField(help_text="The version of the list in which it was last changed.")
    links = SubNamespaceLinksSerializer(source="*", help_text="Related addresses.")

    @extend_schema_field(document_schema(Names) | {"type": ["object", "null"]})
    def get_names(self, row: SubNamespace) -> Any:
        return row.content.get("names")

    @extend_schema_field({"type": "array", "items": document_schema(Service)})
    def get_services(self, row: SubNamespace) -> Any:
        return row.content.get("services", [])


class ListFileSerializer(serializers.Serializer[Any]):
    """The whole list as a file, which an import reads back."""

    media_type = serializers.CharField(help_text="The media type.")
    url = serializers.URLField(help_text="The address of the file.")


class SubNamespacePageSerializer(PageSerializer):
    """A page of sub-namespaces."""

    results = SubNamespaceSerializer(many=True, help_text="The entries of this page, in order.")
    files = ListFileSerializer(many=True, help_text="The whole list as files; none without a list.")


@extend_schema_field({**PREFIX, "description": "A prefix."})
class PrefixField(serializers.CharField):
    """The prefix of a sub-namespace, in any equivalent form."""


class SubNamespaceQuerySerializer(serializers.Serializer[Any]):
    """Filters of the list, and the page."""

    q = SearchTextField(
        required=False,
        help_text="The beginning of a prefix; if none begins with it, words in prefix, title or holder.",
    )
    status = query_choice("status", tuple(Status.values), help_text="Only those with this status.")
    below = PrefixField(required=False, max_length=MAX_KEY, help_text="Only those below this prefix.")
    fields = FieldsField(SubNamespaceSerializer, always="prefix")  # type: ignore[assignment]  # a parameter
    after = serializers.CharField(required=False, max_length=MAX_KEY, help_text=AFTER)
    page_size = PageSizeField()


class SubNamespacePagination(KeysetPagination):
    """Pages in the order of the normalized prefixes."""

    keyset = BY_KEY


class SubNamespaceListView(PaginatedAPIView):
    """The sub-namespaces of a namespace, in the order of their normalized prefixes; none without a list.

    application/ld+json describes them as parts of the namespace. An address that ends in .json or .jsonld
    (`namespaces/nbn/subnamespaces.jsonld`) selects that format and overrides Accept.
    """

    renderer_classes = (JSONRenderer, JSONLDRenderer)
    query = SubNamespaceQuerySerializer
    pagination_class = SubNamespacePagination

    @operation(
        "listSubnamespaces",
        "The sub-namespaces of a namespace",
        response={
            JSONRenderer.media_type: SubNamespacePageSerializer,
            JSONLDRenderer.media_type: LINKED_DATA_SCHEMA,
        },
        refusals=(NamespaceUnknown, NoSuchSubNamespace),
        parameters=[NID],
        links={
            "sub-namespace": (
                "getSubnamespace",
                {"nid": "$request.path.nid", "prefix": "$response.body#/results/0/prefix"},
            )
        },
    )
    def get(self, request: Request, nid: str, suffix: str = "") -> HttpResponseBase:
        self.namespace = namespace = registered_or_404(nid)
        given = self.parameters
        rows = list_of(namespace)
        if prefix := given.get("below"):
            rows = below(get_subnamespace(namespace, prefix))
        if status := given.get("status"):
            rows = rows.filter(status=status)
        rows = search(rows, given.get("q", "")).select_related("namespace")
        files = [
            {
                "media_type": each.media_type,
                "url": public_url("publication:subnamespaces", nid=namespace.nid, file=name),
            }
            for name, each in list_files(namespace).items()
        ]
        return self.paginated(request, rows, SubNamespaceSerializer, files=files)

    def as_linked_data(self, body: dict[str, Any]) -> dict[str, Any]:
        return linked_list(self.namespace, body)


class OnePrefixQuerySerializer(serializers.Serializer[Any]):
    """The prefix."""

    prefix = PrefixField(max_length=MAX_KEY, help_text="The prefix, in any equivalent form.")


class SubNamespaceDetailView(LookupAPIView):
    """One sub-namespace, by its prefix in any equivalent form.

    application/ld+json describes it in the vocabularies of schema.org and Dublin Core. An address that ends in .json or .jsonld
    (`namespaces/nbn/subnamespace.jsonld?prefix=de`) selects that format and overrides Accept.
    """

    renderer_classes = (JSONRenderer, JSONLDRenderer)
    query = OnePrefixQuerySerializer

    @operation(
        "getSubnamespace",
        "A sub-namespace",
        response={
            JSONRenderer.media_type: SubNamespaceSerializer,
            JSONLDRenderer.media_type: LINKED_DATA_SCHEMA,
        },
        refusals=(NamespaceUnknown, NoSuchSubNamespace),
        common=UNLIMITED_READ_PROBLEMS,
        parameters=[NID],
        links={"namespace": ("getNamespace", OF_NAMESPACE)},
    )
    def get(self, request: Request, nid: str, suffix: str = "") -> Response:
        namespace = registered_or_404(nid)
        found = get_subnamespace(namespace, self.parameters["prefix"])
        return Response(SubNamespaceSerializer(found).data)

    def as_linked_data(self, body: dict[str, Any]) -> dict[str, Any]:
        return linked_subnamespace(body)


class ImportSubnamespacesRequestSerializer(request_serializer(IMPORT_SUBNAMESPACES)):  # type: ignore[misc]  # made at runtime
    """The list, and whether it is only compared."""

    dry_run = StrictBooleanField(default=False, help_text=DRY_RUN)


class ListChangeSerializer(serializers.Serializer[Any]):
    """What a list changed, or would change: numbers, and the first prefixes of each kind."""

    version = serializers.IntegerField(
        allow_null=True, help_text="The new version of the list; null in a dry run."
    )
    added = serializers.IntegerField(help_text="How many sub-namespaces are added.")
    changed = serializers.IntegerField(help_text="How many are changed.")
    retired = serializers.IntegerField(help_text="How many are retired.")
    added_prefixes = serializers.ListField(
        child=serializers.CharField(),
        help_text=f"The first {MAX_LISTED_CHANGES} that are added; none without a dry run.",
    )
    changed_prefixes = serializers.ListField(
        child=serializers.CharField(),
        help_text=f"The first {MAX_LISTED_CHANGES} that are changed; none without a dry run.",
    )
    retired_prefixes = serializers.ListField(
        child=serializers.CharField(),
        help_text=f"The first {MAX_LISTED_CHANGES} that are retired; none without a dry run.",
    )
    url = serializers.URLField(help_text="The address of the list.")


def _first(prefixes: Any) -> list[str]:
    return list(islice(prefixes, MAX_LISTED_CHANGES))


def change_response(nid: str, result: ListChange | ListVersion) -> Response:
    """What a list would change, or the version that it made."""
    prefixes: dict[str, list[str]] = {f"{name}_prefixes": [] for name in result.counts}
    if isinstance(result, ListChange):
        prefixes = {
            "added_prefixes": _first(each.prefix for each in result.added.values()),
            "changed_prefixes": _first(row.prefix for _, row, _ in result.changed),
            "retired_prefixes": _first(row.prefix for _, row, _ in result.retired),
        }
    body = {
        **result.counts,
        **prefixes,
        "version": result.version if isinstance(result, ListVersion) else None,
        "url": api_url("subnamespaces", nid=nid.lower()),
    }
    return Response(ListChangeSerializer(body).data)


class ImportSubnamespacesView(TokenAPIView):
    """Import a list of sub-namespaces, or see what it would change."""

    max_body = IMPORT_SUBNAMESPACES.body_size

    @write_operation(
        IMPORT_SUBNAMESPACES.operation_id,
        IMPORT_SUBNAMESPACES.label,
        action=IMPORT_SUBNAMESPACES,
        request=ImportSubnamespacesRequestSerializer,
        response=ListChangeSerializer,
        about=f"{IMPORT_SUBNAMESPACES.effect} With `dry_run`, nothing is changed, and the response contains the difference.",
        refusals=(NamespaceUnknown, *IMPORT_SUBNAMESPACES.all_refusals),
        parameters=(NID,),
        links={"list": ("listSubnamespaces", {"nid": "$request.path.nid"})},
    )
    def post(self, request: Request, nid: str) -> Response:
        namespace = registered_or_404(nid)
        IMPORT_SUBNAMESPACES.check_permission(self.user, namespace)
        check_scope(request, Scope.DECIDE)
        given = self.validated_data(ImportSubnamespacesRequestSerializer)
        check_text(given["document"], "the list", longest=MAX_DOCUMENT, argument="document")
        if given.pop("dry_run"):
            names = ("document", "list_format", "retires_others")
            return change_response(nid, plan_import(namespace, **{name: given[name] for name in names}))
        return change_response(nid, import_subnamespaces(namespace, by=self.user, **given))
