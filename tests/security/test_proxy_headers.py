"""Headers of proxies: believed only if there are proxies, and not to be forged."""

import http.client
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpResponse
from django.test import RequestFactory

from registry.api.framework import throttling
from registry.core.http.request_validation import sanitize_request
from registry.environment import read
from tests.security.test_response_headers import headers_of
from tests.support.databases import a_fresh_database
from tests.support.guides import steps_of
from tests.support.missing import program
from tests.support.proxies import caddy, nginx
from tests.support.servers import a_free_port, serving

FORWARDED = {
    "HTTP_X_FORWARDED_FOR": "192.0.2.7",
    "HTTP_X_FORWARDED_PROTO": "https",
    "HTTP_X_FORWARDED_HOST": "elsewhere.example.org",
    "HTTP_FORWARDED": "for=192.0.2.7",
}


@pytest.mark.parametrize(("count", "kept"), [(0, set()), (1, {"HTTP_X_FORWARDED_PROTO"})])
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
BEHIND_A_PROXY = {
    "ALLOWED_HOSTS": "registry.example.org 127.0.0.1",
    "PUBLIC_ORIGIN": "https://registry.example.org",
    "TRUSTED_PROXY_COUNT": "1",
    "CLIENT_ADDRESS_HEADER": HEADER,
    "API_READS_A_MINUTE": "100000",
}
# The self-check of the guide.
(SELF_CHECK,) = (step.text for step in steps_of("deployment.md") if step.text.startswith("for header in"))
LEFT = re.compile(r"(?i)^ratelimit: .*;r=(\d+)")


def test_with_it_the_headers_of_addresses_are_ignored(settings: Any) -> None:
    settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER = HEADER
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    environ = FORWARDED | {"HTTP_CLIENTADDRESS": "192.0.2.1"}
    sanitize_request(environ)
    assert environ.keys() == {"HTTP_X_FORWARDED_PROTO", "HTTP_CLIENTADDRESS"}
    request = RequestFactory().get("/api/v1/", REMOTE_ADDR="10.0.0.1", **environ)
    assert throttling.client_key(request) == "192.0.2.1"


@pytest.mark.parametrize(
    "stated", ["203.0.113.1,192.0.2.1", "203.0.113.1, 192.0.2.1", "", "unknown", "for=192.0.2.1"]
)
def test_a_proxy_that_adds_to_the_header_or_leaves_it_out_gives_no_address(
    settings: Any, stated: str
) -> None:
    """All its clients share one limit then; none chooses its own."""
    settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER = HEADER
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    request = RequestFactory().get("/api/v1/", REMOTE_ADDR="10.0.0.1", HTTP_CLIENTADDRESS=stated)
    assert throttling.client_key(request) == "no address"


@pytest.mark.parametrize("name", ["Client-Address", "Client_Address", "X-Real-IP", "Clientaddress:"])
def test_its_name_has_no_twin(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("CLIENT_ADDRESS_HEADER", name)
    with pytest.raises(ImproperlyConfigured, match="expected: the name of a header, of letters and digits"):
        read("CLIENT_ADDRESS_HEADER")


@pytest.mark.parametrize(
    ("count", "header", "found"),
    [(0, None, []), (1, HEADER, []), (1, None, ["deployment.E005"]), (0, HEADER, ["deployment.E005"])],
)
def test_proxies_and_the_header_need_each_other(
    settings: Any, count: int, header: str | None, found: list[str]
) -> None:
    settings.ALLAUTH_TRUSTED_PROXY_COUNT, settings.ALLAUTH_TRUSTED_CLIENT_IP_HEADER = count, header
    said = checks.run_checks(include_deployment_checks=True)
    assert [each.id for each in said if each.id == "deployment.E005"] == found


@pytest.mark.processes
@pytest.mark.sampled(2)
@pytest.mark.parametrize("variables", [{"TRUSTED_PROXY_COUNT": "1"}, {"CLIENT_ADDRESS_HEADER": HEADER}])
def test_a_web_process_with_one_alone_does_not_start(variables: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import registry.wsgi"],
        cwd=django_settings.BASE_DIR,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 1
    assert "ImproperlyConfigured: " in done.stderr
    assert all(
        name in done.stderr for name in ("TRUSTED_PROXY_COUNT", "CLIENT_ADDRESS_HEADER", "docs/deployment.md")
    )


# Real proxies, configured by the examples, and the self-check of the guide


@pytest.fixture(scope="module")
def served(the_test_database: None, django_db_blocker: Any) -> Iterator[int]:
    with django_db_blocker.unblock(), a_fresh_database():
        port = a_free_port()
        with serving(port, **BEHIND_A_PROXY):
            yield port


def believed(port: int, folder: Path) -> set[str]:
    """The headers that the registry believed, as the self-check of the guide tells through the proxy at this port."""
    place = f'connect-to = "registry.example.org:443:127.0.0.1:{port}"'
    (folder / ".curlrc").write_text(f"insecure\n{place}\n")
    program("curl")
    done = subprocess.run(
        ["sh", "-ec", SELF_CHECK],
        env=os.environ | {"CURL_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    sent = re.findall(r"'([^']+: [^']+)'", SELF_CHECK.partition("; do")[0])
    left = [int(found[1]) if (found := LEFT.match(line)) else None for line in done.stdout.splitlines()]
    assert len(left) == len(sent)
    assert left[0] is not None
    return {
        header
        for header, before, now in zip(sent[1:], left, left[1:], strict=False)
        if now is None or (before is not None and now >= before)
    }


def believed_twice(port: int, folder: Path) -> set[str]:
    """The same without what a minute that ends between two requests looks like."""
    return believed(port, folder) and believed(port, folder)


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
def test_behind_nginx_nothing_that_a_client_states_is_believed(served: int, tmp_path: Path) -> None:
    with nginx(tmp_path, served) as proxy:
        assert believed_twice(proxy.port, tmp_path) == set()


@pytest.mark.exhaustive
@pytest.mark.processes
@pytest.mark.slow
@pytest.mark.parametrize(
    ("without", "expected"),
    [
        ("no such line", set()),
        ("-*_*", {"X-Forwarded_Proto: http", "X_Forwarded_Proto: http"}),
        ("header_up Clientaddress", {"Clientaddress: 192.0.2.1", "clientaddress: 192.0.2.2"}),
    ],
)
def test_behind_caddy_the_check_of_the_guide_finds_a_line_that_is_missing(
    served: int, tmp_path: Path, without: str, expected: set[str]
) -> None:
    with caddy(tmp_path, served, without=without) as port:
        found = believed_twice(port, tmp_path)
    assert expected <= found
    assert bool(expected) == bool(found)


FORGED = [
    {},
    {"X-Forwarded-For": "203.0.113.1"},
    {"X_Forwarded_For": "203.0.113.2"},
    {"x_forwarded_for": "203.0.113.3", "Forwarded": "for=203.0.113.4"},
    {"Client-Address": "203.0.113.5", "Client_Address": "203.0.113.6"},
]


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
