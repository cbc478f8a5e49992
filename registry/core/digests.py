"""SHA-256 digests, in hexadecimal, of JSON values in canonical form: UTF-8, sorted keys, no spaces.

A value that can be guessed, such as a name, gets a salted digest: without the salt, no guess can be confirmed.
"""

import hashlib
import json
import secrets
from typing import Any

canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def digest_of(value: Any) -> str:
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


def new_salt() -> str:
    """Return 128 random bits in hexadecimal."""
    return secrets.token_hex(16)


def salted_digest(salt: str, value: Any) -> str:
    """Return the digest of the salt, in ASCII, followed by the canonical JSON of the value."""
    return hashlib.sha256(f"{salt}{canonical_json(value)}".encode()).hexdigest()
