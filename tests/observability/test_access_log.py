"""The access log: request ids, log lines and metrics for every request."""

import http.client
import io
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from select import PIPE_BUF
from threading import Thread
from typing import Any

import pytest
from django.conf import settings
from django.test import Client, override_settings

from registry.namespaces.models import Kind, Namespace
from registry.observability.access_log import AccessLog
from tests.support.databases import environment_of_a_process
from tests.support.servers import a_free_port, serving

FIELDS = ["time", "request_id", "method", "path", "query", "route", "status", "ms"]


@dataclass
class Asked:
    """Send one request to `AccessLog`; return the response headers and the log line."""

    headers: dict[str, str]
    logged: dict[str, Any]


def empty(environ: Any, start_response: Any) -> list[bytes]:
    start_response("204 No Content", [])
    return [b""]


@pytest.fixture
def ask(capfd: pytest.CaptureFixture[str]) -> Any:
    def application(environ: Any, start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"] == "/mistake/":
            raise LookupError
        return empty(environ, start_response)

    def ask(path: str = "/", **environ: str) -> Asked:
        headers: list[tuple[str, str]] = []
        plain = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "wsgi.input": io.BytesIO()}
        access = AccessLog(application)
        with suppress(LookupError):
            access(plain | environ, lambda _status, given: headers.extend(given))
        access.writer.flush()
        (line,) = capfd.readouterr().out.splitlines()
        return Asked(dict(headers), json.loads(line))

    return ask


def test_a_log_line_describes_request_and_response(ask: Any) -> None:
    logged = ask("/namespaces/isbn/", REQUEST_METHOD="HEAD").logged
    assert list(logged) == FIELDS
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", logged["time"])
    assert (logged["method"], logged["path"], logged["status"]) == ("HEAD", "/namespaces/isbn/", 204)
    assert logged["ms"] >= 0


def test_a_response_has_an_id_which_is_in_the_log(ask: Any) -> None:
    first, second = ask(), ask()
    assert re.fullmatch("[0-9a-f]{32}", first.headers["X-Request-ID"])
    assert first.headers["X-Request-ID"] == first.logged["request_id"] != second.logged["request_id"]


def test_concurrent_requests_are_all_logged_with_unique_ids(capfd: pytest.CaptureFixture[str]) -> None:
    access = AccessLog(empty)
    ids: list[str] = []

    def ask() -> None:
        for _ in range(200):
            environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/"}
            access(environ, lambda _status, headers: ids.append(dict(headers)["X-Request-ID"]))  # type: ignore[arg-type]

    askers = [Thread(target=ask, daemon=True) for _ in range(4)]
    for each in askers:
        each.start()
    for each in askers:
        each.join(60)
    access.writer.flush()  # also waits for a flush of the thread
    logged = [json.loads(line)["request_id"] for line in capfd.readouterr().out.splitlines()]
    assert sorted(logged) == sorted(ids)
    assert len(set(ids)) == 800


@pytest.mark.parametrize(
    "given", ["a", "0af7651916cd43dd8448eb211c80319c", "1-67891233-abcdef.012_x", "a" * 64]
)
def test_the_id_that_a_proxy_gave_is_kept(ask: Any, given: str) -> None:
    asked = ask(HTTP_X_REQUEST_ID=given)
    assert asked.headers["X-Request-ID"] == asked.logged["request_id"] == given


@pytest.mark.parametrize(
    "given", ["", "a\n", "a b", 'a"', "a\r\nSet-Cookie: b", "é", "٣", "<script>", "a" * 65]
)
def test_an_invalid_id_is_replaced(ask: Any, given: str) -> None:
    assert re.fullmatch("[0-9a-f]{32}", ask(HTTP_X_REQUEST_ID=given).headers["X-Request-ID"])


@pytest.mark.parametrize(("path", "shown"), [
    ("/\u00c3\u00a9", "/é"),
    ("/\u00e9", "/\ufffd"),
    ('/"\n{\\', '/"\n{\\'),
    ("/accounts/password/reset/key/1-secret/", "/accounts/…"),
    ("/cases/unsubscribe/key/", "/cases/unsubscribe/…"),
    ("/namespaces/isbn/claims/1/object/key/", "/namespaces/isbn/claims/1/object/…"),
    ("/namespaces/isbn/contact/confirm/key/", "/namespaces/isbn/contact/confirm/…"),
    ("/namespaces/isbn/claims/1/", "/namespaces/isbn/claims/1/"),
    ("/api/v1/urns/urn:isbn:1/", "/api/v1/urns/urn:isbn:1/"),
    ("/" + "a" * 499, "/" + "a" * 499),
    ("/" + "a" * 500, "/" + "a" * 499 + "…"),
])  # fmt: skip
def test_any_path_makes_one_line_and_a_key_none(ask: Any, path: str, shown: str) -> None:
    assert ask(path).logged["path"] == shown


@pytest.mark.parametrize("octet", ["\x01", "\xff", '"'])
def test_no_line_is_so_long_that_two_processes_could_mix_theirs(
    capfd: pytest.CaptureFixture[str], octet: str
) -> None:
    environ = {"REQUEST_METHOD": octet * 70_000, "PATH_INFO": octet * 70_000, "HTTP_X_REQUEST_ID": "a" * 64}
    environ["registry.route"] = "cases:" + "a" * 40
    environ["QUERY_STRING"] = f"{octet * 100}=&" * 700
    access = AccessLog(lambda *_: [b""])
    access(environ, lambda *_: None)
    access.writer.flush()
    assert 0 < len(capfd.readouterr().out) <= PIPE_BUF


def test_lines_are_written_in_atomic_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Lines stay complete while other workers write to the same pipe."""
    pieces: list[bytes] = []
    monkeypatch.setattr("registry.observability.access_log._write", pieces.append)
    access = AccessLog(empty)
    for number in range(200):
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": f"/{number}" + "a" * (number * 7 % 500)}
        access(environ, lambda *_: None)  # type: ignore[arg-type]
    access.writer.flush()
    assert all(len(piece) <= PIPE_BUF and piece.endswith(b"\n") for piece in pieces)
    assert 5 < len(pieces) < 50
    paths = [json.loads(line)["path"] for line in b"".join(pieces).splitlines()]
    assert [path.strip("/a") for path in paths] == [str(number) for number in range(200)]


@pytest.mark.parametrize(("query", "names"), [
    ("", []),
    ("a=secret", ["a"]),
    ("body__regex=%5Esecret&o=1", ["body__regex", "o"]),
    ("%62ody%5F_regex=secret&a=", ["body__regex", "a"]),
    ("secret", ["…"]),
    ("a=secret=secret&&secret;b=secret", ["a", "…", "secret?b"]),
    ('<"\\\u00e9>=secret', ["?????"]),
    ("n" * 41 + "=secret", ["n" * 40]),
    ("n" * 5000 + "=secret", ["…"]),
    ("&".join(f"p{number}=secret" for number in range(11)), [*(f"p{number}" for number in range(10)), "…"]),
])  # fmt: skip
def test_of_a_query_only_the_names_of_parameters_are_logged(ask: Any, query: str, names: list[str]) -> None:
    assert ask("/", QUERY_STRING=query).logged["query"] == names


def test_a_failed_request_is_logged_with_status_500(ask: Any) -> None:
    assert ask("/mistake/").logged["status"] == 500


# The figures


@pytest.mark.django_db
def test_metrics_are_returned_with_the_token(client: Client) -> None:
    with override_settings(METRICS_TOKEN="a-token"):
        response = client.get("/metrics", headers={"authorization": "Bearer a-token"})
    assert response.status_code == 200
    assert response["Content-Type"].startswith("text/plain")
    assert b"# TYPE registry_request_seconds histogram" in response.content


@pytest.mark.parametrize(("token", "shown"), [
    ("a-token", None),
    ("a-token", ""),
    ("a-token", "Bearer "),
    ("a-token", "Bearer a-toke"),
    ("a-token", "Bearer a-token\n"),
    ("a-token", "Bearer á-token"),
    ("a-token", "Basic a-token"),
    ("a-token", "a-token"),
    ("", None),
    ("", "Bearer "),
    ("", "Bearer"),
])  # fmt: skip
@pytest.mark.django_db
def test_metrics_are_not_found_without_the_token(client: Client, token: str, shown: str | None) -> None:
    headers = {} if shown is None else {"authorization": shown}
    with override_settings(METRICS_TOKEN=token):
        assert client.get("/metrics", headers=headers).status_code == 404


# All of it, by the server


@pytest.fixture
def port(real_database: None, tmp_path: Path) -> Iterator[int]:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL)
    port = a_free_port()
    (tmp_path / "figures").mkdir()
    figures = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "figures"), "METRICS_TOKEN": "a-token"}
    with serving(port, workers=2, log=tmp_path / "log", **figures):
        yield port


def get(port: int, path: str, **headers: str) -> tuple[int, str | None, str]:
    """Return status, id and body from a random worker."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, response.headers["X-Request-ID"], response.read().decode()


def lines_of(log: Path, ids: list[str | None]) -> list[dict[str, Any]]:
    """Return the log lines of these requests, after waiting for all of them."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        whole = log.read_text().rpartition("\n")[0]
        lines = [json.loads(line) for line in whole.splitlines() if line.startswith("{")]
        found = {line["request_id"]: line for line in lines}
        if found.keys() >= set(ids):
            return [found[str(each)] for each in ids]
        time.sleep(0.02)
    raise AssertionError("the log does not say anything of some of them")


@pytest.mark.exhaustive
def test_fast_lookups_and_other_requests_are_counted_and_logged_alike(port: int, tmp_path: Path) -> None:
    paths = (
        ["/api/v1/namespaces/isbn/"] * 12 + ["/api/v1/nids/isbn/"] * 3 + ["/api/v1/namespaces/nobody/"] * 2
    )
    ids = [get(port, path)[1] for path in paths]
    logged = lines_of(tmp_path / "log", ids)
    _, _, figures = get(port, "/metrics", Authorization="Bearer a-token")
    assert [line["path"] for line in logged] == paths
    assert [line["status"] for line in logged] == [200] * 15 + [404] * 2
    assert [line["route"] for line in logged] == ["api:namespace"] * 12 + ["api:nid"] * 3 + [
        "api:namespace"
    ] * 2
    counted = 'registry_request_seconds_count{method="GET",route="%s",status="%d"} %.1f\n'
    for route, status, count in [("api:namespace", 200, 12), ("api:nid", 200, 3), ("api:namespace", 404, 2)]:
        assert counted % (route, status, count) in figures


@pytest.mark.exhaustive
def test_a_terminated_server_writes_its_log_first(real_database: None, tmp_path: Path) -> None:
    port, log = a_free_port(), tmp_path / "log"
    with serving(port, log=log) as server:
        _, request_id, _ = get(port, "/api/v1/problems/not-found/")
        server.terminate()
        server.wait(timeout=30)
    assert f'"{request_id}"' in log.read_text()


@pytest.mark.exhaustive
def test_a_missing_folder_of_metrics_is_reported_once_and_silences_nothing(
    real_database: None, tmp_path: Path
) -> None:
    port, log, errors = a_free_port(), tmp_path / "log", tmp_path / "errors"
    folder = {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path / "missing"), "METRICS_TOKEN": "a-token"}
    with serving(port, log=log, errors=errors, **folder):
        for _ in range(3):  # each in a batch of its own
            lines_of(log, [get(port, "/api/v1/problems/not-found/")[1]])
        status, _, figures = get(port, "/metrics", Authorization="Bearer a-token")
        assert status == 200
        assert "registry_outbox_given_up" in figures
        assert "registry_request_seconds" not in figures
        (tmp_path / "missing").mkdir()
        lines_of(log, [get(port, "/api/v1/problems/not-found/")[1]])
        assert "registry_request_seconds" in get(port, "/metrics", Authorization="Bearer a-token")[2]
    (line,) = [line for line in errors.read_text().splitlines() if "Requests are not counted" in line]
    assert str(tmp_path / "missing") in line


@pytest.mark.exhaustive
def test_an_empty_name_of_the_folder_of_metrics_is_none(tmp_path: Path) -> None:
    """prometheus_client would write to the current directory."""
    count = (
        "import django; django.setup();"
        "from registry.observability.metrics import observe; observe('none', 'GET', '200', 0.1)"
    )
    environment = environment_of_a_process() | {
        "PYTHONPATH": str(settings.BASE_DIR),
        "PROMETHEUS_MULTIPROC_DIR": "",
    }
    subprocess.run([sys.executable, "-c", count], cwd=tmp_path, env=environment, check=True, timeout=240)
    assert list(tmp_path.iterdir()) == []
