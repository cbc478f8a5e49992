"""The log of errors: JSON with the ID of the request, and one short line a second while the database is away."""

import http.client
import json
import logging
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from django.db import OperationalError
from django.test import RequestFactory
from pythonjsonlogger.json import JsonFormatter

from registry.core.http.capacity import Threads
from registry.observability import logs
from registry.observability.access_log import AccessLog, RequestRecord
from tests.support.servers import a_free_port, serving

FAIL = """
import logging.config
from registry.observability import logs
logging.config.dictConfig(logs.configuration("WARNING", as_json=True))
logs.request_id.set("an-id")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("registry").exception("Case %s failed.\\n", 7)
"""


def test_a_line_is_json_with_the_request_and_the_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FAIL], capture_output=True, text=True, check=True, timeout=240
    )
    line = json.loads(done.stderr)
    assert (line["level"], line["logger"], line["request_id"]) == ("ERROR", "registry", "an-id")
    assert line["message"] == "Case 7 failed.\n"
    assert line["exc_info"][-1] == "ZeroDivisionError: division by zero"


def test_the_thread_of_a_request_knows_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    threads, seen = Threads("django", 1), []
    application = AccessLog(lambda *_: threads.run(lambda: [seen.append(logs.request_id.get()) or b""]))
    for name in ("one", "two"):
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "HTTP_X_REQUEST_ID": name}
        assert application(environ, lambda *_: None) == [b""]  # type: ignore[arg-type, return-value]
    assert seen == ["one", "two"]


def test_an_outage_is_one_short_line_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.5, 0.9, 1.1])
    monkeypatch.setattr(logs, "monotonic", lambda: next(clock))
    outages, records = logs.Outages(), [_record(OperationalError("no route\n")) for _ in range(4)]
    assert [outages.filter(record) for record in records] == [True, False, False, True]
    assert records[0].getMessage() == "The database is not available: no route"
    assert records[0].exc_info is None


def test_other_errors_keep_their_lines_and_tracebacks() -> None:
    outages, record = logs.Outages(), _record(ZeroDivisionError())
    assert [outages.filter(record) for _ in range(2)] == [True, True]
    assert record.exc_info


@pytest.mark.processes
def test_refused_requests_leave_nothing_in_the_log(real_database: None, tmp_path: Path) -> None:
    port, errors = a_free_port(), tmp_path / "errors"
    referrer = {
        "Origin": "https://origin-secret.example",
        "Referer": "https://origin-secret.example/?key=secret",
    }
    with serving(port, errors=errors, LOG_LEVEL="INFO"):
        for method, path, status in [
            ("GET", "/accounts/unknown/key-secret/?email=query-secret@example.org", 404),
            ("POST", "/accounts/password/reset/?email=query-secret@example.org", 403),
        ]:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as client:
                client.request(method, path, headers=referrer if method == "POST" else {})
                assert client.getresponse().status == status
    assert "secret" not in errors.read_text()
    assert "/accounts/" not in errors.read_text()


def test_an_error_is_logged_with_a_redacted_path_and_without_the_request() -> None:
    request = RequestFactory().get("/accounts/confirm-email/secret-é/?next=secret")
    record = _record(ZeroDivisionError())
    escaped = request.path.encode("unicode_escape").decode("ascii")
    record.args = ("Internal Server Error", escaped)
    record.request, record.status_code = request, 500
    assert logs.Requests().filter(record)
    line = json.loads(JsonFormatter().format(record))
    assert line["message"] == "Internal Server Error: /accounts/…"
    assert "secret" not in str(line)


def _record(error: Exception) -> logging.LogRecord:
    info = (type(error), error, None)
    return logging.LogRecord("django.request", logging.ERROR, __file__, 1, "%s: %s", ("Error", "/"), info)


HARMFUL = "\x1b]0;owned\x07\x9b2J\u202e\u2028\r"


def test_a_line_for_people_does_nothing_to_the_terminal() -> None:
    record = _record(ValueError(HARMFUL))
    record.msg, record.args = "First line\n\t%s", (HARMFUL,)
    line = logs.TextFormatter("%(message)s").format(record)
    assert line.startswith("First line\n\t\\x1b]0;owned\\x07\\x9b2J")
    assert "ValueError: \\x1b" in line
    assert not set(line) & set(HARMFUL) - set(line.encode("ascii").decode())


@pytest.mark.parametrize("text", [HARMFUL, '","status":200,"x":"', "\n{}\n", "\ud800", "é" * 600])
def test_a_request_writes_one_line_of_ascii(text: str) -> None:
    octets = text.encode("utf-8", "surrogatepass").decode("latin-1")
    record = RequestRecord(
        0.0, "an-id", octets, f"/{octets}", f"{octets}={octets}&a={octets}", "none", "404", 0.1
    )
    line = record.line()
    assert line.isascii()
    assert line.count("\n") == 1
    assert line.removesuffix("\n").isprintable()
    assert list(json.loads(line)) == [
        "time",
        "request_id",
        "method",
        "path",
        "query",
        "route",
        "status",
        "ms",
    ]
