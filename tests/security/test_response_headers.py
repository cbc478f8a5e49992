"""Headers and cookies that protect visitors, on every kind of response."""

import http.client
import subprocess
import sys
from contextlib import closing
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.models import Kind, Namespace
from registry.observability.access_log import AccessLog
from tests.support.databases import environment_of_a_process
from tests.support.servers import a_free_port, serving

PUBLIC_PAGES = ("/", "/namespaces/", "/cases/", "/guide/", "/urns/", "/accounts/login/", "/nothing-here/")
PRIVATE_PAGES = ("/cases/mine/", "/accounts/tokens/", "/accounts/email/", "/accounts/password/change/")
SHARED = ("/api/v1/namespaces/", "/api/v1/nothing-here/", "/api/nothing-here/")


@pytest.fixture
def signed_in(client: Client, administrator: User) -> Client:
    client.force_login(administrator)
    return client


@pytest.mark.parametrize("path", [*PUBLIC_PAGES, *PRIVATE_PAGES, "/admin/", "/desk/"])
def test_a_page_of_a_signed_in_user_is_not_stored(signed_in: Client, path: str) -> None:
    response = signed_in.get(path)
    assert response.status_code in {200, 302, 404}
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("path", PUBLIC_PAGES)
@pytest.mark.django_db
def test_a_page_of_a_stranger_may_be_stored(client: Client, path: str) -> None:
    assert "private, no-store" not in client.get(path).get("Cache-Control", "")


def test_files_and_the_api_are_the_same_for_all_and_may_be_stored(signed_in: Client) -> None:
    for path in ("/registry/urn-namespaces.xml", "/api/v1/namespaces/"):
        assert signed_in.get(path)["Cache-Control"] == "public, no-cache"


@pytest.mark.parametrize("path", [*PUBLIC_PAGES, "/metrics", "/health", "/registry/urn-namespaces.xml"])
@pytest.mark.django_db
def test_every_response_but_the_apis_names_the_features_that_no_page_uses(client: Client, path: str) -> None:
    policy = client.get(path)["Permissions-Policy"]
    for feature in ("camera", "geolocation", "microphone", "payment", "usb"):
        assert f"{feature}=()" in policy.split(", ")


@pytest.mark.django_db
def test_a_page_with_a_failed_precondition_has_the_headers_of_the_page(client: Client) -> None:
    page, refused = client.get("/guide/"), client.get("/guide/", headers={"If-Match": '"1"'})
    assert (refused.status_code, refused.content) == (412, b"")
    assert refused["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in refused["Content-Security-Policy"]
    assert page.headers.keys() - refused.headers.keys() <= {"Content-Length"}


@pytest.mark.django_db
def test_other_sites_embed_only_what_their_scripts_may_read(client: Client) -> None:
    for path in (*PUBLIC_PAGES, "/health", "/registry/urn-namespaces.xml"):
        assert client.get(path)["Cross-Origin-Resource-Policy"] == "same-origin", path
    for path in SHARED:
        assert client.get(path)["Cross-Origin-Resource-Policy"] == "cross-origin", path


# A page that is also a file has a policy of its own, without scripts.
POLICIES = {
    "/registry/urn-namespaces.html": {
        "default-src": {"'none'"},
        "base-uri": {"'none'"},
        "frame-ancestors": {"'none'"},
    }
}
POLICY = {
    "default-src": {"'self'"},
    "img-src": {"'self'", "data:"},
    "object-src": {"'none'"},
    "base-uri": {"'none'"},
    "form-action": {"'self'"},
    "frame-ancestors": {"'none'"},
}
PAGES = [*PUBLIC_PAGES, *PRIVATE_PAGES, "/admin/", "/desk/", "/api/", "/api/guide/", *POLICIES]


@pytest.mark.parametrize("path", PAGES)
def test_the_policy_of_a_page_allows_this_host_alone_and_no_inline_scripts(
    signed_in: Client, path: str
) -> None:
    response = signed_in.get(path, follow=True)
    policy = {
        name: set(sources)
        for name, *sources in map(str.split, response["Content-Security-Policy"].split(";"))
    }
    styles = policy.pop("style-src", set())  # of that file, by their digest
    assert all(each.startswith("'sha256-") for each in styles)
    assert policy == POLICIES.get(path, POLICY)


NAMES = "print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.SESSION_COOKIE_SECURE)"
OVER_HTTPS = "print(settings.SECURE_SSL_REDIRECT, getattr(settings, 'SECURE_HSTS_SECONDS', 0) >= 31_536_000)"


def said_with(origin: str, code: str) -> str:
    """What a process of a registry with this `PUBLIC_ORIGIN` prints."""
    done = subprocess.run(
        [sys.executable, "-c", f"from django.conf import settings; {code}"],
        env=environment_of_a_process() | {"PUBLIC_ORIGIN": origin},
        cwd=django_settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    return done.stdout.strip()


@pytest.mark.processes
@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("https://registry.example.org", "__Host-sessionid __Host-csrftoken True"),
        ("http://localhost:8000", "sessionid csrftoken False"),
    ],
)
def test_cookies_belong_to_one_host_over_https(origin: str, expected: str) -> None:
    assert said_with(origin, NAMES) == expected


@pytest.mark.processes
def test_a_deployment_over_https_leads_there_and_stays_there() -> None:
    """That SecurityMiddleware then sends the header: tests/api/namespaces/fast_paths/test_responses.py."""
    assert said_with("https://registry.example.org", OVER_HTTPS) == "True True"


def test_no_cookie_has_a_domain_or_a_path_below_the_root() -> None:
    """Browsers reject those with the prefix __Host-."""
    assert (django_settings.SESSION_COOKIE_DOMAIN, django_settings.CSRF_COOKIE_DOMAIN) == (None, None)
    assert (django_settings.SESSION_COOKIE_PATH, django_settings.CSRF_COOKIE_PATH) == ("/", "/")


@pytest.mark.django_db
def test_a_message_needs_no_cookie_of_its_own(signed_in: Client) -> None:
    signed_in.post("/accounts/logout/")
    assert signed_in.cookies.keys() <= {"sessionid", "csrftoken"}


def headers_of(application: Any, **environ: Any) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    plain = {"REQUEST_METHOD": "GET", "PATH_INFO": "/"}
    AccessLog(application)(plain | environ, lambda _status, headers: found.extend(headers))  # type: ignore[arg-type]
    return found


@pytest.mark.exhaustive
@pytest.mark.processes
def test_no_response_names_the_software_of_the_server(real_database: None) -> None:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL)
    port = a_free_port()
    with serving(port):
        for path in (
            "/",
            "/api/v1/namespaces/isbn/",
            "/api/v1/namespaces/isbn/",
            "/static/site.css",
            "/nothing/",
        ):
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.request("GET", path)
                response = connection.getresponse()
                assert response.headers.get_all("Server") in (None, [""]), path
                assert "granian" not in str(response.headers).lower()
