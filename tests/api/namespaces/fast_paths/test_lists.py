"""The fast list: plain pages are joined from stored entries, equal to Django's; all other requests are Django's."""

import json
from collections.abc import Iterator
from itertools import product

import pytest
from django.utils import timezone

from registry.accounts.models import RoleName
from registry.core import pagination
from registry.core.models import Counter
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace
from tests.api.namespaces.fast_paths.lookups import Lookup
from tests.support.factories import a_person, a_profile

LIST = "/api/v1/namespaces/"
NIDS = ("ant", "bee", "isbn")
PLAIN = [
    {},
    {"REQUEST_METHOD": "HEAD"},
    {"HTTP_ACCEPT": "application/json"},
    {"QUERY_STRING": "after=ant"},
    {"QUERY_STRING": "page_size=1"},
    {"QUERY_STRING": "page_size=1000"},
    {"QUERY_STRING": "after=ant&page_size=1"},
    {"QUERY_STRING": "page_size=1&after=ant"},
    {"QUERY_STRING": "after=be"},
    {"HTTP_IF_NONE_MATCH": '"another"'},
    {"HTTP_IF_NONE_MATCH": "nonsense"},
]
CODINGS: list[dict[str, str]] = [
    {},
    {"HTTP_ACCEPT_ENCODING": "gzip, br"},
    {"HTTP_ACCEPT_ENCODING": "gzip, deflate, br, zstd"},
    {"HTTP_ACCEPT_ENCODING": "gzip, identity;q=0"},
    {"HTTP_ACCEPT_ENCODING": "identity"},
]
EVERYTHING_ELSE: list[tuple[dict[str, str], int]] = [
    ({"REQUEST_METHOD": "OPTIONS"}, 200),
    ({"REQUEST_METHOD": "POST"}, 405),
    ({"PATH_INFO": "/api/v1/namespaces"}, 200),
    ({"HTTP_ACCEPT": "image/png"}, 406),
    ({"HTTP_ACCEPT": "application/json; indent=2"}, 200),
    ({"HTTP_COOKIE": "sessionid=made-up"}, 200),
    ({"HTTP_IF_NONE_MATCH": "*"}, 304),
    ({"HTTP_IF_MATCH": '"other"'}, 412),
    ({"HTTP_HOST": "elsewhere.example.org"}, 400),
    ({"QUERY_STRING": "after=isbn"}, 200),  # an empty page
    ({"QUERY_STRING": "after=ANT"}, 200),
    ({"QUERY_STRING": "after="}, 400),
    ({"QUERY_STRING": "after=ant&after=bee"}, 400),
    ({"QUERY_STRING": "after=a%6Et"}, 200),
    ({"QUERY_STRING": "page_size=0"}, 400),
    ({"QUERY_STRING": "page_size=01"}, 400),
    ({"QUERY_STRING": "page_size=1001"}, 400),
    ({"QUERY_STRING": "q=books"}, 200),
    ({"QUERY_STRING": "kind=formal"}, 200),
    ({"QUERY_STRING": "ordering=nid"}, 200),
    ({"QUERY_STRING": "colour=red"}, 400),
]


@pytest.fixture
def lists(real_database: None) -> Iterator[Lookup]:
    for nid in NIDS:
        Namespace.objects.create(
            nid=nid, kind=Kind.FORMAL, holder="Example Agency", changed_at=timezone.now()
        )
    lists = Lookup()
    assert lists.answer(PATH_INFO=LIST).status == 200  # its entries are stored from now on
    lists.reader.close()
    yield lists
    lists.reader.close()


def nids_on(lists: Lookup, query: str = "") -> list[str]:
    body = json.loads(lists.answer(PATH_INFO=LIST, QUERY_STRING=query).body)
    return [each["nid"] for each in body["results"]]


def test_a_plain_page_equals_that_of_django(lists: Lookup) -> None:
    for environ, coding in product(PLAIN, CODINGS):
        request = {"PATH_INFO": LIST, **environ, **coding}
        found = lists.answer(**request)
        assert found.status == 200
        for etag in (found.headers["ETag"], f"W/{found.headers['ETag']}"):
            known = lists.answer(**request | {"HTTP_IF_NONE_MATCH": etag})
            assert (known.status, known.body) == (304, b"")


def test_everything_else_is_answered_by_django(lists: Lookup) -> None:
    for environ, status in EVERYTHING_ELSE:
        assert lists.answer_of_django(**{"PATH_INFO": LIST, **environ}).status == status, environ


@pytest.mark.exhaustive
@pytest.mark.usefixtures("demonstration_database")
def test_the_pages_of_the_demonstration_contain_every_namespace() -> None:
    lists = Lookup()
    assert lists.answer_of_django(PATH_INFO=LIST, QUERY_STRING="page_size=1000").status == 200
    every = [*Namespace.objects.order_by("nid").values_list("nid", flat=True)]
    assert nids_on(lists, "page_size=1000") == every
    found, query = [], "page_size=7"
    while query:
        answered = lists.answer(PATH_INFO=LIST, QUERY_STRING=query)
        found += [each["nid"] for each in json.loads(answered.body)["results"]]
        query = (json.loads(answered.body)["next"] or "").partition("?")[2]
        assert ('rel="next"' in answered.headers["Link"]) == bool(query)
    assert found == every
    lists.reader.close()


def test_a_changed_namespace_is_rendered_by_django_and_then_stored(lists: Lookup) -> None:
    administrator = a_person(email="root@example.org", roles=(RoleName.ADMINISTRATOR,))
    bee = Namespace.objects.get(nid="bee")
    for change in (
        lambda: Namespace.objects.filter(pk=bee.pk).update(purpose="Names bees."),
        lambda: set_profile(
            bee, by=None, profile=a_profile("bee", title="Bees"), basis="Syntax.", replaces=0
        ),
        lambda: deprecate(bee, by=administrator, statement="Closed."),
    ):
        before = lists.answer(PATH_INFO=LIST)
        for _ in range(2):
            assert lists.answer(PATH_INFO=LIST, HTTP_IF_NONE_MATCH=before.headers["ETag"]).status == 304
        change()
        after = lists.answer_of_django(PATH_INFO=LIST, HTTP_IF_NONE_MATCH=before.headers["ETag"])
        assert (after.status, after.body != before.body) == (200, True)
        assert lists.answer(PATH_INFO=LIST) == after
    entry = json.loads(after.body)["results"][1]
    assert (entry["purpose"], entry["title"], entry["status"]) == ("Names bees.", "Bees", "deprecated")


def test_a_page_that_long_texts_may_end_is_left_to_django(
    lists: Lookup, monkeypatch: pytest.MonkeyPatch
) -> None:
    Namespace.objects.update(purpose="Names things. " * 10)
    for module in ("registry.api.namespaces.fast_paths", pagination.__name__):
        monkeypatch.setattr(f"{module}.MAX_PAGE_TEXT", 200)
    for _ in range(2):
        body = json.loads(lists.answer_of_django(PATH_INFO=LIST).body)
        assert ([each["nid"] for each in body["results"]], body["has_more"]) == (["ant", "bee"], True)


def test_only_searches_and_filters_are_counted(lists: Lookup) -> None:
    assert "RateLimit" not in lists.answer(PATH_INFO=LIST).headers
    assert not Counter.objects.exists()
    assert "RateLimit" in lists.answer_of_django(PATH_INFO=LIST, QUERY_STRING="kind=formal").headers
    assert Counter.objects.get().spent == 1


def test_django_answers_without_a_connection(lists: Lookup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists.reader, "read", lambda *_: None)
    assert lists.answer_of_django(PATH_INFO=LIST).status == 200


def test_a_page_with_a_long_entry_is_left_to_django(lists: Lookup) -> None:
    Namespace.objects.filter(nid="bee").update(purpose="Names bees. " * 1000)
    for _ in range(2):
        assert lists.answer_of_django(PATH_INFO=LIST).status == 200
    assert lists.answer(PATH_INFO=LIST, QUERY_STRING="after=bee").status == 200
