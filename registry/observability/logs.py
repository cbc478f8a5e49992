"""The log of errors and warnings: one JSON object per line on standard error, with the ID of the request.

The access log (`registry.observability.access_log`) is apart from it, on standard output.
"""

import logging
from contextvars import ContextVar
from time import monotonic
from typing import Any

from registry.core.database.errors import is_outage

# Of the request that is handled now; set by the access log.
request_id: ContextVar[str] = ContextVar("request_id", default="")
OUTAGE_INTERVAL = 1.0  # seconds


def configuration(level: str, *, as_json: bool) -> dict[str, Any]:
    """The setting LOGGING. Without `as_json`, for people at a console, lines are texts."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "outages": {"()": "registry.observability.logs.Outages"},
            "request_id": {"()": "registry.observability.logs.RequestID"},
        },
        "formatters": {
            "text": {"format": "%(message)s"},
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
                "filters": ["outages", "request_id"],
                "formatter": "json" if as_json else "text",
            }
        },
        "root": {"handlers": ["console"], "level": level},
    }


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
