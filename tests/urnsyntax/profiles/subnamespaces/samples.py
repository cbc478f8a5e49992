"""A namespace of trees in gardens with lists of sub-namespaces, for tests."""

from tests.urnsyntax.profiles.samples import mapping
from urnsyntax.profiles import Profile
from urnsyntax.profiles.subnamespaces.lists import SubNamespace, keyed

SOURCE = {"document": "Register of gardens", "url": "https://gardens.example/", "stated_on": "2026-11-01"}
UNSTATED = {"unstated": "Every name is allowed."}


def level(name="country", coverage="complete", **members):
    """The mapping of a level with a source."""
    return {"name": name, "coverage": coverage, "source": SOURCE, **members}


LEVELS = [
    level(separator=":-", rest="a number of the country"),
    level("garden", "partial", of="de", separator=":-", rest="a number that the garden assigns"),
    level("list", of="xx", below="nothing"),
    {"name": "branch", "coverage": "free", "of": "*", "separator": ":-"},
]


def trees(*levels, names=UNSTATED):
    """The profile of trees with these levels."""
    return Profile.from_dict(mapping(names=names, levels=list(levels or LEVELS), **_sources(names)))


def _sources(names):
    facts = ["title", "summary", "subjects", "grammar"]
    if {"ignores_case", "equivalence", "ignored_characters"} & set(names):
        facts.append("comparison")
    facts += [each for each in ("examples", "checks") if each in names]
    return {"sources": [{"facts": facts, "kind": "registration", "document": "Registration of urn:trees"}]}


def entry(prefix, title="", **members):
    """The mapping of a sub-namespace."""
    return {"prefix": prefix, "title": title or f"The gardens of {prefix}", **members}


ENTRIES = [
    entry("de", "Germany", holder="National Garden"),
    entry(
        "de:bvb", "Bavarian gardens", holder="Gardens of Bavaria", source="List of gardens", as_of="2026-10"
    ),
    entry("de:old", "Old gardens", status="deprecated", successor="de:bvb"),
    entry("de:was", "Gone gardens", status="retired"),
    entry("fi", "Finland", holder="Finland"),
    entry("xx", "Lists"),
    entry("xx:oak", "The list of oaks"),
    entry("xx:oak:base:1.0", "The first list of oaks"),
]


def listed(profile, *entries):
    """The sub-namespaces of a profile by normalized prefix."""
    return dict(keyed([SubNamespace.from_dict(each, profile.nid) for each in entries or ENTRIES], profile))


TREES = trees()
LISTED = listed(TREES)
