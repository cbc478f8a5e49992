"""The key with which tests sign heads of the audit log, in this process and in those that it starts."""

import os
import tempfile
from pathlib import Path

from django.conf import settings

from registry.audit_log.signed_notes import SigningKey
from registry.audit_log.signing_keys import write_key

KEY = SigningKey("localhost:8000/audit-log", bytes(range(32)))
_FOLDER = tempfile.TemporaryDirectory()


def use_a_signing_key() -> None:
    path = Path(_FOLDER.name, "log-signing-key")
    write_key(KEY, path)
    os.environ["LOG_SIGNING_KEY"] = settings.LOG_SIGNING_KEY = str(path)
