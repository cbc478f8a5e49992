"""Requests to the fast lookup: plain ones are answered from the stored row, all others by Django."""

from datetime import timedelta
from itertools import product
from typing import Any

from django.utils import timezone

from registry.core.models import Counter
from registry.namespaces.models import Namespace
from tests.api.namespaces.fast_paths.lookups import Lookup

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
    {"HTTP_RANGE": "bytes=0-9"},
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
    ({"HTTP_AUTHORIZATION": "Bearer made-up"}, 401),
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
    ({"PATH_INFO": "/api/v1/namespaces"}, 200),
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


def test_lookups_are_not_rate_limited(lookup: Lookup, settings: Any) -> None:
    settings.API_READS_A_MINUTE = 1
    for _ in range(3):
        assert lookup.answer().status == 200
        assert lookup.answer_of_django(HTTP_ACCEPT="text/plain").status == 200
    assert not Counter.objects.exists()
