"""The key that signs heads and escrows, and the keys whose signatures are trusted."""

import os
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from registry.audit_log.signing.signed_notes import MalformedKey, SigningKey, VerifierKey

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
