"""Stores the API's response for a namespace and its entry in lists, unless it has changed since it was read."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection, transaction

import registry
import urnsyntax
from registry.core.database.replicas import on_primary

STORE = "SELECT namespaces_store_lookup(%s, %s, %s, %s, %s)"
STORE_ITEMS = "SELECT namespaces_store_items(%s, %s, %s, %s)"
RENDERING_PACKAGES = ("django", "djangorestframework")


def store_lookup(namespace_id: int, generation: int, body: bytes, last_modified: str) -> bool:
    """Store `body` for this release if the namespace still has this generation. Return whether it was stored.

    Never waits for a lock. A database error, such as that of a read-only database, is ignored: the next request
    renders the namespace again.
    """
    with suppress(DatabaseError), on_primary(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE, [namespace_id, generation, release_tag(), body, last_modified])
        return bool(cursor.fetchone()[0])
    return False


def store_items(items: Mapping[tuple[int, int], bytes]) -> None:
    """Store entries of lists for this release, by the keys and generations of their namespaces; see `store_lookup`."""
    keys, generations = zip(*items, strict=True)
    with suppress(DatabaseError), on_primary(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(STORE_ITEMS, [[*keys], [*generations], release_tag(), [*items.values()]])


def release_tag() -> str:
    """A digest of what a response depends on in addition to the data: the public origin and the code.

    Responses stored by another release or for another origin are not served.
    """
    return hashlib.sha256(f"{settings.PUBLIC_ORIGIN}\n{_code_digest()}".encode()).hexdigest()[:32]


@cache
def _code_digest() -> str:
    """A digest of all modules. A list of the modules that affect the response would soon be incomplete."""
    digest = hashlib.sha256("".join(map(version, RENDERING_PACKAGES)).encode())
    for package in (registry, urnsyntax):
        for file in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()
