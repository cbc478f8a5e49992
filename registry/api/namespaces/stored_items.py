"""Stored entries of lists: the JSON of `NamespaceSerializer`, rendered once for each change of a namespace.

The first request that lists a namespace renders and stores its entry, unless `store_all_items` has. An entry is stored
with the generation of its namespace, and each change empties it, so that none is stale (`CachedLookup`).
"""

import json
from collections.abc import Container, Iterable
from typing import Any

from django.db.models import Case, F, FilteredRelation, Q, QuerySet, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Length
from rest_framework.renderers import JSONRenderer

from registry.api.namespaces.serializers import NamespaceSerializer
from registry.core.management.base import ProgressCallback
from registry.namespaces.lookup import release_tag, store_items
from registry.namespaces.models import CachedLookup, Namespace

BATCH = 1000


def with_items(namespaces: QuerySet[Namespace]) -> QuerySet[Namespace, Any]:
    """Rows with the keys of lists, the length of the text, and `item`, the stored entry or None."""
    stored = Case(When(cached_lookup__item_release=release_tag(), then=F("cached_lookup__item")))
    rows = namespaces.annotate(item=stored, text_length=Length("purpose"))
    keys = ["nid", "registered_on", "updated_on", *({"rank"} & namespaces.query.annotations.keys())]
    return rows.values_list("pk", *keys, "item", "text_length", named=True)


def items_of(rows: Iterable[Any], *, store: bool = True) -> list[bytes]:
    """The entries of `with_items`, in order. Those that are not stored are rendered and, with `store`, stored."""
    items = {row.pk: row.item for row in rows}
    if missing := [pk for pk, item in items.items() if item is None]:
        rendered = _rendered(missing)
        items.update({pk: item for (pk, _), item in rendered.items()})
        if store:
            store_items(rendered)
    return [bytes(item) for item in items.values()]


def with_members(item: bytes, names: Container[str]) -> bytes:
    """An entry with these members only."""
    members = json.loads(item)
    return JSONRenderer().render({name: value for name, value in members.items() if name in names})


def store_all_items(progress: ProgressCallback | None = None) -> int:
    """Store all entries that are missing, as after an update of the registry. Return their number."""
    total, done, last = CachedLookup.objects.exclude(item_release=release_tag()).count(), 0, 0
    while batch := [*_missing(last)]:
        store_items(_rendered(batch))
        done, last = done + len(batch), batch[-1]
        if progress:
            progress(done, max(done, total))
    return done


def _missing(after: int) -> QuerySet[CachedLookup, int]:
    missing = CachedLookup.objects.filter(namespace_id__gt=after).exclude(item_release=release_tag())
    return missing.order_by("namespace_id").values_list("namespace_id", flat=True)[:BATCH]


def _rendered(keys: Iterable[int]) -> dict[tuple[int, int], bytes]:
    """The entries of namespaces, by key and generation. One statement reads both, so they belong together."""
    render = JSONRenderer().render
    rows: QuerySet[Any] = in_brief().filter(pk__in=keys)
    return {(row.pk, row.generation): render(NamespaceSerializer(row).data) for row in rows}


def in_brief() -> QuerySet[Namespace]:
    """Namespaces with what an entry contains, and the generation of their stored entries."""
    # The texts and the profiles, of which an entry contains the title only, are not read.
    brief = Namespace.objects.select_related("latest").defer("latest__content", "latest__text")
    return brief.annotate(
        profile_title=KeyTextTransform("title", "profile__content"),
        register_below=FilteredRelation("registers", condition=Q(registers__entry=None)),
        register_number=F("register_below__pk"),
        generation=F("cached_lookup__generation"),
    )


class StoredItemsRenderer(JSONRenderer):
    """Renders a page of entries that are JSON texts already."""

    def render(self, data: Any, accepted_media_type: Any = None, renderer_context: Any = None) -> bytes:
        if not isinstance(data, dict) or "results" not in data:  # a problem, or no body
            return super().render(data, accepted_media_type, renderer_context)
        members = {name: value for name, value in data.items() if name != "results"}
        rest = super().render(members, accepted_media_type, renderer_context)
        return b'{"results":[%b],%b' % (b",".join(data["results"]), rest[1:])
