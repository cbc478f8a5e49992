"""Problems, retries and the cache of the Python client, with prepared responses."""

import asyncio
import errno
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from urnregistry import AsyncRegistry, Problem, Registry, Retries, Source, UnexpectedResponse, Unreachable

PACKAGE = Path(__file__).resolve().parents[2] / "clients" / "python" / "pyproject.toml"
VERSION = tomllib.loads(PACKAGE.read_text("utf-8"))["project"]["version"]
URL = "https://registry.example.org"
ISBN: dict[str, Any] = {
    "nid": "isbn", "title": None, "kind": "formal", "number": None, "status": "active", "origin": "iana",
    "version": 1, "registered_on": "2001-01", "updated_on": None, "registrant": None, "purpose": None,
    "references": [], "template_url": None, "changed_at": "2026-06-28T15:13:12.358616Z", "sections": None,
    "versions": [], "deprecation": None, "change_controller": None, "contact": None, "profile": None, "links": {},
    "a_member_of_a_later_version": 1,
}  # fmt: skip
UNKNOWN = {
    "type": f"{URL}/api/v1/problems/namespace-unknown/",
    "title": "No such namespace",
    "status": 404,
    "detail": "“foo” is free.",
    "nid_status": "free",
}
FOUND = httpx.Response(200, json=ISBN, headers={"ETag": '"1"'})
BUSY = httpx.Response(429, json={}, headers={"Retry-After": "7"})


class Server:
    """Responds with the given responses in turn, and keeps the requests. An exception is raised."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers, self.requests, self.pauses = list(answers), list[httpx.Request](), list[float]()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, content=answer.content, headers=answer.headers)

    def lookup(self, **options: Any) -> Any:
        """A lookup with the synchronous client."""
        transport = httpx.MockTransport(self)
        with Registry(URL, transport=transport, sleep=self.pauses.append, **options) as registry:
            return registry.lookup("ISBN")

    def lookup_asynchronously(self, **options: Any) -> Any:
        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        async def run() -> Any:
            transport = httpx.MockTransport(self)
            async with AsyncRegistry(URL, transport=transport, sleep=sleep, **options) as registry:
                return await registry.lookup("ISBN")

        return asyncio.run(run())


Lookup = Callable[..., Any]


@pytest.fixture(params=[Server.lookup, Server.lookup_asynchronously], ids=["sync", "async"])
def lookup(request: pytest.FixtureRequest) -> Lookup:
    found: Lookup = request.param
    return found


def unreachable() -> Exception:
    return httpx.ConnectError("refused")


def test_a_problem_has_its_members_and_the_request_id(lookup: Lookup) -> None:
    headers = {"Content-Type": "application/problem+json", "X-Request-ID": "4711"}
    with pytest.raises(Problem, match="“foo” is free") as raised:
        lookup(Server(httpx.Response(404, content=json.dumps(UNKNOWN), headers=headers)))
    problem = raised.value
    assert (problem.status, problem.name, problem.type) == (404, "namespace-unknown", UNKNOWN["type"])
    assert (problem.title, problem.detail) == ("No such namespace", "“foo” is free.")
    assert (problem.members["nid_status"], problem.request_id) == ("free", "4711")


@pytest.mark.parametrize("status", [301, 404, 502, 599])
def test_an_error_of_a_proxy_is_a_problem_without_a_type(lookup: Lookup, status: int) -> None:
    page = httpx.Response(status, text="<h1>Not here</h1>", headers={"Location": "https://other.example/"})
    server = Server(page)
    with pytest.raises(Problem) as raised:
        lookup(server)
    assert (raised.value.type, raised.value.status) == ("about:blank", status)
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", ["<h1>Welcome</h1>", "[]", '{"nid": "isbn"}', "null"])
def test_a_response_of_another_form_is_an_error(lookup: Lookup, body: str, tmp_path: Path) -> None:
    server = Server(httpx.Response(200, text=body, headers={"ETag": '"1"'}))
    with pytest.raises(UnexpectedResponse):
        lookup(server, cache=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_request_is_repeated_after_the_time_that_the_registry_names(lookup: Lookup) -> None:
    now, later = "Mon, 23 Nov 2026 10:00:00 GMT", "Mon, 23 Nov 2026 10:00:09 GMT"
    by_date = httpx.Response(503, headers={"Date": now, "Retry-After": later})
    server = Server(BUSY, by_date, httpx.Response(503), FOUND)
    assert lookup(server).nid == "isbn"
    assert server.pauses == [7, 9, 4]


def test_the_position_of_the_client_is_sent(lookup: Lookup) -> None:
    without, knowing = Server(FOUND), Server(BUSY, FOUND)
    lookup(without)
    lookup(knowing, sequence=812)
    sent = [each.headers.get("Registry-Sequence") for each in (*without.requests, *knowing.requests)]
    assert sent == [None, "812", "812"]


def test_repetitions_are_bounded(lookup: Lookup) -> None:
    server = Server(*[BUSY] * 10)
    with pytest.raises(Problem):
        lookup(server, retries=Retries(attempts=3))
    assert server.pauses == [7, 7]


@pytest.mark.parametrize(
    ("status", "header"), [(429, "61"), (503, "99999999999999999999"), (500, "1"), (404, "1")]
)
def test_nothing_else_is_waited_for(lookup: Lookup, status: int, header: str) -> None:
    server = Server(httpx.Response(status, headers={"Retry-After": header}))
    with pytest.raises(Problem) as raised:
        lookup(server)
    assert server.pauses == []
    assert raised.value.retry_after == float(header)


def test_a_lookup_is_confirmed_by_its_etag(lookup: Lookup, tmp_path: Path) -> None:
    server = Server(FOUND, httpx.Response(304, headers={"ETag": '"1"'}))
    first, second = lookup(server, cache=tmp_path), lookup(server, cache=tmp_path)
    assert (first.source, second.source) == (Source.REGISTRY, Source.CONFIRMED)
    assert first.with_source(second.source) == second
    assert [each.headers.get("if-none-match") for each in server.requests] == [None, '"1"']


@pytest.mark.parametrize("away", [unreachable(), httpx.Response(502)], ids=["unreachable", "502"])
def test_the_cache_answers_while_the_registry_is_away_and_says_so(
    lookup: Lookup, tmp_path: Path, away: Any
) -> None:
    server = Server(FOUND, away)
    lookup(server, cache=tmp_path)
    assert lookup(server, cache=tmp_path).source == Source.CACHE


def test_offline_no_request_is_made(lookup: Lookup, tmp_path: Path) -> None:
    server = Server(FOUND)
    with pytest.raises(Unreachable, match="offline"):
        lookup(server, cache=tmp_path, offline=True)
    lookup(server, cache=tmp_path)
    assert lookup(server, cache=tmp_path, offline=True).source == Source.CACHE
    assert len(server.requests) == 1


@pytest.mark.parametrize("answer", [unreachable(), httpx.Response(404), httpx.Response(500)])
def test_the_cache_hides_no_other_error(lookup: Lookup, tmp_path: Path, answer: Any) -> None:
    server = Server(FOUND, answer)
    lookup(server, cache=tmp_path)
    is_away = isinstance(answer, Exception)
    with pytest.raises((Problem, Unreachable)):
        lookup(server, cache=tmp_path / "empty" if is_away else tmp_path)


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"address": 1}'])
def test_a_damaged_file_of_the_cache_is_replaced(lookup: Lookup, tmp_path: Path, damage: str) -> None:
    server = Server(FOUND, FOUND)
    lookup(server, cache=tmp_path)
    [file] = tmp_path.iterdir()
    file.write_text(damage)
    assert lookup(server, cache=tmp_path).source == Source.REGISTRY
    assert json.loads(file.read_text())["etag"] == '"1"'


def test_a_cache_that_cannot_be_written_breaks_no_lookup(
    lookup: Lookup, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    server = Server(FOUND, FOUND)
    assert lookup(server, cache=tmp_path / "file" / "cache").source == Source.REGISTRY

    def full(*args: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("urnregistry.cache.json.dump", full)
    assert lookup(server, cache=tmp_path / "cache").source == Source.REGISTRY
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_cache_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="needs a directory"):
        Registry(URL, cache=tmp_path / "file")


def test_a_token_is_sent_to_the_registry_alone(lookup: Lookup) -> None:
    server = Server(FOUND)
    lookup(server, token="secret")
    assert server.requests[0].headers["authorization"] == "Bearer secret"
    assert server.requests[0].headers["user-agent"] == f"urnregistry/{VERSION}"
    with pytest.raises(ValueError, match="https"):
        Registry("http://registry.example.org", token="secret")


@pytest.mark.parametrize("token", ["secret\n", "se\ncret", "se cret", "secr\u00e9t", "\x00secret"])
@pytest.mark.parametrize("client", [Registry, AsyncRegistry])
def test_a_token_that_no_header_can_carry_is_refused_and_not_quoted(client: Any, token: str) -> None:
    with pytest.raises(ValueError, match="The token has") as raised:
        client(URL, token=token)
    assert "cr" not in str(raised.value)  # which is in each of the tokens


@pytest.mark.parametrize("url", ["", "registry.example.org", "ftp://registry.example.org", f"{URL}/?a=b"])
def test_the_address_must_be_one(url: str) -> None:
    with pytest.raises(ValueError, match="is not the address"):
        Registry(url)


def test_both_clients_have_the_same_documented_methods() -> None:
    for name in ("lookup", "resolve", "check", "namespaces", "events", "sync", "verify"):
        assert getattr(Registry, name) is getattr(AsyncRegistry, name)
        assert getattr(Registry, name).__doc__
