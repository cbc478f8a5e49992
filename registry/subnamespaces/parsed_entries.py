"""Parsed sub-namespaces, cached by their content: a grammar of one takes milliseconds to compile."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from registry.core.digests import canonical_json
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry

MAX_CACHED = 1_000  # entries with rules or services of their own


def parsed_entry(nid: str, content: Mapping[str, Any]) -> Entry:
    """The sub-namespace of a stored content."""
    if "names" in content or "services" in content:
        return _parsed(nid, canonical_json(content))
    return Entry(**content)


@lru_cache(maxsize=MAX_CACHED)
def _parsed(nid: str, content: str) -> Entry:
    return Entry.from_dict(json.loads(content), nid)
