"""The Python client against a registry that means harm: each answer ends in bounded work and an error of the client."""

import asyncio
import gzip
import json
import socketserver
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from urnregistry import (
    AsyncRegistry,
    LocalCopy,
    Problem,
    Registry,
    RegistryError,
    Retries,
    Source,
    UnexpectedResponse,
    Unreachable,
    WrongSignature,
    cli,
    client,
)
from urnregistry.syncing import verify_note

from tests.clients.test_exchange import ISBN, URL

DEEP = "[" * 200_000
HUGE = 10**30
EVENT: dict[str, Any] = {
    "number": 1, "is_public": True, "at": "2026-06-28T15:13:12Z", "verb": "import", "actor": None, "case": None,
    "nid": "isbn", "from_state": None, "to_state": None, "reason": None, "text_digest": None, "details": {},
    "digest": "0" * 64, "links": {"namespace": f"{URL}/api/v1/namespaces/isbn/"},
}  # fmt: skip
HEAD = {"number": 1, "digest": "0" * 64}


def serving(answers: Mapping[str, Any]) -> Registry:
    """A client of a registry with these bodies, or responses, by the end of the path."""

    def answer(request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/v1/")
        for ending, body in answers.items():
            if path.startswith(ending):
                if isinstance(body, httpx.Response):
                    return httpx.Response(body.status_code, content=body.content, headers=body.headers)
                return httpx.Response(200, content=body if isinstance(body, str) else json.dumps(body))
        return httpx.Response(404, json={})

    return Registry(URL, transport=httpx.MockTransport(answer), sleep=lambda _: None)


NAMESPACES = {
    "nested too deep": DEEP,
    "in UTF-16": json.dumps(ISBN).encode("utf-16").decode("latin-1"),
    "a moment before the first": {**ISBN, "changed_at": "0001-01-01T00:00:00+23:59"},
    "a number of 5000 digits": json.dumps(ISBN).replace("null", "9" * 5000, 1),
    "another directory as NID": {**ISBN, "nid": "../../admin"},
    "an object as NID": {**ISBN, "nid": {}},
    "half a character as NID": {**ISBN, "nid": "\ud800"},
    "a profile without a grammar": {**ISBN, "profile": {"version": 1}},
    "a list": [],
    "a prototype": {"__proto__": ISBN, "__class__": "x"},
}


@pytest.mark.parametrize("body", NAMESPACES.values(), ids=NAMESPACES.keys())
def test_a_malformed_namespace_is_an_unexpected_response(body: Any) -> None:
    with serving({"namespaces/": body}) as registry, pytest.raises(UnexpectedResponse) as raised:
        registry.lookup("isbn")
    assert len(str(raised.value)) < 400


PROBLEMS = {
    "nested too deep": (DEEP, {}),
    "texts that are lists": (json.dumps({"title": [[]], "detail": {"a": 1}, "type": 5}), {}),
    "a date after all dates": ("{}", {"Retry-After": "Fri, 31 Dec 9999 23:59:59 -2359", "Date": "x"}),
    "a date before all dates": (
        "{}",
        {"Retry-After": "Mon, 01 Jan 0001 00:00:00 +2359", "Date": "Mon, 01 Jan 0001 00:00:00 +2359"},
    ),
    "a date without a zone": (
        "{}",
        {"Retry-After": "Mon, 01 Jan 0001 00:00:00 -0000", "Date": "Mon, 01 Jan 0001 00:00:00 -0000"},
    ),
    "a zone of years": ("{}", {"Retry-After": "Mon, 01 Jan 2026 00:00:00 +99999999999", "Date": "x"}),
    "no number": ("{}", {"Retry-After": "NaN"}),
    "a negative number": ("{}", {"Retry-After": "-1"}),
    "infinity": ("{}", {"Retry-After": "9" * 400}),
}


@pytest.mark.parametrize(("body", "headers"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_a_malformed_problem_is_a_problem(body: str, headers: dict[str, str]) -> None:
    pauses: list[float] = []
    response = httpx.Response(
        429, content=body, headers={"Content-Type": "application/problem+json"} | headers
    )
    transport = httpx.MockTransport(
        lambda _: httpx.Response(429, content=response.content, headers=response.headers)
    )
    with (
        Registry(URL, transport=transport, sleep=pauses.append, retries=Retries(3, 5)) as registry,
        pytest.raises(RegistryError),
    ):
        registry.lookup("isbn")
    assert all(0 <= each <= 5 for each in pauses)
    assert len(pauses) < 3


LISTS = {
    "the same page": [{"results": [EVENT], "has_more": True, "next": "?since=0"}],
    "a circle of pages": [
        {"results": [EVENT], "has_more": True, "next": "?since=5"},
        {"results": [EVENT], "has_more": True, "next": "?since=0"},
    ],
    "empty pages": [{"results": [], "has_more": True, "next": "?since=7"}],
    "no address": [{"results": [EVENT], "has_more": True, "next": None}],
    "a NID that leads elsewhere": [{"results": [{**EVENT, "nid": ".."}], "has_more": False, "next": None}],
    "an event without links": [{"results": [{**EVENT, "links": None}], "has_more": False, "next": None}],
    "a number of another kind": [{"results": [{**EVENT, "number": "1"}], "has_more": False, "next": None}],
    "a number that no table holds": [{"results": [{**EVENT, "number": HUGE}], "has_more": False, "next": None}],
}  # fmt: skip


@pytest.mark.parametrize("pages", LISTS.values(), ids=LISTS.keys())
def test_a_list_ends(pages: list[dict[str, Any]]) -> None:
    asked: list[httpx.URL] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url)
        if len(asked) > 20:
            raise AssertionError("The list has no end.")
        return httpx.Response(200, json=pages[(len(asked) - 1) % len(pages)])

    with Registry(URL, transport=httpx.MockTransport(answer)) as registry, pytest.raises(UnexpectedResponse):
        list(registry.events())
    assert len(asked) <= 2
    assert {each.host for each in asked} == {"registry.example.org"}


def test_another_host_gets_no_page_and_no_token() -> None:
    asked: list[httpx.Request] = []
    pages = iter(
        [
            {"results": [EVENT], "has_more": True, "next": "https://thief.example/api/v1/events/?since=1"},
            {"results": [], "has_more": False, "next": None},
        ]
    )

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json=next(pages))

    with Registry(URL, token="secret", transport=httpx.MockTransport(answer)) as registry:
        assert len(list(registry.events())) == 1
    assert [each.url.host for each in asked] == ["registry.example.org"] * 2


@pytest.mark.parametrize("nid", ["", ".", ".."])
def test_a_nid_leads_to_no_other_path(nid: str) -> None:
    with serving({}) as registry, pytest.raises(ValueError, match="is not a NID"):
        registry.lookup(nid)


COPIES = {
    "a head that no table holds": {"events/head/": {**HEAD, "number": HUGE}},
    "a head that is a text": {"events/head/": {**HEAD, "number": "1"}},
    "a head without a digest": {"events/head/": {**HEAD, "digest": None}},
    "a signed head that no table holds": {"audit-log/": {"size": HUGE, "root_hash": "", "note": ""}},
    "a signed head of lists": {"audit-log/": {"size": 1, "root_hash": [], "note": {}}},
    "an event that no table holds": {
        "events/": {"results": [{**EVENT, "number": HUGE}], "has_more": False, "next": None}
    },
    "a file after all events": {"files/": httpx.Response(200, headers={"Log-Position": "9" * 30})},
    "a file before all events": {"files/": httpx.Response(200, headers={"Log-Position": "-5"})},
    "a file of no lines": {"files/": httpx.Response(200, text=DEEP, headers={"Log-Position": "0"})},
    "a file with a profile of no kind": {
        "files/": httpx.Response(
            200,
            text=json.dumps({**ISBN, "versions_of_profile": [{"content": {"title": "x", "names": {}}, "version": 1}]}),
            headers={"Log-Position": "0"},
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("answers", COPIES.values(), ids=COPIES.keys())
def test_a_copy_takes_nothing_malformed(answers: dict[str, Any], tmp_path: Path) -> None:
    good = {
        "files/": httpx.Response(200, headers={"Log-Position": "0"}),
        "events/head/": HEAD,
        "audit-log/": {"size": 1, "root_hash": "", "note": ""},
    }
    with (
        serving(
            {**answers, **{name: body for name, body in good.items() if name not in answers}}
        ) as registry,
        LocalCopy(tmp_path / "copy") as copy,
    ):
        with pytest.raises(RegistryError):
            registry.sync(copy)
        assert list(copy.events()) == []


def test_what_a_proxy_changes_is_named(tmp_path: Path) -> None:
    with serving({"files/": ""}) as registry, LocalCopy(tmp_path / "copy") as copy:
        with pytest.raises(UnexpectedResponse, match="without the header Log-Position"):
            registry.sync(copy)
        with pytest.raises(Problem, match=f"^The address is {URL}/api/v1/namespaces/isbn/$") as raised:
            registry.lookup("isbn")
    assert raised.value.title == "404 Not Found"
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("etag", ['"é"', '"\x85"'])
def test_an_etag_that_can_not_be_sent_back_is_not_kept(etag: str, tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=ISBN, headers=[(b"ETag", etag.encode("latin-1"))])

    for _ in range(2):
        with Registry(URL, transport=httpx.MockTransport(answer), cache=tmp_path) as registry:
            assert registry.lookup("isbn").source == Source.REGISTRY


KEY = "registry.example.org/audit-log+5e8b6c61+AQAA"


@pytest.mark.parametrize("note", ["", "\n\n", "a\n1\nb\n\n— a é\n", "a\n1\nb\n\n— a AAAA\n" * 3])
def test_a_malformed_note_has_no_valid_signature(note: str) -> None:
    with pytest.raises((WrongSignature, ValueError)):
        verify_note(note, 1, "b", [KEY])
    with pytest.raises(ValueError, match="not a verifier key"):
        verify_note(note, 1, "b", ["a+é+é"])
    with pytest.raises(WrongSignature):
        verify_note(note, 1, "b", [])


HARMFUL = "\x1b]0;owned\x07\x9b2J\r\n  use instead: \u202efi\u2028\ud800"


def test_a_terminal_is_not_controlled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(status: int, body: dict[str, Any], *arguments: str) -> str:
        headers = {"Content-Type": "application/problem+json" if status >= 400 else "application/json"}
        transport = httpx.MockTransport(
            lambda _: httpx.Response(status, content=json.dumps(body), headers=headers)
        )
        monkeypatch.setattr(cli, "Registry", lambda url, **_: Registry(url, transport=transport))
        cli.main([*arguments, "--url", URL])
        said = capsys.readouterr()
        return said.out + said.err

    texts = [
        run(200, {**ISBN, "title": HARMFUL, "references": [{"type": "x", "label": HARMFUL, "target": HARMFUL}]}, "lookup", "isbn"),
        run(404, {"title": HARMFUL, "detail": HARMFUL, "type": f"{URL}/namespace-unknown/"}, "lookup", "isbn"),
        run(400, {"title": HARMFUL, "detail": HARMFUL}, "lookup", "isbn"),
        run(200, {"results": [{"urn": "a", "address": HARMFUL, "kind": None, "reason": HARMFUL}]}, "resolve", "a"),
        run(200, {"results": [{"urn": "a", "address": None, "kind": None, "reason": HARMFUL}]}, "resolve", "a"),
        run(200, {"is_urn": False, "reason": HARMFUL}, "check", "a"),
    ]  # fmt: skip
    for text in texts:
        assert text
        assert not set(text) & set("\x1b\x07\x9b\r\u202e\u2028\ud800"), text
        assert "\n  use instead" not in text
        text.encode()


# A server that speaks HTTP badly


@contextmanager
def a_server(*parts: bytes, pause: float = 0.0, endless: bool = False) -> Iterator[str]:
    """Sends the parts to every client, then the last one without an end if `endless`."""
    ended = threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            try:
                for part in parts:
                    self.request.sendall(part)
                while endless and not ended.wait(pause):
                    self.request.sendall(parts[-1])
            except OSError:
                pass

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            ended.set()
            server.shutdown()
            thread.join(timeout=10)


def lookup(url: str) -> Any:
    with Registry(url) as registry:
        return registry.lookup("isbn")


def lookup_asynchronously(url: str) -> Any:
    async def run() -> Any:
        async with AsyncRegistry(url) as registry:
            return await registry.lookup("isbn")

    return asyncio.run(run())


BOTH = pytest.mark.parametrize("ask", [lookup, lookup_asynchronously], ids=["sync", "async"])
OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
ZEROS = gzip.compress(bytes(4 * 1024**2))


@BOTH
@pytest.mark.parametrize("status", [b"200 OK", b"404 Not Found"])
def test_a_body_without_an_end_is_left(ask: Any, status: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_BODY", 2 * 1024**2)
    start = b"HTTP/1.1 %s\r\nConnection: close\r\n\r\n" % status
    with (
        a_server(start, bytes(65536), endless=True) as url,
        pytest.raises(UnexpectedResponse, match="longer"),
    ):
        ask(url)


@BOTH
def test_a_bomb_is_left(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_BODY", 1024**2)
    bomb = OK + b"Content-Encoding: gzip\r\n\r\n" + ZEROS
    with a_server(bomb) as url, pytest.raises(UnexpectedResponse, match="longer"):
        ask(url)


@BOTH
@pytest.mark.parametrize("coding", [b"gzip, gzip", b"gzip,gzip,gzip", b"br", b"zstd", b"deflate, gzip", b"x"])
def test_a_coding_upon_a_coding_is_not_opened(ask: Any, coding: bytes) -> None:
    bomb = OK + b"Content-Encoding: %s\r\n\r\n" % coding + gzip.compress(ZEROS)
    with a_server(bomb) as url, pytest.raises(UnexpectedResponse, match="coding"):
        ask(url)


@BOTH
def test_a_body_that_drips_is_left(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "PATIENCE", 0.2)
    begun = time.monotonic()
    with (
        a_server(OK + b"\r\n", b" ", pause=0.05, endless=True) as url,
        pytest.raises(Unreachable, match="slowly"),
    ):
        ask(url)
    assert time.monotonic() - begun < 60


def test_a_file_without_an_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_FILE", 2 * 1024**2)
    start = OK + b"Log-Position: 0\r\n\r\n"
    with (
        a_server(start, bytes(65536), endless=True) as url,
        Registry(url) as registry,
        LocalCopy(tmp_path / "copy") as copy,
        pytest.raises(UnexpectedResponse, match="longer"),
    ):
        registry.sync(copy)


def test_a_redirect_is_not_followed() -> None:
    with a_server(b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") as thief:
        answer = f"HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: {thief}/\r\nContent-Length: 0\r\n\r\n"
        with (
            a_server(answer.encode()) as url,
            Registry(url, token="secret") as registry,
            pytest.raises(RegistryError),
        ):
            registry.lookup("isbn")


def test_a_long_line_of_the_file_is_not_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    from urnregistry import syncing

    monkeypatch.setattr(syncing, "MAX_LINE", 100)
    with pytest.raises(ValueError, match="line 1"):
        list(syncing._lines_of(BytesIO(json.dumps(ISBN).encode())))
