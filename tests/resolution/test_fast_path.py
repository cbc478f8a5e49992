"""The fast redirect: the same octets and headers as Django's, and Django for all else."""

from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier, Event
from typing import Any

import pytest
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.utils import timezone

from registry.accounts.models import RoleName
from registry.core.database.prepared_reader import PreparedReader
from registry.core.http.fast_path import FastPaths
from registry.namespaces import profile_cache
from registry.namespaces.models import Namespace
from registry.resolution import fast_path
from registry.resolution.fast_path import redirect
from registry.resolution.namespace_data import OF_ONE_NID
from registry.resolution.resolving import resolve
from tests.resolution import changes
from tests.resolution.conftest import (
    a_namespace_with,
    a_profile_with,
    a_service,
    confirm_all,
    fixture_profile,
)
from tests.resolution.requests import Answered
from tests.support.databases import at_once
from tests.support.factories import a_person
from tests.support.processes import ended, start

TREE = "urn:example-trees:12:4711"


class Front:
    def __init__(self) -> None:
        self.django = get_wsgi_application()
        self.passed_on = 0
        self.reader = PreparedReader(OF_ONE_NID)
        self.application = FastPaths(self._count, {"resolution:resolve": partial(redirect, self.reader)})

    def _count(self, environ: Any, start_response: Any) -> Any:
        self.passed_on += 1
        return self.django(environ, start_response)

    def check_fast(self, target: str, **request: str) -> Answered:
        """The front's own response, which equals Django's."""
        before = self.passed_on
        own = Answered(self.application, target, **request)
        assert self.passed_on == before, "the front passed it on"
        assert vars(own) == vars(Answered(self.django, target, **request))
        return own

    def check_passed_on(self, target: str, **request: str) -> Answered:
        before = self.passed_on
        own = Answered(self.application, target, **request)
        assert self.passed_on == before + 1, "the front answered"
        return own


@pytest.fixture
def front(real_database: None) -> Iterator[Front]:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    for profile in (fixture_profile("ietf"), fixture_profile("isbn"), a_profile_with(a_service())):
        confirm_all(a_namespace_with(profile), by=administrator)
    front = Front()
    front.check_passed_on("/resolve/urn:ietf:rfc:2648")  # its headers are known from now on
    yield front
    front.reader.close()
    connections.close_all()


def test_redirects_equal_those_of_django(front: Front) -> None:
    for accept in ("*/*", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "", "image/png"):
        for urn in (
            "urn:ietf:rfc:2648", "URN:IETF:RFC:2648", "urn:isbn:0451450523?+x=1?=lang=en", TREE,
            "urn:isbn:0451450523%3F+x=1%3F=lang=en%23p3",
        ):  # fmt: skip
            answered = front.check_fast(f"/resolve/{urn}", HTTP_ACCEPT=accept)
            assert answered.status == "303 See Other"
    front.check_fast(f"/resolve/{TREE}", method="HEAD")
    Namespace.objects.filter(nid="example-trees").update(
        deprecated_at=timezone.now(), deprecation_statement="No more."
    )
    assert "Deprecation" in dict(front.check_fast(f"/resolve/{TREE}").headers)


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    ("target", "request_", "status"),
    [
        ("urn:ietf:rfc:x", {}, 422),
        ("urn:nobody:1", {}, 404),
        ("urn:ietf:", {}, 400),
        ("urn:ietf:rfc:%C3%A9", {}, 422),
        ("urn:ietf:rfc:2648", {"method": "POST"}, 405),
        ("urn:ietf:rfc:2648", {"HTTP_ACCEPT": "application/json"}, 200),
        ("urn:ietf:rfc:2648", {"HTTP_ACCEPT": "application/linkset"}, 200),
        ("urn:ietf:rfc:2648", {"HTTP_ACCEPT": "text/uri-list"}, 200),
        ("urn:ietf:rfc:2648", {"HTTP_COOKIE": "sessionid=1"}, 303),
        ("urn:ietf:rfc:2648", {"HTTP_HOST": "elsewhere.example.org"}, 400),
    ],
)
def test_other_requests_are_passed_on(
    front: Front, target: str, request_: dict[str, str], status: int
) -> None:
    answered = front.check_passed_on(f"/resolve/{target}", **request_)
    assert int(answered.status[:3]) == status
    front.check_passed_on("/health")


def test_a_profile_that_is_not_parsed_yet_is_read_by_django(
    front: Front, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(profile_cache, "_entries", OrderedDict())
    assert front.check_passed_on(f"/resolve/{TREE}").status == "303 See Other"
    front.check_fast(f"/resolve/{TREE}")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("change", "status"), [(changes.withdraw, 300), (changes.report_down, 409)])
def test_a_change_by_another_process_is_seen(front: Front, change: Any, status: int) -> None:
    front.check_fast(f"/resolve/{TREE}")
    assert ended(start(change, "example-trees")) == 0
    answered = front.check_passed_on(f"/resolve/{TREE}")
    assert int(answered.status[:3]) == status


@pytest.mark.exhaustive
def test_a_changed_profile_is_seen(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_cache, "_entries", OrderedDict())
    front.check_passed_on(f"/resolve/{TREE}")
    front.check_fast(f"/resolve/{TREE}")
    assert ended(start(changes.change_profile, "example-trees")) == 0
    front.check_passed_on(f"/resolve/{TREE}")
    location = dict(front.check_fast(f"/resolve/{TREE}").headers)["Location"]
    assert location == "https://trees.example/new/12%3A4711"


RFC = "urn:ietf:rfc:2648"
ADDRESSES = {
    TREE: "https://trees.example/12%3A4711",
    RFC: "https://www.rfc-editor.org/rfc/rfc2648",
}


@pytest.fixture
def cache_of_one(front: Front, monkeypatch: pytest.MonkeyPatch) -> OrderedDict[str, Any]:
    """A cache that has room for one profile, and contains that of TREE."""
    monkeypatch.setattr(profile_cache, "MAX_ENTRIES", 1)
    monkeypatch.setattr(profile_cache, "_entries", OrderedDict())
    front.check_passed_on(f"/resolve/{TREE}")
    return profile_cache._entries


@pytest.mark.exhaustive
def test_a_profile_that_is_evicted_during_a_request_stays_usable_for_it(
    front: Front, cache_of_one: OrderedDict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    has_read, is_evicted = Event(), Event()

    def resolve_after_eviction(*arguments: Any) -> Any:
        has_read.set()
        assert is_evicted.wait(timeout=30)
        return resolve(*arguments)

    monkeypatch.setattr(fast_path, "resolve", resolve_after_eviction)
    (before,) = cache_of_one
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(Answered, front.application, f"/resolve/{TREE}")
        assert has_read.wait(timeout=30)
        front.check_passed_on(f"/resolve/{RFC}")
        assert before not in cache_of_one
        passed_on = front.passed_on
        is_evicted.set()
        assert dict(request.result(240).headers)["Location"] == ADDRESSES[TREE]
    assert front.passed_on == passed_on


@pytest.mark.exhaustive
@pytest.mark.usefixtures("cache_of_one")
def test_two_threads_that_evict_each_others_profile_get_their_own_addresses(front: Front) -> None:
    rounds, both_begin, before = 30, Barrier(2), front.passed_on

    def locations(urn: str) -> set[str]:
        found = set()
        for _ in range(rounds):
            both_begin.wait(timeout=30)
            found.add(dict(Answered(front.application, f"/resolve/{urn}").headers)["Location"])
        return found

    assert at_once([partial(locations, urn) for urn in ADDRESSES]) == [{each} for each in ADDRESSES.values()]
    # One of the two profiles is not in the cache when a round begins.
    assert front.passed_on - before >= rounds
