"""The fast lookup: Django's own answer, sooner. And what is not the plain case is Django's to answer."""

import io
from collections.abc import Iterator
from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.wsgi import get_wsgi_application
from django.db import connection, connections, transaction
from django.test import override_settings
from django.utils import timezone
from rest_framework.serializers import SerializerMethodField

from registry.accounts.models import RoleName
from registry.api.namespaces.lookup_wsgi import LookupApplication
from registry.api.namespaces.serializers import NamespaceDetailSerializer
from registry.core.models import Counter
from registry.devserver import demonstration
from registry.namespaces.models import CachedLookup, Kind, Namespace
from registry.namespaces.services.deprecation import deprecate
from registry.namespaces.services.profiles import set_profile
from registry.publication.snapshot.internal_requests import build_request
from tests.api.conftest import revise
from tests.api.schema_checks import description
from tests.support.factories import a_person, a_profile

ISBN = "/api/v1/namespaces/isbn"
PLAIN = {
    "REQUEST_METHOD": "GET",
    "PATH_INFO": ISBN,
    "QUERY_STRING": "",
    "SERVER_NAME": "127.0.0.1",
    "SERVER_PORT": "8000",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "HTTP_HOST": "localhost:8000",
    "REMOTE_ADDR": "127.0.0.1",
    "wsgi.url_scheme": "http",
}


class Answered:
    """What a WSGI application answered to one request."""

    def __init__(self, application: Any, **environ: Any) -> None:
        given = {**PLAIN, "wsgi.input": io.BytesIO(), "wsgi.errors": io.StringIO(), **environ}
        self.status = 0
        self.headers: dict[str, str] = {}
        body = application({name: value for name, value in given.items() if value is not None}, self._start)
        self.body = b"".join(body)
        if hasattr(body, "close"):
            body.close()

    def _start(self, status: str, headers: list[tuple[str, str]], *_error: Any) -> None:
        self.status = int(status[:3])
        self.headers = dict(headers)
        assert len(self.headers) == len(headers), "a header stands there twice"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answered) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


class Lookup:
    """The front, Django behind it, and how many requests got that far."""

    def __init__(self) -> None:
        self.django = get_wsgi_application()
        self.passed_on = 0
        self.front = LookupApplication(self._count)

    def _count(self, environ: Any, start_response: Any) -> Any:
        self.passed_on += 1
        return self.django(environ, start_response)

    def answer(self, **environ: Any) -> Answered:
        """The front's own answer, which must be Django's, too, and that of the request which had it stored."""
        first = Answered(self.front, **environ)
        before = self.passed_on
        answered = Answered(self.front, **environ)
        assert self.passed_on == before, "the front passed it on"
        assert answered == first == Answered(self.django, **environ)
        return answered

    def answer_of_django(self, **environ: Any) -> Answered:
        """Django's answer, which it must have been asked for through the front."""
        before = self.passed_on
        answered = Answered(self.front, **environ)
        assert self.passed_on == before + 1, "the front did not pass it on"
        return answered


@pytest.fixture(autouse=True)
def counted() -> None:
    """These tests have a database of their own, in which requests are counted."""


@pytest.fixture
def lookup(real_database: None) -> Iterator[Lookup]:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, holder="Example Agency", changed_at=timezone.now())
    lookup = Lookup()
    assert lookup.answer_of_django().status == 200  # and is stored from now on
    lookup.front.reader.close()
    yield lookup
    lookup.front.reader.close()


def test_every_lookup_equals_the_response_of_django(lookup: Lookup) -> None:
    demonstration.load_demonstration()
    nids = list(Namespace.objects.values_list("nid", flat=True))
    assert len(nids) > 100
    for nid in nids:
        full = lookup.answer(PATH_INFO=f"/api/v1/namespaces/{nid}/")
        assert full.status == 200
        known = lookup.answer(PATH_INFO=f"/api/v1/namespaces/{nid}/", HTTP_IF_NONE_MATCH=full.headers["ETag"])
        assert (known.status, known.body) == (304, b"")


# Tables and not parameters: a database of its own for each row would take a minute.
THE_PLAIN_CASE: list[dict[str, str]] = [
    {},
    {"PATH_INFO": "/api/v1/namespaces/ISBN"},
    {"PATH_INFO": "/api/v1/namespaces/iSbN/"},
    {"REQUEST_METHOD": "HEAD"},
    {"HTTP_ACCEPT": "*/*"},
    {"HTTP_ACCEPT": "application/*"},
    {"HTTP_ACCEPT": "application/json"},
    {"HTTP_ACCEPT_ENCODING": "gzip, br"},
    {"HTTP_ACCEPT_ENCODING": "gzip, deflate, br, zstd"},
    {"HTTP_ACCEPT_ENCODING": "identity"},
    {"HTTP_ORIGIN": "https://elsewhere.example.org"},
    {"HTTP_HOST": "127.0.0.1"},
    {"HTTP_X_FORWARDED_PROTO": "https"},
    {"HTTP_X_FORWARDED_HOST": "elsewhere.example.org"},
    {"HTTP_IF_NONE_MATCH": '"another"'},
    {"HTTP_IF_NONE_MATCH": "nonsense"},
    {"HTTP_IF_NONE_MATCH": ""},
]  # fmt: skip
EVERYTHING_ELSE: list[tuple[dict[str, str | None], int]] = [
    ({"REQUEST_METHOD": "OPTIONS"}, 200),
    ({"REQUEST_METHOD": "PUT"}, 405),
    ({"REQUEST_METHOD": "get"}, 200),
    ({"QUERY_STRING": "a=b"}, 400),
    ({"HTTP_ACCEPT": "image/png"}, 406),
    ({"HTTP_ACCEPT": "application/json;q=0.5, */*;q=0.1"}, 200),
    ({"HTTP_ACCEPT": "application/ld+json"}, 200),
    ({"HTTP_COOKIE": "sessionid=made-up"}, 200),
    ({"HTTP_AUTHORIZATION": "Bearer made-up"}, 200),
    ({"HTTP_RANGE": "bytes=0-9"}, 200),
    ({"HTTP_ACCEPT_ENCODING": "gzip, identity;q=0"}, 200),
    ({"HTTP_ACCEPT_ENCODING": "gzip, *;q=0"}, 200),
    ({"HTTP_ACCEPT_ENCODING": "zstd, identity;q=0"}, 200),
    ({"HTTP_IF_MATCH": '"other"'}, 412),
    ({"HTTP_IF_UNMODIFIED_SINCE": "Sat, 01 Jan 2000 00:00:00 GMT"}, 412),
    ({"HTTP_IF_MODIFIED_SINCE": "Sat, 01 Jan 2000 00:00:00 GMT"}, 200),
    ({"HTTP_IF_NONE_MATCH": "*"}, 304),
    ({"HTTP_IF_NONE_MATCH": '"one", "another"'}, 200),
    ({"HTTP_HOST": "elsewhere.example.org"}, 400),
    ({"HTTP_HOST": "localhost\n"}, 400),
    ({"HTTP_HOST": None, "SERVER_NAME": "localhost"}, 200),
    ({"PATH_INFO": "/api/v1/namespaces/nobody"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/isbn\n"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/isbn//"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/isbn/versions"}, 200),
    ({"PATH_INFO": "/api/v1/namespaces/isb\u00c3\u00b1"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/isb\u00d9\u00a3"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/-isbn"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/i"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/" + 33 * "a"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/isbn'--"}, 404),
    ({"PATH_INFO": "/api/v1/namespaces/"}, 200),
    ({"PATH_INFO": "/api/v1/nids/isbn"}, 200),
]  # fmt: skip


def test_a_plain_lookup_does_not_use_django(lookup: Lookup) -> None:
    for environ in THE_PLAIN_CASE:
        assert lookup.answer(**environ).status == 200, environ


def test_a_known_etag_gets_304_without_django(lookup: Lookup) -> None:
    etag = lookup.answer().headers["ETag"]
    for template, method in product(["{}", "W/{}", " {}\n"], ["GET", "HEAD"]):
        known = lookup.answer(HTTP_IF_NONE_MATCH=template.format(etag), REQUEST_METHOD=method)
        assert (known.status, known.body, known.headers["ETag"]) == (304, b"", etag), template
        assert "Content-Type" not in known.headers


def test_a_malformed_etag_does_not_match(lookup: Lookup) -> None:
    etag = lookup.answer().headers["ETag"]
    for template in ["{}x", 'W/"other', "w/{}", "x{}"]:
        assert lookup.answer(HTTP_IF_NONE_MATCH=template.format(etag)).status == 200, template


def test_other_requests_go_to_django(lookup: Lookup) -> None:
    for environ, status in EVERYTHING_ELSE:
        assert lookup.answer_of_django(**environ).status == status, environ


def test_a_list_that_contains_the_etag_gets_304(lookup: Lookup) -> None:
    etag = lookup.answer().headers["ETag"]
    assert lookup.answer_of_django(HTTP_IF_NONE_MATCH=f'"other", W/{etag}').status == 304


def test_a_date_gets_304_for_a_namespace_without_recent_changes(lookup: Lookup) -> None:
    Namespace.objects.update(changed_at=timezone.now() - timedelta(hours=1))
    since = lookup.answer().headers["Last-Modified"]
    assert lookup.answer_of_django(HTTP_IF_MODIFIED_SINCE=since).status == 304


def test_the_lookup_after_a_change_shows_it(lookup: Lookup) -> None:
    demonstration.load_demonstration()
    administrator = a_person(email="root@example.org", roles=(RoleName.ADMINISTRATOR,))
    trees = Namespace.objects.get(nid="example-trees")
    path = f"/api/v1/namespaces/{trees.nid}"
    seen = [lookup.answer(PATH_INFO=path)]
    with transaction.atomic():
        revise(trees, revision_information="Shrubs, too.")
    seen.append(lookup.answer(PATH_INFO=path))
    deprecate(trees, by=administrator, statement="No more.", successor=Namespace.objects.get(nid="isbn"))
    seen.append(lookup.answer(PATH_INFO=path))
    assert [b"Shrubs, too." in each.body for each in seen] == [False, True, True]
    assert [b'"successor":{"nid":"isbn"' in each.body for each in seen] == [False, False, True]
    for before in seen[:-1]:
        again = lookup.answer(PATH_INFO=path, HTTP_IF_NONE_MATCH=before.headers["ETag"])
        assert again == seen[-1]


def test_the_lookup_after_a_new_profile_shows_it(lookup: Lookup) -> None:
    namespace = Namespace.objects.get(nid="isbn")
    before = lookup.answer()
    seen = [before.headers["ETag"]]
    for version, profile in enumerate(
        [a_profile("isbn", title="Books"), a_profile("isbn", title="Prints"), None]
    ):
        set_profile(namespace, by=None, profile=profile, basis="Syntax.", replaces=version)
        after = lookup.answer(HTTP_IF_NONE_MATCH=seen[-1])
        assert after.status == 200
        assert (profile.title.encode() in after.body) if profile else (after.body == before.body)
        seen.append(after.headers["ETag"])
    assert (len(set(seen)), seen[0]) == (3, seen[-1])


def test_django_handles_and_stores_the_first_lookup_after_a_change(lookup: Lookup) -> None:
    assert lookup.answer().status == 200
    Namespace.objects.update(purpose="Names books.")
    assert b"Names books." in lookup.answer_of_django().body
    before = lookup.passed_on
    assert b"Names books." in lookup.answer().body
    assert lookup.passed_on == before


@pytest.mark.parametrize(
    "accept", ["text/plain", "application/xml", "application/ld+json", "application/json;q=0.5"]
)
def test_every_format_stores_the_same_lookup(lookup: Lookup, accept: str) -> None:
    Namespace.objects.update(purpose="Names books.")
    assert lookup.answer_of_django(HTTP_ACCEPT=accept).status == 200
    before = lookup.passed_on
    assert lookup.answer().headers["Content-Type"] == "application/json"
    assert lookup.passed_on == before


def test_a_member_that_the_serializer_gets_is_in_the_fast_lookup(
    lookup: Lookup, monkeypatch: pytest.MonkeyPatch
) -> None:
    class WithInitial(NamespaceDetailSerializer):
        initial = SerializerMethodField()

        class Meta(NamespaceDetailSerializer.Meta):
            fields = (*NamespaceDetailSerializer.Meta.fields, "initial")

        def get_initial(self, namespace: Namespace) -> str:
            return namespace.nid[0]

    Namespace.objects.update(purpose="Names books.")
    monkeypatch.setattr("registry.api.namespaces.views.NamespaceDetailSerializer", WithInitial)
    assert lookup.answer().body.endswith(b',"initial":"i"}')


def test_lookups_work_in_a_read_only_database(lookup: Lookup) -> None:
    Namespace.objects.update(purpose="Names books.")
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        for _ in range(2):
            assert b"Names books." in lookup.answer_of_django().body
        cursor.execute("SET default_transaction_read_only = off")
    assert b"Names books." in lookup.answer().body


def test_requests_of_the_snapshot_store_nothing(lookup: Lookup) -> None:
    Namespace.objects.update(purpose="Names books.")
    assert b"Names books." in lookup.django.get_response(build_request(f"{ISBN}/")).content
    assert not CachedLookup.objects.exclude(body=None).exists()


def test_the_headers_that_the_description_promises_are_sent(lookup: Lookup) -> None:
    """By the fast lookup and by Django, no more of them and no fewer."""
    described = description()["paths"]["/api/v1/namespaces/{nid}/"]["get"]["responses"]
    etag = lookup.answer().headers["ETag"]
    cases = [
        (lookup.answer(), "200"),
        (lookup.answer(HTTP_IF_NONE_MATCH=etag), "304"),
        (lookup.answer_of_django(HTTP_ACCEPT="text/plain"), "200"),
        (lookup.answer_of_django(HTTP_IF_NONE_MATCH=f"{etag}, {etag}"), "304"),
    ]
    for answered, status in cases:
        assert str(answered.status) == status
        sent = {name for name in answered.headers if name in description()["components"]["headers"]}
        assert sent == described[status]["headers"].keys()
    assert "429" not in described
    for refused in ({"PATH_INFO": "/api/v1/namespaces/nobody"}, {"HTTP_ACCEPT": "image/png"}):
        assert not any("RateLimit" in name for name in lookup.answer_of_django(**refused).headers)


def test_lookups_are_not_rate_limited(lookup: Lookup, settings: Any) -> None:
    settings.API_READS_A_MINUTE = 1
    for _ in range(3):
        assert lookup.answer().status == 200
        assert lookup.answer_of_django(HTTP_ACCEPT="text/plain").status == 200
    assert not Counter.objects.exists()


def test_lookups_are_not_compressed(lookup: Lookup) -> None:
    """Django compresses what is long; to look it up costs less than that."""
    Namespace.objects.update(purpose="Names things. " * 1000)
    as_it_is = lookup.answer()
    for coding in ("gzip", "zstd"):
        assert Answered(lookup.front, HTTP_ACCEPT_ENCODING=coding) == as_it_is
        packed = Answered(lookup.django, HTTP_ACCEPT_ENCODING=coding)
        assert packed.headers["Content-Encoding"] == coding
        assert packed.headers["ETag"] != as_it_is.headers["ETag"]
        known = Answered(lookup.front, HTTP_IF_NONE_MATCH=packed.headers["ETag"])
        assert (known.status, known.body) == (200, as_it_is.body)
    assert "Accept-Encoding" in as_it_is.headers["Vary"]


def test_the_headers_that_protect_a_browser_are_there(lookup: Lookup) -> None:
    headers = lookup.answer().headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Vary"] == "Accept, Accept-Encoding"
    assert headers["Access-Control-Allow-Origin"] == "*"


@override_settings(
    SECURE_PROXY_SSL_HEADER=("HTTP_X_FORWARDED_PROTO", "https"),
    SECURE_SSL_REDIRECT=True,
    SECURE_HSTS_SECONDS=60,
)
def test_the_response_behind_https_equals_that_of_django(lookup: Lookup) -> None:
    behind_https = Lookup()
    secure = behind_https.answer(HTTP_X_FORWARDED_PROTO="https")
    assert secure.headers["Strict-Transport-Security"].startswith("max-age=60")
    assert behind_https.answer_of_django(HTTP_X_FORWARDED_PROTO="http").status == 301
    assert behind_https.answer_of_django().status == 301
    behind_https.front.reader.close()


def test_an_origin_is_part_of_the_etag(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent from elsewhere has other links in it, so it is another text."""
    here = lookup.answer()
    monkeypatch.setattr(django_settings, "PUBLIC_ORIGIN", "https://elsewhere.example.org")
    elsewhere = Lookup()
    there = elsewhere.answer(HTTP_IF_NONE_MATCH=here.headers["ETag"])
    assert there.status == 200
    assert b'"https://elsewhere.example.org/api/v1/namespaces/isbn/"' in there.body
    elsewhere.front.reader.close()


@pytest.mark.parametrize("readers", [1, 3])
def test_the_next_lookup_succeeds_after_the_database_closed_the_connections(
    lookup: Lookup, readers: int
) -> None:
    lookup.front.reader._free.extend(link for _ in range(readers) if (link := lookup.front.reader._connect()))
    before = lookup.answer()
    cut = [link.info.backend_pid for link in lookup.front.reader._free]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid, 5000)) FROM unnest(%s) pid", [cut]
        )
        assert cursor.fetchone() == (readers,)
    assert lookup.answer() == before
    assert len(lookup.front.reader._free) == 1


def test_without_a_database_the_response_is_an_immediate_problem(
    lookup: Lookup, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    lookup.front.reader.close()
    connections.close_all()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        refused = lookup.answer_of_django()
        assert (refused.status, refused.headers["Retry-After"]) == (503, "5")
        assert refused.headers["Content-Type"] == "application/problem+json"
        assert b"/problems/unavailable/" in refused.body
        assert str(tmp_path).encode() not in refused.body
    lookup.front.reader._paused_until = 0.0
    assert lookup.answer().status == 200


def test_a_slow_statement_is_cancelled(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the table is locked, the lookup waits no longer than its timeout, and passes the request to Django."""
    monkeypatch.setattr("registry.namespaces.lookup.reader.STATEMENT_TIMEOUT", "50ms")
    monkeypatch.setattr(lookup, "django", lambda environ, start: start("503 Service Unavailable", []) or [])
    holder = connection.copy()
    with holder.cursor() as cursor:
        holder.set_autocommit(False)
        cursor.execute("LOCK TABLE namespaces_cachedlookup IN ACCESS EXCLUSIVE MODE")
        assert lookup.answer_of_django().status == 503
        holder.rollback()
    holder.close()
