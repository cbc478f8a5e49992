"""The namespaces that have a profile, in the format of the Bioregistry (https://bioregistry.io/schema/).

A prefix is a NID, and a local identifier is a namespace specific string.
"""

import re
from collections.abc import Iterator
from typing import Any

from registry.namespaces.profile_cache import parsed_profile
from registry.publication.formats.profiles import current_profiles, separated, to_json
from urnsyntax.profiles import Profile
from urnsyntax.profiles.grammar.matching import Grammar

# Classes such as [:alpha:] and repetitions such as {,2} mean something else in Python; the others may in the future.
OF_RE2_ONLY = re.compile(r"\[:|\{,|\[\[|--|&&|~~|\|\|")


def format_bioregistry() -> Iterator[str]:
    """Yield one JSON object with a member for each prefix."""
    yield "{"
    yield from separated(f"{to_json(each['prefix'])}:{to_json(each)}" for each in _records())
    yield "\n}\n"


def _records() -> Iterator[dict[str, Any]]:
    for content, digest, deprecated_at in current_profiles("profile__digest", "deprecated_at"):
        yield record(parsed_profile(digest, content)) | ({"deprecated": True} if deprecated_at else {})


def record(profile: Profile) -> dict[str, Any]:
    """The record of a profile, without the fields that the profile does not state."""
    names = profile.names
    fields = {
        "prefix": profile.nid,
        "name": profile.title,
        "description": profile.summary,
        "homepage": profile.homepage,
        "pattern": pattern_of(names.grammar) if names.grammar else "",
        "example": names.examples[0].urn.split(":", 2)[2] if names.examples else "",
        "keywords": [*profile.subjects, *profile.keywords],
    }
    return {name: value for name, value in fields.items() if value}


def pattern_of(grammar: Grammar) -> str:
    """A pattern of Python's `re` for local identifiers; "" if only RE2 takes it."""
    pattern = f"^(?:{grammar.pattern})$"
    return pattern if _is_pattern_of_python(pattern) else ""


def _is_pattern_of_python(pattern: str) -> bool:
    if OF_RE2_ONLY.search(pattern):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
