"""SHA-256 digests, in hexadecimal, of JSON values in canonical form: UTF-8, sorted keys, no spaces.

A value that can be guessed, such as a name, gets a salted digest: without the salt, no guess can be confirmed. Digests with a
secret key are valid for SECRET_KEY and for each of SECRET_KEY_FALLBACKS.
"""

import hashlib
import json
import secrets
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.utils.crypto import constant_time_compare

canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def new_salt() -> str:
    """Return 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


def salted_digest(salt: str, value: Any, encode: Callable[[Any], str] = canonical_json) -> str:
    """Return the digest of the salt, in ASCII, followed by the canonical JSON of the value, in the form of `encode`."""
    return hashlib.sha256(f"{salt}{encode(value)}".encode()).hexdigest()


def secret_keys() -> list[str]:
    """Return the current secret key, and the former ones that are still valid."""
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def is_keyed_digest(value: str, digest: Callable[[str], str]) -> bool:
    """Return whether `digest` makes the value with a valid secret key."""
    return any(constant_time_compare(value, digest(key)) for key in secret_keys())
