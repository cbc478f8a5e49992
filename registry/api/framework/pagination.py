"""Lists in pages. A page begins after a key, so that lists that grow meanwhile are read whole, each entry once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.framework.fields import MAX_NUMBER, QueryIntegerField

DEFAULT_PAGE_SIZE = 100
MAX_PAGE_SIZE = 1000
# Entries hold texts of people's own length: a page ends early when it has this many characters of them.
MAX_PAGE_TEXT = 2_000_000

Row = TypeVar("Row", bound=Model)


@extend_schema_field(
    {"type": "integer", "minimum": 1, "maximum": MAX_PAGE_SIZE, "default": DEFAULT_PAGE_SIZE}
)
class PageSizeField(QueryIntegerField):
    """How many entries at most."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=MAX_PAGE_SIZE, required=False, default=DEFAULT_PAGE_SIZE, **options)


@extend_schema_field({"type": "integer", "minimum": 0, "maximum": MAX_NUMBER})
class KeyField(QueryIntegerField):
    """The number of an entry, after which the page begins."""


class PageQuerySerializer(serializers.Serializer[Any]):
    """Which page of a list is asked for."""

    after = KeyField(required=False)
    page_size = PageSizeField()


class PageSerializer(serializers.Serializer[Any]):
    """Some entries; `next` is where more are."""

    has_more = serializers.BooleanField(help_text="Whether there are more entries after these.")
    next = serializers.URLField(allow_null=True, help_text="Where they are.")


def take_page(
    rows: QuerySet[Row, Row], size: int, length: Callable[[Row], int] = lambda _: 0
) -> tuple[list[Row], bool]:
    """The first `size` rows, or fewer when their texts are long, and whether there are more."""
    page: list[Row] = []
    total = 0
    # A few rows come at once; of many, only those are fetched that there is room for.
    found = rows[: size + 1]
    for row in found if size <= DEFAULT_PAGE_SIZE else found.iterator(chunk_size=DEFAULT_PAGE_SIZE):
        if len(page) == size or total > MAX_PAGE_TEXT:
            return page, True
        page.append(row)
        total += length(row)
    return page, False


def serialize_rows(serializer: type[serializers.BaseSerializer[Any]], rows: Iterable[Any]) -> list[Any]:
    """Each of the rows as the serializer shows it."""
    shown: Any = serializer(rows, many=True)
    return list(shown.data)


def paginated_response(request: Request, results: Sequence[Any], place: str, **after: Any) -> Response:
    """A page of the list at `place`; `after` is the parameter of the next one, if there is one."""
    following = f"{place}?{urlencode(request.query_params.dict() | after)}" if after else None
    headers = {"Link": f'<{following}>; rel="next"'} if following else None
    return Response({"results": results, "has_more": bool(after), "next": following}, headers=headers)
