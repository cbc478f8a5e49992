"""Lists in pages, and the members of their entries.

A page begins after a key, so that a client reads each entry once while the list grows. The parameter `fields` chooses the
members of each entry. Every list has it. Streams, whole files, and results in the order of a request have not: their entries
are read as they are.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from drf_spectacular.drainage import set_override
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import MAX_NUMBER, QueryIntegerField
from registry.api.framework.views import PublicAPIView
from registry.core.http.urls import absolute_url
from registry.core.pagination import Keyset

DEFAULT_PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000
AFTER = "The page begins after the entry with this key, which `next` contains."


@extend_schema_field(
    {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE}
)
class PageSizeField(QueryIntegerField):
    """The maximum number of entries."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            min_value=1,
            max_value=MAX_PAGE_SIZE,
            required=False,
            default=DEFAULT_PAGE_SIZE,
            help_text="The maximum number of entries on a page.",
            **options,
        )


@extend_schema_field({"type": "integer", "minimum": 0, "maximum": MAX_NUMBER})
class KeyField(QueryIntegerField):
    """The number of an entry, after which the page begins."""


# The key of each entry, by the serializer: the member that `fields` can't leave out.
SPARSE_SERIALIZERS: dict[type[serializers.Serializer[Any]], str] = {}


class FieldsField(serializers.Field[frozenset[str], str, frozenset[str], Any]):
    """The members of each entry of a list, separated by commas. `always` is the member that every entry has.

    The members that the serializer lists in `on_request` are left out without this parameter.
    """

    default_error_messages = {"member": "“{name}” must be names of members, separated by commas: {known}."}

    def __init__(self, serializer: type[serializers.Serializer[Any]], *, always: str) -> None:
        text = f"Only these members of each entry, separated by commas. `{always}` is always included."
        if later := " and ".join(f"`{name}`" for name in sorted(_on_request(serializer))):
            text = f"{text} Without this parameter, entries have all members except {later}."
        super().__init__(required=False, help_text=text)
        SPARSE_SERIALIZERS[serializer] = always
        self.always, self.known = always, tuple(serializer().fields)
        each = "|".join(self.known)
        set_override(self, "field", {"type": "string", "pattern": f"^({each})(,({each}))*$"})

    def to_internal_value(self, data: str) -> frozenset[str]:
        names = frozenset(data.split(","))
        if not names <= set(self.known):
            self.fail("member", name=self.field_name, known=", ".join(self.known))
        return names | {self.always}


def sparse_query(
    entry: type[serializers.Serializer[Any]],
    *,
    always: str,
    base: type[serializers.Serializer[Any]] = serializers.Serializer,
) -> type[serializers.Serializer[Any]]:
    """The query parameters `base` and `fields`, for entries of this serializer."""
    attributes = {"fields": FieldsField(entry, always=always), "__doc__": base.__doc__}
    return type(f"{entry.__name__.removesuffix('Serializer')}QuerySerializer", (base,), attributes)


def keep_chosen(entry: Any, parameters: Mapping[str, Any]) -> None:
    """Remove the fields of the entry's serializer that `fields` leaves out. What they render is then not read at all."""
    chosen = parameters.get("fields") or set(entry.fields) - _on_request(entry)
    for name in set(entry.fields) - chosen:
        del entry.fields[name]


def _on_request(entry: Any) -> frozenset[str]:
    """The members of an entry that are there only if `fields` names them, because they were added later and are large."""
    return getattr(entry, "on_request", frozenset())


def chosen_entries(listing: serializers.Serializer[Any], parameters: Mapping[str, Any]) -> Any:
    """The data of a list whose entries are the field `results`."""
    results: Any = listing.fields["results"]
    keep_chosen(results.child, parameters)
    return listing.data


class PageQuerySerializer(serializers.Serializer[Any]):
    """The page of a list."""

    after = KeyField(required=False, help_text=AFTER)
    page_size = PageSizeField()


def page_query(entry: type[serializers.Serializer[Any]], *, always: str) -> type[serializers.Serializer[Any]]:
    """The query parameters of a list in pages: the page, and the members of each entry."""
    return sparse_query(entry, always=always, base=PageQuerySerializer)


class PageSerializer(serializers.Serializer[Any]):
    """A page of a list."""

    has_more = serializers.BooleanField(help_text="Whether more results follow.")
    next = serializers.URLField(allow_null=True, help_text="The address of the next page.")


def list_of(
    entry: type[serializers.Serializer[Any]],
    about: str,
    name: str = "",
    *,
    base: type[serializers.Serializer[Any]] = serializers.Serializer,
    kind: str = "List",
    results: str = "The entries, in order.",
) -> type[serializers.Serializer[Any]]:
    """All these entries at once, described as `about`. The name of its component is that of the entry, or `name`."""
    name = name or entry.__name__.removesuffix("Serializer")
    attributes = {"results": entry(many=True, help_text=results), "__doc__": about}
    return type(f"{name}{kind}Serializer", (base,), attributes)


# A page of a list, as `list_of` describes a whole one.
page_of = partial(list_of, base=PageSerializer, kind="Page", results="The entries of this page, in order.")


def page_address(path: str, parameters: Mapping[str, Any]) -> str:
    """The address of a page."""
    return f"{absolute_url(path)}?{urlencode(parameters)}"


class KeysetPagination(BasePagination):
    """Pages that begin after a key, so that a list that grows between two requests is read completely.

    The view's query serializer has the fields `after`, which `parameter` names, and `page_size`.
    """

    parameter = "after"
    keyset = Keyset("pk")

    # An attribute of the rows that may be long. A page of long texts ends early.
    text = ""

    def length(self, row: Any) -> int:
        return len(getattr(row, self.text)) if self.text else 0

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.request = request
        after = str(view.parameters.get(self.parameter, ""))
        self.page = self.keyset.page(queryset, after, view.parameters["page_size"], self.length)
        return list(self.page.rows)

    def get_next_link(self) -> str | None:
        return self.link(after=self.page.after) if self.page.after else None

    def link(self, **parameters: Any) -> str:
        """The address of this list, with these query parameters replaced."""
        path, match = self.request.path, self.request.resolver_match
        is_file = match is not None and "suffix" in match.kwargs
        address = path if is_file else f"{path.rstrip('/')}/"
        return page_address(address, self.request.query_params.dict() | parameters)

    def get_paginated_response(self, data: Any, **members: Any) -> Response:
        """The page. `members` are added to the response."""
        following = self.get_next_link()
        headers = {"Link": f'<{following}>; rel="next"'} if self.page.after else None
        body = {"results": data, "has_more": bool(self.page.after), "next": following}
        return Response(body | members, headers=headers)


class PaginatedAPIView(PublicAPIView):
    """A list in pages of `pagination_class`. Its `query` has the fields of `page_query`."""

    pagination_class = KeysetPagination

    def paginated(
        self,
        request: Request,
        rows: QuerySet[Any],
        serializer: type[serializers.Serializer[Any]],
        context: Mapping[str, Any] | None = None,
        **members: Any,
    ) -> HttpResponseBase:
        """The requested page of `rows`. `context` is that of the serializer."""
        if (unchanged := self.confirmed(request)) is not None:
            return unchanged
        paginator = self.pagination_class()
        listing: Any = serializer(
            paginator.paginate_queryset(rows, request, self), many=True, context=context or {}
        )
        keep_chosen(listing.child, self.parameters)
        return paginator.get_paginated_response(listing.data, **members)
