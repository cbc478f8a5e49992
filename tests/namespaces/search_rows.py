"""Namespaces for searches and lists, and what these find."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from registry.core.pagination import Keyset
from registry.namespaces.models import Kind, Namespace, ProfileVersion
from registry.namespaces.search import SearchQuery, Status, search_page
from tests.support.databases import in_sql
from tests.support.factories import a_profile, describe


def found(words: str, **rest: Any) -> list[str]:
    page = search_page(SearchQuery(words, **rest), 100)
    return [each.nid for each in (*filter(None, [page.exact]), *page.rows)]


def a_known(nid: str, **fields: Any) -> Namespace:
    return Namespace.objects.create(nid=nid, kind=Kind.FORMAL, **fields)


def many(how_many: int) -> None:
    """Namespaces of both kinds and statuses, with dates that repeat."""
    in_sql(f"""
        INSERT INTO namespaces_namespace (nid, kind, number, origin, holder, purpose, registered_on, updated_on,
            "references", template_url, deprecated_at, deprecation_statement, changed_at)
        SELECT CASE WHEN i % 3 = 0 THEN 'urn-' || i ELSE 'n' || md5(i::text)::varchar(12) END,
            CASE WHEN i % 3 = 0 THEN 'informal' ELSE 'formal' END, CASE WHEN i % 3 = 0 THEN i END,
            'iana', 'Example holder ' || i % 500, 'Names things of kind ' || i % 50,
            to_char(date '2010-01-01' + i % 700, 'YYYY-MM-DD'),
            CASE WHEN i % 4 = 0 THEN to_char(date '2015-01-01' + i % 300, 'YYYY-MM-DD') ELSE '' END,
            '[]', '', CASE WHEN i % 10 = 0 THEN now() END, CASE WHEN i % 10 = 0 THEN 'Over.' ELSE '' END,
            CASE WHEN i % 10 = 0 THEN now()
                 WHEN i % 4 = 0 THEN timestamptz '2015-01-01 09:30:15Z' + i % 300 * interval '1 day'
                 ELSE timestamptz '2010-01-01 09:30:15Z' + i % 700 * interval '1 day' END
        FROM generate_series(1, {how_many}) AS i
    """)
    in_sql("ANALYZE namespaces_namespace")


def some_profiles(*, one_in: int = 7) -> None:
    """Profiles with a grammar for some of the namespaces, of both kinds and statuses."""
    content = a_profile().to_dict()
    chosen = list(Namespace.objects.order_by("pk").values_list("pk", "nid"))[::one_in]
    ProfileVersion.objects.bulk_create(
        ProfileVersion(
            namespace_id=pk, version=1, content=content | {"nid": nid}, digest="0" * 64, basis="Syntax."
        )
        for pk, nid in chosen
    )
    in_sql("ANALYZE namespaces_namespace")


def pages_of(question: SearchQuery, size: int) -> Iterator[Namespace]:
    while True:
        page = search_page(question, size)
        yield from page.rows
        if not page.after:
            return
        question = replace(question, after=page.after)


def all_of(chosen: SearchQuery) -> list[Namespace]:
    return [
        each
        for each in Namespace.objects.all()
        if chosen.kind in ("", each.kind)
        and chosen.status in ("", Status.DEPRECATED if each.is_deprecated else Status.ACTIVE)
        and chosen.has_grammar in (None, each.has_grammar)
    ]


def keyset_of(date: str, descends: bool) -> Keyset:
    """The order by a date, unless it is empty, and then by NID."""
    columns = (date, "nid") if date else ("nid",)
    return Keyset(*(f"-{column}" if descends else column for column in columns))


def a_described(nid: str, **facts: Any) -> Namespace:
    return describe(a_known(nid), **facts)
