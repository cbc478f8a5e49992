"""The sitemap: an index, and parts with at most 50,000 addresses each (https://www.sitemaps.org/protocol.html).

A part begins after a NID, as the pages of lists do. It also has the addresses of the lists of sub-namespaces. All are streamed
from the database, so memory use does not depend on the number of namespaces.
"""

from collections.abc import Iterator
from datetime import UTC
from functools import partial

from django.db import connection
from django.urls import reverse

from registry.core.http.urls import absolute_url, public_url
from registry.namespaces.models import Namespace
from registry.publication.formats.export_formats import ExportFile

# The namespaces of a part. It may have 50,000 addresses and 50 MB; a namespace has two, if it has a list.
PART = 25_000
MEDIA_TYPE = "application/xml"
PROLOG = '<?xml version="1.0" encoding="UTF-8"?>\n'
XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
SAMPLE = "sample-nid"
PAGES = (
    "home",
    "guide",
    "urn_scheme",
    "namespaces:list",
    "cases:list",
    "cases:nids",
    "urns:check",
    "services:list",
    "sightings:list",
    "statistics:overview",
    "publication:files",
    "audit_log:overview",
    "documentation:start",
    "documentation:reference",
)
# A window over the index of NIDs: one key for each part, without counting rows again for each.
BOUNDARIES = """
    SELECT nid FROM (SELECT nid, row_number() OVER (ORDER BY nid) AS place FROM namespaces_namespace) AS numbered
    WHERE place %% %s = 0 AND nid < (SELECT max(nid) FROM namespaces_namespace) ORDER BY nid
"""


def index() -> ExportFile:
    """The addresses of the parts."""
    return ExportFile("sitemap.xml", MEDIA_TYPE, _index_lines)


def pages() -> ExportFile:
    """The addresses of pages that are not of one namespace."""
    return ExportFile("sitemap-pages.xml", MEDIA_TYPE, _page_lines)


def namespaces(after: str) -> ExportFile:
    """The addresses of the namespaces after a NID; from the first one on, if that is empty."""
    return ExportFile(f"sitemap-namespaces-{after}.xml", MEDIA_TYPE, partial(_namespace_lines, after))


def _index_lines() -> Iterator[str]:
    yield f"{PROLOG}<sitemapindex {XMLNS}>\n"
    for path in (reverse("publication:sitemap_pages"), *_parts()):
        yield f"<sitemap><loc>{absolute_url(path)}</loc></sitemap>\n"
    yield "</sitemapindex>\n"


def _parts() -> Iterator[str]:
    yield reverse("publication:sitemap_namespaces")
    with connection.cursor() as cursor:
        cursor.execute(BOUNDARIES, [PART])
        yield from (reverse("publication:sitemap_after", args=row) for row in cursor)


def _page_lines() -> Iterator[str]:
    yield f"{PROLOG}<urlset {XMLNS}>\n"
    yield from (f"<url><loc>{public_url(view)}</loc></url>\n" for view in PAGES)
    yield "</urlset>\n"


def _namespace_lines(after: str) -> Iterator[str]:
    yield f"{PROLOG}<urlset {XMLNS}>\n"
    found = Namespace.objects.filter(nid__gt=after).order_by("nid")
    rows = found.values_list("nid", "changed_at", "has_subnamespaces")[:PART]
    # The form of each address is looked up once: reverse() for each would take several seconds.
    page, listing = (public_url(view, nid=SAMPLE) for view in ("namespaces:detail", "subnamespaces:list"))
    for nid, changed_at, has_list in rows.iterator(chunk_size=2000):
        at = changed_at.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat()
        for address in (page, listing) if has_list else (page,):
            yield f"<url><loc>{address.replace(SAMPLE, nid)}</loc><lastmod>{at}Z</lastmod></url>\n"
    yield "</urlset>\n"
