"""The key that signs heads and escrows, the keys whose signatures are trusted, and their check: `manage.py check
--deploy`.
"""

import os
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured

from registry.audit_log.signed_notes import MalformedKey, SigningKey, VerifierKey

OWNER_ONLY = 0o600


def signing_key() -> SigningKey | None:
    """Return the key in the file LOG_SIGNING_KEY; None without that setting. Raises ImproperlyConfigured.

    The key of the demonstration is made with its data. Changes of the file take effect when a process starts.
    """
    if not settings.LOG_SIGNING_KEY:
        return None
    path = Path(settings.BASE_DIR, settings.LOG_SIGNING_KEY)
    if settings.IS_DEMONSTRATION and not path.exists():
        return None
    return _read(path)


def trusted_keys() -> tuple[VerifierKey, ...]:
    """Return the verifier key of the signing key, and LOG_VERIFIER_KEYS. Raises ImproperlyConfigured."""
    key = signing_key()
    try:
        others = [VerifierKey.parse(text) for text in settings.LOG_VERIFIER_KEYS]
    except MalformedKey as fault:
        raise ImproperlyConfigured(f"LOG_VERIFIER_KEYS: {fault}") from fault
    return (*([key.verifier] if key else []), *others)


def default_name() -> str:
    """Return the name of a new key, which is the origin of the log: the address of its page without the scheme."""
    return f"{_public_host()}/audit-log"


def is_name_here(name: str) -> bool:
    """Whether a name begins with a host of this registry: that of PUBLIC_ORIGIN, or one of ALLOWED_HOSTS.

    Names of logs are addresses without the scheme, so that no two logs have the same one (https://c2sp.org/tlog-checkpoint).
    """
    return name.partition("/")[0] in {_public_host(), *settings.ALLOWED_HOSTS}


def _public_host() -> str:
    return urlsplit(settings.PUBLIC_ORIGIN).netloc


def write_key(key: SigningKey, path: Path) -> None:
    """Write a private key to a new file that only its owner can read. Raises FileExistsError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{key.to_text()}\n")
        file.flush()
        os.fsync(descriptor)


@lru_cache(maxsize=4)
def _read(path: Path) -> SigningKey:
    try:
        return SigningKey.parse(path.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as fault:
        raise ImproperlyConfigured(f"LOG_SIGNING_KEY: {path} can't be read: {fault}.") from fault
    except MalformedKey as fault:
        raise ImproperlyConfigured(f"LOG_SIGNING_KEY: {path}: {fault}") from fault


@checks.register(checks.Tags.security, deploy=True)
def check_signing_key(**kwargs: Any) -> list[checks.CheckMessage]:
    """Heads are signed, by a key that is named after this registry: they are public, and the log keeps its name."""
    try:
        trusted_keys()
    except ImproperlyConfigured as fault:
        return [checks.Error(str(fault), id="audit_log.E001")]
    key = signing_key()
    if key is None:
        return [
            checks.Warning(
                "LOG_SIGNING_KEY is not set: the heads of the audit log and escrows are not signed.",
                hint="Run `manage.py make_signing_key FILE`, and set LOG_SIGNING_KEY to the file.",
                id="audit_log.W001",
            )
        ]
    if not is_name_here(key.name):
        return [
            checks.Warning(
                f"The key of LOG_SIGNING_KEY is named “{key.name}”, but PUBLIC_ORIGIN is {settings.PUBLIC_ORIGIN}: others would "
                "know the audit log by the name of another host.",
                hint=f"Make a key named “{default_name()}” with `manage.py make_signing_key FILE`, and set LOG_SIGNING_KEY to the "
                "new file. If heads were published under the old name, announce the new one, and add the old verifier key to "
                "LOG_VERIFIER_KEYS. If the registry has moved and keeps the name, add its former host to ALLOWED_HOSTS.",
                id="audit_log.W004",
            )
        ]
    return []
