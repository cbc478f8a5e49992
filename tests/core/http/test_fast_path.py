"""Fast paths take the headers that they do not state from responses of Django that are otherwise equal to theirs."""

from collections.abc import Callable
from typing import Any

import pytest

from registry.core.http import fast_path
from registry.core.http.capacity import BESIDE
from registry.core.http.fast_path import FastPaths, FastResponse, Headers

OWN = [("ETag", '"1"'), ("Content-Length", "4")]
ADDED = [("Vary", "Accept"), ("X-Frame-Options", "DENY")]


class Site:
    """A fast path, and what stands for Django behind it."""

    def __init__(self) -> None:
        self.fast: FastResponse | None = FastResponse("200 OK", OWN, b"fast")
        self.slow: tuple[str, Headers] = ("200 OK", [*ADDED[:1], *OWN, *ADDED[1:]])
        self.beside = list[bool]()
        self.before_responding: Callable[[], object] = lambda: None
        self.application = FastPaths(self._django, {"name": lambda _: self.fast})

    def _django(self, environ: Any, start_response: Any) -> list[bytes]:
        self.beside.append(environ.get(BESIDE, False))
        self.before_responding()
        start_response(self.slow[0], [*self.slow[1]])
        return [b"slow"]

    def get(self, **environ: str) -> tuple[bytes, str, Headers]:
        """The body, the status and the headers of a response."""
        sent: list[Any] = []
        plain = {"REQUEST_METHOD": "GET", "HTTP_HOST": "localhost", "wsgi.url_scheme": "http"}
        body = self.application(plain | environ, lambda *given: sent.extend(given))
        return b"".join(body), sent[0], sorted(sent[1])


@pytest.fixture
def site(settings: Any) -> Site:
    settings.PUBLIC_ORIGIN = "http://localhost"
    return Site()


def test_django_answers_once_for_each_host_and_scheme_and_status(site: Site) -> None:
    for environ in ({}, {"HTTP_HOST": "example.org"}, {"wsgi.url_scheme": "https"}):
        slow, fast = site.get(**environ), site.get(**environ)
        assert (slow[0], fast[0]) == (b"slow", b"fast")
        assert slow[1:] == fast[1:] == ("200 OK", sorted([*OWN, *ADDED]))
    site.fast, site.slow = FastResponse("304 Not Modified", OWN[:1]), ("304 Not Modified", OWN[:1])
    assert [site.get()[0] for _ in range(2)] == [b"slow", b""]
    site.fast = None
    assert site.get()[0] == b"slow"


def test_one_request_to_the_own_origin_at_a_time_does_not_wait(site: Site) -> None:
    def ask_for_another() -> None:
        site.before_responding = lambda: None
        site.get()

    site.before_responding = ask_for_another
    site.get()
    assert site.beside == [True, False]
    site.get(HTTP_HOST="example.net")
    site.fast = None
    site.get()
    assert site.beside == [True, False, False, False]


def test_the_own_headers_of_a_response_are_not_kept(site: Site) -> None:
    site.get()
    site.fast = FastResponse("200 OK", [("ETag", '"2"')], b"other")
    assert site.get() == (b"other", "200 OK", sorted([("ETag", '"2"'), *ADDED]))


@pytest.mark.parametrize(
    "slow",
    [
        ("301 Moved Permanently", [*OWN, *ADDED]),
        ("200 OK", ADDED),
        ("200 OK", [("ETag", '"2"'), OWN[1], *ADDED]),
        ("200 OK", [*OWN, *ADDED, ("Deprecation", "@1")]),
        ("200 OK", [*OWN, *ADDED, ("Set-Cookie", "a=b")]),
        ("503 Service Unavailable", []),
    ],
)
def test_headers_of_another_response_are_not_kept(site: Site, slow: tuple[str, Headers]) -> None:
    site.slow = slow
    assert [site.get()[0] for _ in range(2)] == [b"slow"] * 2


def test_the_number_of_hosts_that_are_kept_is_limited(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast_path, "MAX_PLACES", 2)
    hosts = ("a", "b", "c")
    assert [site.get(HTTP_HOST=host)[0] for host in hosts * 2] == [b"slow"] * 6
    assert [site.get(HTTP_HOST="c")[0] for _ in range(2)] == [b"fast"] * 2


@pytest.mark.parametrize(
    "environ",
    [{"REQUEST_METHOD": "POST"}, {"SCRIPT_NAME": "/x"}, {"HTTP_HOST": ""}, {"HTTP_COOKIE": "a=b"}],
)
def test_other_requests_are_for_django(site: Site, environ: dict[str, str]) -> None:
    site.get()
    assert site.get()[0] == b"fast"
    assert site.get(**environ)[0] == b"slow"
