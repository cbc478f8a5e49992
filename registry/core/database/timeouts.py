"""Timeouts of statements in web processes: a request ends before its client gives up.

They are options of the connection, not `SET`: behind a pooler, a setting would stay for the next client.
"""

import os
from typing import Any

from django.db import connections

from registry.environment import read


def limit_statements() -> None:
    """Limit the statements of this process. A statement that takes longer is ended, and its transaction undone."""
    lock, statement = read("LOCK_TIMEOUT"), read("STATEMENT_TIMEOUT")
    for settings in connections.settings.values():
        parameters = settings.setdefault("OPTIONS", {})
        parameters |= with_options(parameters, lock_timeout=f"{lock}s", statement_timeout=f"{statement}s")


def with_options(parameters: dict[str, Any], **options: str) -> dict[str, Any]:
    """The parameters of a connection with options of the server, beside those of DATABASE_URL or the environment.

    Without them, libpq takes PGOPTIONS from the environment; with them, it does not.
    """
    present = parameters.get("options") or os.environ.get("PGOPTIONS", "")
    added = [f"-c {name}={value}" for name, value in options.items()]
    return parameters | {"options": " ".join([*filter(None, [present]), *added])}
