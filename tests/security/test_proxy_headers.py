"""Headers of proxies: believed only if there are proxies, and not to be forged."""

import http.client
from contextlib import closing
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import RequestFactory

from registry.api.framework import throttling
from registry.core.http.request_validation import sanitize_request
from registry.environment import read
from tests.security.test_response_headers import headers_of
from tests.support.servers import a_free_port, serving

FORWARDED = {
    "HTTP_X_FORWARDED_FOR": "192.0.2.7",
    "HTTP_X_FORWARDED_PROTO": "https",
    "HTTP_X_FORWARDED_HOST": "elsewhere.example.org",
    "HTTP_FORWARDED": "for=192.0.2.7",
}


@pytest.mark.parametrize(("count", "kept"), [(0, set()), (1, set(FORWARDED))])
def test_headers_of_proxies_are_believed_only_if_there_are_proxies(
    settings: Any, count: int, kept: set[str]
) -> None:
    """A WSGI server gives X_Forwarded_For and X-Forwarded-For one name, so neither is left."""
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = count
    environ = dict(FORWARDED)
    sanitize_request(environ)
    assert environ.keys() == kept


def test_the_access_log_applies_it(settings: Any) -> None:
    seen: list[Any] = []

    def application(environ: Any, start_response: Any) -> HttpResponse:
        seen.append(environ)
        start_response("200 OK", [])
        return HttpResponse()

    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 0
    assert ("Server", "") in headers_of(application, **FORWARDED)
    assert FORWARDED.keys().isdisjoint(seen[0])


# A header that names the client


HEADER = "Clientaddress"
FORGED = [
    {},
    {"X-Forwarded-For": "203.0.113.1"},
    {"X_Forwarded_For": "203.0.113.2"},
    {"x_forwarded_for": "203.0.113.3", "Forwarded": "for=203.0.113.4"},
    {"Client-Address": "203.0.113.5", "Client_Address": "203.0.113.6"},
]


def test_with_it_the_headers_of_addresses_are_ignored(settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER = HEADER
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    environ = FORWARDED | {"HTTP_CLIENTADDRESS": "192.0.2.1"}
    sanitize_request(environ)
    assert environ.keys() == {"HTTP_X_FORWARDED_PROTO", "HTTP_X_FORWARDED_HOST", "HTTP_CLIENTADDRESS"}
    request = RequestFactory().get("/api/v1/", REMOTE_ADDR="10.0.0.1", **environ)
    assert throttling.client_key(request) == "192.0.2.1"


@pytest.mark.parametrize("name", ["Client-Address", "Client_Address", "X-Real-IP", "Clientaddress:"])
def test_its_name_has_no_twin(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("CLIENT_ADDRESS_HEADER", name)
    with pytest.raises(ImproperlyConfigured, match="expected: the name of a header, of letters and digits"):
        read("CLIENT_ADDRESS_HEADER")


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_server_counts_the_client_whatever_else_it_sends(real_database: None) -> None:
    """Behind a proxy that replaces the header, and lets all others pass, also those with an underscore."""
    port = a_free_port()
    limit = len(FORGED)

    def status(address: str, sent: dict[str, str]) -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", "/api/v1/", headers={HEADER: address} | sent)
            return connection.getresponse().status

    with serving(port, CLIENT_ADDRESS_HEADER=HEADER, API_READS_A_MINUTE=str(limit), TRUSTED_PROXY_COUNT="1"):
        assert [status("192.0.2.1", sent) for sent in FORGED] == [200] * limit
        assert [status("192.0.2.1", sent) for sent in FORGED] == [429] * limit
        assert status("192.0.2.2", {}) == 200
