"""The log of errors and warnings: one JSON object per line on standard error, with the ID of the request.

The access log (`registry.observability.access_log`) is apart from it, on standard output. Neither contains paths with secret
keys, nor values of queries.
"""

import logging
import re
from contextvars import ContextVar
from time import monotonic
from typing import Any

from django.http import HttpRequest

from registry.core.database.errors import is_outage
from registry.core.terminal import for_terminal

# Of the request that is handled now; set by the access log.
request_id: ContextVar[str] = ContextVar("request_id", default="")
OUTAGE_INTERVAL = 1.0  # seconds
# What follows these prefixes may be a secret key: of an account, or of a signed link in a mail.
REDACTED = re.compile(
    "/accounts/|/account/addresses/confirm/|/cases/unsubscribe/"
    "|/namespaces/[A-Za-z0-9-]{1,32}/(claims/[0-9]{1,20}/object|contact/confirm)/"
)
# In octets, each of which takes at most six characters in JSON: a line of the access log stays below PIPE_BUF (4,096 octets).
MAX_PATH_LENGTH = 500


def configuration(level: str, *, as_json: bool) -> dict[str, Any]:
    """The setting LOGGING. Without `as_json`, for people at a console, lines are texts."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "outages": {"()": "registry.observability.logs.Outages"},
            "request_id": {"()": "registry.observability.logs.RequestID"},
            "requests": {"()": "registry.observability.logs.Requests"},
        },
        "formatters": {
            "text": {"()": "registry.observability.logs.TextFormatter", "format": "%(message)s"},
            "json": {
                "()": "pythonjsonlogger.json.JsonFormatter",
                "format": "%(asctime)s %(levelname)s %(name)s %(request_id)s %(message)s",
                "rename_fields": {"asctime": "time", "levelname": "level", "name": "logger"},
                "exc_info_as_array": True,
            },
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "filters": ["requests", "outages", "request_id"],
                "formatter": "json" if as_json else "text",
            }
        },
        "root": {"handlers": ["console"], "level": level},
    }


class TextFormatter(logging.Formatter):
    """Lines for people, in which messages and exceptions do nothing to the terminal."""

    def format(self, record: logging.LogRecord) -> str:
        return for_terminal(super().format(record))


def loggable_path(path: str) -> str:
    """Return a path of WSGI for a log: ASCII or decoded, cut to a length, without secret keys."""
    if found := REDACTED.match(path):
        return f"{found[0]}…"
    if len(path) > MAX_PATH_LENGTH:
        return f"{loggable_path(path[:MAX_PATH_LENGTH])}…"
    return path if path.isascii() else path.encode("latin-1", "backslashreplace").decode(errors="replace")


class Requests(logging.Filter):
    """Redacts what Django logs about responses, and drops responses below 500, which the access log has.

    Django adds the request, whose text contains its whole query, and ends the message with the path. Messages about refused
    requests can also contain headers.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        request = record.__dict__.pop("request", None)
        if not isinstance(request, HttpRequest):
            return True
        if getattr(record, "status_code", 500) < 500:
            return False
        # As `django.utils.log.log_response` writes it.
        path = request.path.encode("unicode_escape").decode("ascii")
        loggable = loggable_path(request.META.get("PATH_INFO", request.path))
        if isinstance(record.args, tuple):
            record.args = tuple(loggable if each == path else each for each in record.args)
        return True


class RequestID(logging.Filter):
    """Adds the ID of the request to each record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        return True


class Outages(logging.Filter):
    """Lets one line a second through about a database that is not available, without the traceback."""

    def __init__(self) -> None:
        super().__init__()
        self._paused_until = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if not is_outage(error):
            return True
        if (now := monotonic()) < self._paused_until:
            return False
        self._paused_until = now + OUTAGE_INTERVAL
        record.msg, record.args = "The database is not available: %s", (str(error).strip(),)
        record.exc_info = record.exc_text = None
        return True
