"""Responses of the fast lookup: equal to those of Django, with the headers that the description promises."""

from datetime import timedelta
from itertools import cycle, product

import pytest
from django.conf import settings as django_settings
from django.test import override_settings
from django.utils import timezone

from registry.namespaces.models import Namespace
from tests.api.namespaces.fast_paths.lookups import Answered, Lookup
from tests.api.schema_checks import description

# What a namespace has or lacks, by its columns.
FACTS = (
    "number", "registrant", "organisation", "latest", "profile", "deprecated_at", "successor", "references",
    "template_url", "updated_on", "has_grammar", "has_subnamespaces",
)  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_every_kind_of_lookup_equals_the_response_of_django() -> None:
    """Of one namespace of each combination of facts, and of a tenth of all."""
    lookup = Lookup()
    every = Namespace.objects.order_by("nid").values_list("nid", *FACTS)
    of_each_kind = {tuple(map(bool, facts)): nid for nid, *facts in every}
    assert len(of_each_kind) > len(FACTS)
    for nid in {*of_each_kind.values(), *(nid for nid, *_ in every[::10])}:
        full = lookup.answer(PATH_INFO=f"/api/v1/namespaces/{nid}/")
        assert full.status == 200
        known = lookup.answer(PATH_INFO=f"/api/v1/namespaces/{nid}/", HTTP_IF_NONE_MATCH=full.headers["ETag"])
        assert (known.status, known.body) == (304, b"")
    lookup.reader.close()


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


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    "others",
    [
        {},
        {"HTTP_RANGE": "bytes=0-9"},
        {"HTTP_COOKIE": "theme=dark"},
        {"HTTP_IF_MODIFIED_SINCE": "Sat, 01 Jan 2000 00:00:00 GMT"},
        {"HTTP_IF_MATCH": "its ETag"},
        {"REQUEST_METHOD": "HEAD"},
    ],
    ids=lambda others: next(iter(others), "none"),
)
def test_one_namespace_is_one_representation_whichever_headers_are_sent(
    lookup: Lookup, others: dict[str, str]
) -> None:
    """It is compressed only for clients that reject it otherwise, by Django, and then has another ETag.

    The default run sends no other headers: what depends on one of them is for the exhaustive one to find.
    """
    Namespace.objects.update(purpose="Names things. " * 1000, changed_at=timezone.now() - timedelta(hours=1))
    as_it_is = lookup.answer()
    date = as_it_is.headers["Last-Modified"]
    if "HTTP_IF_MATCH" in others:
        others = {"HTTP_IF_MATCH": as_it_is.headers["ETag"]}
    conditions = cycle(({}, {"HTTP_IF_MODIFIED_SINCE": date}, {"HTTP_IF_MODIFIED_SINCE": "nonsense"}))
    for coding, accept in product(
        (None, "gzip", "gzip, deflate, br, zstd", "identity"),
        (None, "*/*", "application/json", "application/json, */*", "text/plain;q=0.5, application/json"),
    ):
        if coding and accept and others:
            continue  # every pair of them is enough
        request = {"HTTP_ACCEPT_ENCODING": coding, "HTTP_ACCEPT": accept, **others}
        assert Answered(lookup.front, **request) == as_it_is == Answered(lookup.django, **request)
        condition = {} if others else next(conditions)
        known = request | {"HTTP_IF_NONE_MATCH": as_it_is.headers["ETag"]} | condition
        found = Answered(lookup.front, **known)
        assert (found.status, found.body) == (304, b""), known
        assert found == Answered(lookup.django, **known)
    packed = lookup.answer_of_django(HTTP_ACCEPT_ENCODING="zstd, identity;q=0")
    assert packed.headers["Content-Encoding"] == "zstd"
    assert packed.headers["ETag"] != as_it_is.headers["ETag"]
    assert lookup.answer(HTTP_IF_NONE_MATCH=packed.headers["ETag"]) == as_it_is
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
    behind_https.reader.close()


def test_an_origin_is_part_of_the_etag(lookup: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is sent from elsewhere has other links in it, so it is another text."""
    here = lookup.answer()
    monkeypatch.setattr(django_settings, "PUBLIC_ORIGIN", "https://elsewhere.example.org")
    elsewhere = Lookup()
    there = elsewhere.answer(HTTP_IF_NONE_MATCH=here.headers["ETag"])
    assert there.status == 200
    assert b'"https://elsewhere.example.org/api/v1/namespaces/isbn/"' in there.body
    elsewhere.reader.close()
