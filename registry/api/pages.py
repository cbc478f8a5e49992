"""Lists in pages. A page begins after a key, so that lists that grow meanwhile are read whole, each entry once."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.parameters import LARGEST_NUMBER, WholeNumberField

PAGE_SIZE = 100
LARGEST_PAGE = 1000
# Entries hold texts of people's own length: a page ends early when it has this many characters of them.
LARGEST_TEXT = 2_000_000

Row = TypeVar("Row", bound=Model)


@extend_schema_field({"type": "integer", "minimum": 1, "maximum": LARGEST_PAGE, "default": PAGE_SIZE})
class PageSizeField(WholeNumberField):
    """How many entries at most."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=1, most=LARGEST_PAGE, required=False, default=PAGE_SIZE, **options)


@extend_schema_field({"type": "integer", "minimum": 0, "maximum": LARGEST_NUMBER})
class KeyField(WholeNumberField):
    """The number of an entry, after which the page begins."""


class PageQuery(serializers.Serializer[Any]):
    """Which page of a list is asked for."""

    after = KeyField(required=False)
    page_size = PageSizeField()


class Page(serializers.Serializer[Any]):
    """Some entries; `next` is where more are."""

    has_more = serializers.BooleanField(help_text="Whether there are more entries after these.")
    next = serializers.URLField(allow_null=True, help_text="Where they are.")


def cut(
    rows: QuerySet[Row, Row], size: int, length: Callable[[Row], int] = lambda _: 0
) -> tuple[list[Row], bool]:
    """The first `size` rows, or fewer when their texts are long, and whether there are more."""
    page: list[Row] = []
    total = 0
    # A few rows come at once; of many, only those are fetched that there is room for.
    found = rows[: size + 1]
    for row in found if size <= PAGE_SIZE else found.iterator(chunk_size=PAGE_SIZE):
        if len(page) == size or total > LARGEST_TEXT:
            return page, True
        page.append(row)
        total += length(row)
    return page, False


def in_json(serializer: type[serializers.BaseSerializer[Any]], rows: Iterable[Any]) -> list[Any]:
    """Each of the rows as the serializer shows it."""
    shown: Any = serializer(rows, many=True)
    return list(shown.data)


def page(request: Request, results: Sequence[Any], place: str, **after: Any) -> Response:
    """A page of the list at `place`; `after` is the parameter of the next one, if there is one."""
    following = f"{place}?{urlencode(request.query_params.dict() | after)}" if after else None
    headers = {"Link": f'<{following}>; rel="next"'} if following else None
    return Response({"results": results, "has_more": bool(after), "next": following}, headers=headers)
