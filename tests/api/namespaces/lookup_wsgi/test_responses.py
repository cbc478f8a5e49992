"""Responses of the fast lookup: equal to those of Django, with the headers that the description promises."""

import pytest
from django.conf import settings as django_settings
from django.test import override_settings

from registry.devserver import demonstration
from registry.namespaces.models import Namespace
from tests.api.namespaces.lookup_wsgi.lookups import Answered, Lookup
from tests.api.schema_checks import description


@pytest.mark.exhaustive
def test_every_lookup_equals_the_response_of_django(lookup: Lookup) -> None:
    demonstration.load_demonstration()
    nids = list(Namespace.objects.values_list("nid", flat=True))
    assert len(nids) > 100
    for nid in nids:
        full = lookup.answer(PATH_INFO=f"/api/v1/namespaces/{nid}/")
        assert full.status == 200
        known = lookup.answer(PATH_INFO=f"/api/v1/namespaces/{nid}/", HTTP_IF_NONE_MATCH=full.headers["ETag"])
        assert (known.status, known.body) == (304, b"")


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


def test_lookups_are_not_compressed(lookup: Lookup) -> None:
    """Django compresses what is long; to look it up costs less than that."""
    Namespace.objects.update(purpose="Names things. " * 1000)
    as_it_is = lookup.answer()
    for coding in ("gzip", "zstd"):
        assert Answered(lookup.front, HTTP_ACCEPT_ENCODING=coding) == as_it_is
        packed = Answered(lookup.django, HTTP_ACCEPT_ENCODING=coding)
        assert packed.headers["Content-Encoding"] == coding
        assert packed.headers["ETag"] != as_it_is.headers["ETag"]
        etag = {"HTTP_IF_NONE_MATCH": packed.headers["ETag"]}
        elsewhere = Answered(lookup.front, **etag)
        assert (elsewhere.status, elsewhere.body) == (200, as_it_is.body)
        known = lookup.answer_of_django(HTTP_ACCEPT_ENCODING=coding, **etag)
        assert (known.status, known.headers["ETag"]) == (304, packed.headers["ETag"])
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
