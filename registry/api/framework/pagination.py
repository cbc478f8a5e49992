"""Lists in pages. A page begins after a key, so that a client reads each entry once while the list grows."""

from collections.abc import Mapping
from typing import Any, ClassVar
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
            least=1,
            most=MAX_PAGE_SIZE,
            required=False,
            default=DEFAULT_PAGE_SIZE,
            help_text="The maximum number of entries on a page.",
            **options,
        )


@extend_schema_field({"type": "integer", "minimum": 0, "maximum": MAX_NUMBER})
class KeyField(QueryIntegerField):
    """The number of an entry, after which the page begins."""


# The key of each row, by the serializer: the member that `fields` can't leave out. The others are not required.
SPARSE_SERIALIZERS: dict[type[serializers.Serializer[Any]], str] = {}


class FieldsField(serializers.Field[frozenset[str], str, frozenset[str], Any]):
    """The members of each row of a list, separated by commas. `always` is the member that every row has."""

    default_error_messages = {"member": "“{name}” must be names of members, separated by commas: {known}."}

    def __init__(self, serializer: type[serializers.Serializer[Any]], *, always: str) -> None:
        super().__init__(
            required=False,
            help_text=f"Only these members of each entry, separated by commas. `{always}` is always included.",
        )
        SPARSE_SERIALIZERS[serializer] = always
        self.always, self.known = always, tuple(serializer().fields)
        each = "|".join(self.known)
        set_override(self, "field", {"type": "string", "pattern": f"^({each})(,({each}))*$"})

    def to_internal_value(self, data: str) -> frozenset[str]:
        names = frozenset(data.split(","))
        if not names <= set(self.known):
            self.fail("member", name=self.field_name, known=", ".join(self.known))
        return names | {self.always}


class PageQuerySerializer(serializers.Serializer[Any]):
    """The page of a list."""

    after = KeyField(required=False, help_text=AFTER)
    page_size = PageSizeField()


class PageSerializer(serializers.Serializer[Any]):
    """A page of a list."""

    has_more = serializers.BooleanField(help_text="Whether more results follow.")
    next = serializers.URLField(allow_null=True, help_text="The address of the next page.")


def page_address(path: str, parameters: Mapping[str, Any]) -> str:
    """The address of a page."""
    return f"{absolute_url(path.rstrip('/'))}/?{urlencode(parameters)}"


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
        return page_address(self.request.path, self.request.query_params.dict() | parameters)

    def get_paginated_response(self, data: Any, **members: Any) -> Response:
        """The page. `members` are added to the response."""
        following = self.get_next_link()
        headers = {"Link": f'<{following}>; rel="next"'} if self.page.after else None
        body = {"results": data, "has_more": bool(self.page.after), "next": following}
        return Response(body | members, headers=headers)


class PaginatedAPIView(PublicAPIView):
    """A list in pages of `pagination_class`."""

    query: ClassVar[type[serializers.Serializer[Any]] | None] = PageQuerySerializer
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
        if chosen := self.parameters.get("fields"):
            for name in set(listing.child.fields) - chosen:
                del listing.child.fields[name]
        return paginator.get_paginated_response(listing.data, **members)
