"""The namespaces with a profile as prefixes, with the names of fields that the Bioregistry uses.

https://bioregistry.io/schema/ describes the fields. Local identifiers are namespace specific strings.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from registry.publication.formats.profiles import current_profiles, separated, to_json
from urnsyntax.profiles.grammar.matching import parse_grammar

# Classes such as [:alpha:] and repetitions such as {,2} mean something else in Python; the others may in the future.
OF_RE2_ONLY = re.compile(r"\[:|\{,|\[\[|--|&&|~~|\|\|")


def format_bioregistry() -> Iterator[str]:
    """Yield an object with one member for each prefix."""
    yield "{"
    yield from separated(f"{to_json(each['prefix'])}:{to_json(each)}" for each in _records())
    yield "\n}\n"


def _records() -> Iterator[dict[str, Any]]:
    for content, deprecated_at in current_profiles("deprecated_at"):
        yield record(content) | ({"deprecated": True} if deprecated_at else {})


def record(content: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a profile. What the profile does not state is left out."""
    names = content["names"]
    examples = [each["urn"].split(":", 2)[2] for each in names.get("examples", ())]
    fields = {
        "prefix": content["nid"],
        "name": content["title"],
        "description": content["summary"],
        "homepage": content.get("homepage"),
        "pattern": pattern_of(names),
        "example": examples[0] if examples else None,
        "keywords": [*content["subjects"], *content.get("keywords", ())],
    }
    return {name: value for name, value in fields.items() if value}


def pattern_of(names: Mapping[str, Any]) -> str:
    """A pattern of Python's `re` for local identifiers; "" if the grammar is unstated or only RE2 takes it."""
    if "unstated" in names:
        return ""
    grammar = parse_grammar(abnf=names.get("abnf", ""), pattern=names.get("pattern", ""))
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
