"""The log of errors: JSON with the ID of the request, and one short line a second while the database is away."""

import json
import logging
import subprocess
import sys

import pytest
from django.db import OperationalError

from registry.core.http.capacity import Threads
from registry.observability import logs
from registry.observability.access_log import AccessLog

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
    done = subprocess.run([sys.executable, "-c", FAIL], capture_output=True, text=True, check=True)
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


def _record(error: Exception) -> logging.LogRecord:
    info = (type(error), error, None)
    return logging.LogRecord("django.request", logging.ERROR, __file__, 1, "%s: %s", ("Error", "/"), info)
