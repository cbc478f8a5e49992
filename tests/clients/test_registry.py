"""The Python client, synchronous and asynchronous, against a running registry."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
from urnregistry import AsyncRegistry, LocalCopy, Problem, Registry, Source

pytestmark = pytest.mark.processes
NOT_URNS = ["urn:isbn:hello", "urn:isbn:0451450523", "urn:neverheard:x?+r", "urn:a", "nonsense\n\ud800"]


async def listed(stream: Any) -> list[Any]:
    return [each async for each in stream]


def asynchronously(url: str, use: Callable[[AsyncRegistry], Awaitable[Any]]) -> Any:
    async def run() -> Any:
        async with AsyncRegistry(url) as registry:
            return await use(registry)

    return asyncio.run(run())


def test_urns_are_checked_in_order_by_both_clients(registry: Registry, url: str) -> None:
    urns = NOT_URNS * 300  # three requests
    found = list(registry.check(urns))
    assert [each.urn for each in found] == urns
    assert [each.conformant for each in found[:5]] == [False, True, None, False, False]
    assert [each.is_good for each in found[:5]] == [False, True, True, False, False]
    assert found[1].canonical == "urn:isbn:9780451450524"
    assert [type(each) for each in found[2].notes] == [str]
    assert len(set(found)) == len(set(NOT_URNS))
    assert asynchronously(url, lambda other: listed(other.check(urns))) == found


def test_many_nids_are_looked_up_in_order_by_both_clients(registry: Registry, url: str) -> None:
    nids = ["ISBN", "example-forest", "uuid", "not a NID"] * 200  # two requests
    found = list(registry.lookup_many(nids))
    assert [each and each.nid for each in found] == ["isbn", None, "uuid", None] * 200
    assert found[0] == next(each for each in registry.namespaces() if each.nid == "isbn")
    assert asynchronously(url, lambda other: listed(other.lookup_many(nids))) == found


@pytest.mark.exhaustive
def test_many_urns_are_resolved_in_order_by_both_clients(registry: Registry, url: str) -> None:
    urns = ["urn:ietf:rfc:2648", "urn:neverheard:x"] * 300  # two requests
    found = list(registry.resolve_many(urns))
    assert [each.urn for each in found] == urns
    assert found[:2] == [registry.resolve(urn) for urn in urns[:2]]
    assert asynchronously(url, lambda other: listed(other.resolve_many(urns))) == found


def test_the_syntax_alone_is_checked(registry: Registry) -> None:
    found = list(registry.check(NOT_URNS[:4], level="syntax"))
    assert [(each.is_urn, each.is_good, each.conformant) for each in found] == [
        (True, True, None), (True, True, None), (True, True, None), (False, False, None),
    ]  # fmt: skip
    assert "NSS must follow" in (found[3].reason or "")


def test_a_stream_of_urns_is_read_as_the_results_are(registry: Registry) -> None:
    taken: list[int] = []

    def urns() -> Any:
        for number in range(10**9):
            taken.append(number)
            yield f"urn:example:{number}"

    results = registry.check(urns())
    assert next(results).urn == "urn:example:0"
    assert len(taken) < 10_000


def test_all_pages_are_read(registry: Registry, url: str) -> None:
    found = list(registry.namespaces(page_size=20))
    nids = [each.nid for each in found]
    assert len(nids) == len(set(nids)) > 100
    assert nids == sorted(nids)
    assert asynchronously(url, lambda other: listed(other.namespaces(page_size=50))) == found
    deprecated = {each.nid for each in found if each.is_deprecated}
    assert {each.nid for each in registry.namespaces(status="deprecated")} == deprecated


@pytest.mark.exhaustive
def test_a_lookup_is_confirmed_by_the_registry(url: str, tmp_path: Path) -> None:
    with Registry(url, cache=tmp_path) as registry:
        # The first response after a change may be compressed, and then has an ETag of its own.
        sources = [registry.lookup("isbn").source for _ in range(3)]
    assert (sources[0], sources[-1]) == (Source.REGISTRY, Source.CONFIRMED)


def test_a_refused_filter_is_a_problem(registry: Registry) -> None:
    with pytest.raises(Problem) as raised:
        list(registry.namespaces(kind="none"))
    assert raised.value.status == 400
    assert raised.value.request_id


def test_events_are_read_without_gaps(registry: Registry) -> None:
    numbers = [each.number for each in registry.events(since=10, page_size=100)]
    assert numbers == [*range(11, numbers[-1] + 1)]
    assert len(numbers) > 100
    of_a_case = list(registry.events(verb="submit"))
    assert of_a_case
    assert {each.verb for each in of_a_case} == {"submit"}
    with pytest.raises(Problem) as raised:
        list(registry.events(since=10**6))
    assert (raised.value.status, raised.value.name) == (409, "log-behind")
    assert raised.value.members["last"] == numbers[-1]


@pytest.mark.exhaustive
def test_the_asynchronous_client_makes_the_same_copy(registry: Registry, url: str, tmp_path: Path) -> None:
    with LocalCopy(tmp_path / "one") as one, LocalCopy(tmp_path / "other") as other:
        made = registry.sync(one)
        assert asynchronously(url, lambda client: client.sync(other)) == made
        assert list(one.namespaces()) == list(other.namespaces())
        assert list(one.events()) == list(other.events())
        assert one.head == other.head


def test_a_response_takes_the_newest_event_into_account(registry: Registry, url: str) -> None:
    assert registry.sequence is None
    newest = max(event.number for event in registry.events())
    assert registry.sequence == newest
    with Registry(url, sequence=newest) as other:
        assert other.lookup("isbn").nid == "isbn"
        next(other.events())
        assert other.sequence == newest


def test_a_lookup_has_the_members_of_the_api(registry: Registry, url: str) -> None:
    found = next(
        each
        for each in (registry.lookup(each.nid) for each in registry.namespaces())
        if each.change_controller
    )
    assert found.sections
    assert found.profile
    assert found.contact
    body = httpx.get(f"{url}/api/v1/namespaces/{found.nid}/").json()
    sections = dict(body["sections"])
    assert asdict(found.sections.registrant) == sections.pop("registrant")
    assert found.sections.version == sections.pop("version") == found.version
    assert found.sections.texts == {name: text for name, text in sections.items() if text}
    assert json.loads(json.dumps(asdict(found.profile))) == body["profile"]
    assert found.contact.confirmed_at.isoformat().replace("+00:00", "Z") == body["contact"]["confirmed_at"]
    assert asdict(found.change_controller).items() <= body["change_controller"].items()


@pytest.mark.exhaustive
def test_the_file_has_what_a_lookup_has(registry: Registry, tmp_path: Path) -> None:
    with LocalCopy(tmp_path / "copy") as copy:
        registry.sync(copy)
        namespaces = list(copy.namespaces())
    for each in namespaces:
        assert registry.lookup(each.nid).with_source(each.source) == each
    for part in ("sections", "profile", "contact", "change_controller"):
        assert any(getattr(each, part) for each in namespaces), part
