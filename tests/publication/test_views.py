"""The views of files and feeds."""

import re
from base64 import b64encode
from datetime import timedelta
from hashlib import sha256
from xml.etree.ElementTree import Element

import pytest
import time_machine
from defusedxml.ElementTree import fromstring
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.http import http_date
from lxml import etree

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.models import Event
from registry.cases.drafts import drafts
from registry.cases.workflow import functions
from registry.devserver.demonstration import FIXTURES
from registry.namespaces.actions import deprecation
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.publication.feeds import NEWS
from registry.publication.formats.export_formats import FILES
from registry.publication.iana.file_reader import read_version
from registry.publication.iana.fixtures import IANA_FIXTURE
from registry.publication.iana.importing.importer import import_versions
from tests.data import IANA_NEWEST
from tests.publication.iana.samples import a_record, a_version, an_xml
from tests.support.factories import a_case_in_review, a_draft, a_namespace, a_profile, a_template
from tests.support.services import a_service

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
ADDRESSES = [
    *(f"/registry/{name}" for name in FILES),
    "/namespaces/feed.atom",
    "/namespaces/example-a/feed.atom",
]


def body(response: object) -> bytes:
    streamed = getattr(response, "streaming", False)
    return b"".join(response.streaming_content) if streamed else response.content  # type: ignore[attr-defined]


@pytest.fixture
def known(db: None) -> None:
    import_versions([a_version(an_xml(formal=a_record("example-a") + a_record("example-b")))])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FILES)
def test_a_file_is_at_its_address_as_the_command_writes_it(client: Client, known: None, name: str) -> None:
    response = client.get(f"/registry/{name}")
    assert response.status_code == 200
    assert response["Content-Type"] == FILES[name].media_type
    assert body(response) == b"".join(FILES[name].write())


def test_every_file_is_on_the_page_of_files(client: Client) -> None:
    page = client.get("/registry/").content.decode()
    for name in FILES:
        assert f'href="/registry/{name}"' in page
    assert 'href="/namespaces/feed.atom"' in page


@pytest.mark.parametrize(
    "name", ["urn-namespaces", "urn-namespaces-3.csv", "URN-NAMESPACES.XML", "..", "urn-namespaces.xml\n"]
)
def test_an_unknown_file_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"/registry/{name.replace(chr(10), '%0A')}").status_code == 404


@pytest.mark.sampled(5)
@pytest.mark.parametrize("address", ADDRESSES)
def test_an_unchanged_file_gets_304_until_the_registry_changes(
    client: Client, known: None, address: str
) -> None:
    first = client.get(address)
    body(first)
    assert first["Cache-Control"] == "public, no-cache"
    assert "Cookie" not in first.get("Vary", "")
    with CaptureQueriesContext(connection) as queries:
        again = client.get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert len(queries) <= 3
    by_date = {"if-modified-since": first["Last-Modified"]}
    assert client.get(address, headers=by_date).status_code == 200, "a change may follow in the same second"
    with time_machine.travel(timezone.now() + timedelta(minutes=1)):
        assert client.get(address, headers=by_date).status_code == 304
    changes = {"formal": a_record("example-a", rfc="rfc1"), "informal": a_record("urn-7")}
    import_versions([a_version(an_xml(updated="2021-01-01", **changes))])
    namespace = Namespace.objects.get(nid="example-a")
    profile = a_profile("example-a", services=[a_service("example-a")])
    set_profile(namespace, by=None, profile=profile, basis="Syntax.", replaces=0)
    changed = client.get(address, headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]


def test_what_changed_since_a_time_is_sent(client: Client, known: None) -> None:
    at = Event.objects.latest("number").at - timedelta(seconds=2)
    since = {"if-modified-since": http_date(at.timestamp())}
    assert client.get("/registry/urn-namespaces.xml", headers=since).status_code == 200


@pytest.mark.sampled(5)
@pytest.mark.parametrize("address", ADDRESSES)
def test_head_returns_the_same_headers_without_a_body(client: Client, known: None, address: str) -> None:
    assert client.head(address)["ETag"] == client.get(address)["ETag"]
    assert body(client.head(address)) == b""


def test_the_page_may_have_its_style_and_nothing_else(client: Client, known: None) -> None:
    policy = client.get("/registry/urn-namespaces.html")["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


def test_a_browser_finds_the_style_sheet_that_the_xml_names(client: Client, known: None) -> None:
    xml = body(client.get("/registry/urn-namespaces.xml"))
    (named,) = re.findall(rb'<\?xml-stylesheet type="text/xsl" href="([^"]+)"\?>', xml)
    style = etree.XSLT(etree.fromstring(client.get(f"/registry/{named.decode()}").content))
    cells = [cell.text for cell in style(etree.fromstring(xml)).iter("td")]
    assert [cell for cell in cells if cell] == ["example-a", "example-b"]


def test_the_schema_that_the_xml_names_describes_it_and_iana_s_registry(client: Client, known: None) -> None:
    xml = body(client.get("/registry/urn-namespaces.xml"))
    (named,) = re.findall(rb'<\?xml-model href="([^"]+)"', xml)
    response = client.get(f"/registry/{named.decode()}")
    assert (response.status_code, response["Content-Type"]) == (200, "application/relax-ng+xml")
    schema = etree.RelaxNG(etree.fromstring(response.content))
    schema.assertValid(etree.fromstring(xml))
    schema.assertValid(etree.parse(IANA_NEWEST))
    for right, wrong in ((b"<name>", b"<nid>"), (b' id="urn-namespaces"', b""), (b"<people>", b"<persons>")):
        broken = etree.fromstring(
            xml.replace(right, wrong).replace(right.replace(b"<", b"</"), wrong.replace(b"<", b"</"))
        )
        assert not schema.validate(broken), wrong


# Parts of files


@pytest.mark.parametrize("coding", ["identity", "gzip", "zstd"])
def test_an_interrupted_download_is_continued(client: Client, known: None, coding: str) -> None:
    address, accepted = "/registry/urn-namespaces.jsonl", {"accept-encoding": coding}
    whole = client.get(address, headers=accepted)
    content = body(whole)
    assert whole["Accept-Ranges"] == "bytes"
    for value, start, stop in (("bytes=0-9", 0, 10), ("bytes=10-", 10, len(content)), ("bytes=-3", -3, None)):
        part = client.get(address, headers=accepted | {"range": value, "if-range": whole["ETag"]})
        assert (part.status_code, body(part)) == (206, content[start:stop])
        assert part["ETag"] == whole["ETag"]
        assert int(part["Content-Length"]) == len(content[start:stop])
        assert part["Content-Range"].endswith(f"/{len(content)}")


def test_a_changed_file_is_sent_as_a_whole(client: Client, known: None) -> None:
    address = "/registry/urn-namespaces.jsonl"
    first = client.get(address)
    body(first)
    import_versions([a_version(an_xml(updated="2021-01-01", formal=a_record("example-c")))])
    again = client.get(address, headers={"range": "bytes=10-", "if-range": first["ETag"]})
    assert (again.status_code, again["ETag"] != first["ETag"]) == (200, True)
    assert b"example-c" in body(again)


def test_a_range_after_the_end_is_refused(client: Client, known: None) -> None:
    refused = client.get("/registry/urn-namespaces.txt", headers={"range": "bytes=99999999-"})
    assert refused.status_code == 416
    size = len(body(client.get("/registry/urn-namespaces.txt")))
    assert refused["Content-Range"] == f"bytes */{size}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FILES)
def test_a_file_has_a_digest_of_its_content(client: Client, known: None, name: str) -> None:
    """RFC 9530."""
    response = client.get(f"/registry/{name}")
    digest = b64encode(sha256(body(response)).digest()).decode()
    assert response["Repr-Digest"] == f"sha-256=:{digest}:"
    headed = client.head(f"/registry/{name}")
    assert [headed[each] for each in ("Repr-Digest", "Content-Length")] == [
        response[each] for each in ("Repr-Digest", "Content-Length")
    ]


# Feeds


def feed(client: Client, address: str) -> Element:
    response = client.get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = fromstring(response.content)
    assert_is_atom(root, address)
    return root


def assert_is_atom(root: Element, address: str) -> None:
    """Check the requirements of RFC 4287, Sections 4.1.1 and 4.1.2."""
    assert root.tag == f"{ATOM}feed"
    for element in (root, *root.findall(f"{ATOM}entry")):
        for tag in ("id", "title", "updated"):
            (one,) = element.findall(f"{ATOM}{tag}")
            assert (one.text or "").strip(), tag
    assert root.find(f"{ATOM}author/{ATOM}name") is not None
    (own,) = (link for link in root.findall(f"{ATOM}link") if link.get("rel") == "self")
    assert own.get("href") == f"http://localhost:8000{address}" == root.findtext(f"{ATOM}id")
    ids = [entry.findtext(f"{ATOM}id") or "" for entry in root.findall(f"{ATOM}entry")]
    assert len(set(ids)) == len(ids)
    assert all(each.startswith("urn:uuid:") for each in ids)
    times = [entry.findtext(f"{ATOM}updated") or "" for entry in root.findall(f"{ATOM}entry")]
    assert times == sorted(times, reverse=True)
    if times:
        assert root.findtext(f"{ATOM}updated") == times[0]


def titles(root: Element) -> list[str]:
    return [entry.findtext(f"{ATOM}title") or "" for entry in root.findall(f"{ATOM}entry")]


def links(root: Element) -> list[str]:
    return [link.get("href") or "" for link in root.findall(f"{ATOM}entry/{ATOM}link")]


def test_the_feed_contains_cases_registered_namespaces_and_imports(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    a_draft(by=registrant, namespace_identifier="example-secret")
    import_versions([a_version(an_xml(formal=a_record("example-a")))])
    root = feed(client, "/namespaces/feed.atom")
    case = namespace.cases.get()
    assert titles(root) == [
        "example-a: IANA's registry: added",
        "example-trees: Registered, version 1",
        f"Case {case.pk} “example-trees” opened for review",
    ]
    assert links(root) == [
        "http://localhost:8000/namespaces/example-a/",
        "http://localhost:8000/namespaces/example-trees/",
        f"http://localhost:8000/cases/{case.pk}/",
    ]


def test_a_second_round_opens_no_case(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    drafts.save_draft(case, a_template(purpose="Trees."), by=registrant, stamp=case.draft_stamp)
    case.refresh_from_db()
    functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    assert Event.objects.filter(verb="submit").count() == 2
    assert len(titles(feed(client, "/namespaces/feed.atom"))) == 1


def test_a_namespace_has_a_feed_of_its_own(
    client: Client, registrant: User, expert: User, administrator: User
) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    import_versions([a_version(an_xml(formal=a_record("example-a")))])
    assert titles(feed(client, "/namespaces/example-a/feed.atom")) == ["example-a: IANA's registry: added"]
    assert len(titles(feed(client, "/namespaces/example-trees/feed.atom"))) == 2
    assert client.get("/namespaces/example-b/feed.atom").status_code == 404
    assert client.get("/namespaces/Example-A/feed.atom")["Location"] == "/namespaces/example-a/feed.atom"


def test_an_entry_keeps_its_identity(client: Client, known: None) -> None:
    def ids() -> set[str]:
        entries = feed(client, "/namespaces/feed.atom").findall(f"{ATOM}entry")
        return {entry.findtext(f"{ATOM}id") or "" for entry in entries}

    before = ids()
    import_versions([a_version(an_xml(updated="2021-01-01", formal=a_record("example-c")))])
    assert before < ids()


def test_a_form_feed_in_a_reason_spoils_no_feed(client: Client, administrator: User) -> None:
    """A form feed, as in text copied from an RFC; in old events it is still stored."""
    import_versions([a_version(an_xml(formal=a_record("example-a")))])
    namespace = Namespace.objects.get(nid="example-a")
    deprecation.deprecate(namespace, by=administrator, statement="See RFC 8141,\f\vsection 5.")
    assert Event.objects.order_by("-number")[0].reason == "See RFC 8141,\n\nsection 5."
    with transaction.atomic():
        log.append("deprecate", by=administrator, nid="example-a", reason="an old\fone")
    for address in ("/namespaces/feed.atom", "/namespaces/example-a/feed.atom"):
        summaries = [each.findtext(f"{ATOM}summary") for each in feed(client, address).iter(f"{ATOM}entry")]
        assert summaries[:2] == ["an old\none", "See RFC 8141,\n\nsection 5."]


def test_a_feed_of_nothing_is_a_feed(client: Client) -> None:
    assert titles(feed(client, "/namespaces/feed.atom")) == []


def test_a_feed_ends_somewhere(client: Client) -> None:
    import_versions([read_version(FIXTURES / IANA_FIXTURE)])
    assert len(titles(feed(client, "/namespaces/feed.atom"))) == 50


def related(root: Element) -> dict[str, str]:
    """The links of a feed to its pages."""
    return {link.get("rel") or "": link.get("href") or "" for link in root.findall(f"{ATOM}link")}


def test_older_entries_are_on_further_pages(client: Client) -> None:
    """RFC 5005, Section 3."""
    import_versions([read_version(FIXTURES / IANA_FIXTURE)])
    found, address, pages = list[str](), "/namespaces/feed.atom", 0
    while address:
        root = feed_page(client, address)
        found += [entry.findtext(f"{ATOM}id") or "" for entry in root.findall(f"{ATOM}entry")]
        assert related(root)["first"] == "http://localhost:8000/namespaces/feed.atom"
        assert related(root)["self"] == f"http://localhost:8000{address}"
        address, pages = related(root).get("next", "").removeprefix("http://localhost:8000"), pages + 1
    assert pages == -(-len(found) // 50) > 1
    assert len(found) == len(set(found)) == Event.objects.filter(NEWS).count()


def feed_page(client: Client, address: str) -> Element:
    response = client.get(address)
    assert response.status_code == 200
    return fromstring(response.content)


def test_a_short_feed_has_one_page(client: Client, known: None) -> None:
    for address in ("/namespaces/feed.atom", "/namespaces/example-a/feed.atom"):
        assert "next" not in related(feed_page(client, address))
        assert titles(feed_page(client, f"{address}?before=1")) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("before", ["", "0", "-1", "x", "1e3", "9" * 30, "٣"])
def test_a_page_before_no_number_is_not_found(client: Client, known: None, before: str) -> None:
    assert client.get("/namespaces/feed.atom", {"before": before}).status_code == 404


@pytest.mark.parametrize("address", ["/", "/namespaces/", "/namespaces/example-a/"])
def test_pages_link_to_what_programs_read(client: Client, known: None, address: str) -> None:
    page = client.get(address).text
    links = re.findall(r'<link rel="alternate" type="([^"]+)"[^>]* href="([^"]+)"', page)
    links += [
        (kind, found)
        for found, kind in re.findall(r'<link rel="alternate" href="([^"]+)" type="([^"]+)"', page)
    ]
    assert "application/atom+xml" in dict(links)
    for media_type, target in links:
        answer = client.get(target)
        assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, media_type)
