"""Profiles for tests: a valid mapping, and the profiles of the fixtures."""

from pathlib import Path

from urnsyntax.profiles import Profile, load_profiles

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "profiles"
# Read once for all tests: reading them takes seconds.
PROFILES = load_profiles(FIXTURES)

GRAMMAR = """
tree    = garden ":" number *( "/" leaf )
garden  = 1*3DIGIT
number  = "0" / %x31-39 *DIGIT
leaf    = 1*ALPHA
"""


def mapping(**changes):
    """The mapping of a valid profile; a value of None removes its key."""
    facts = ["title", "summary", "subjects", "grammar"]
    whole = {
        "nid": "trees",
        "title": "Trees of gardens",
        "summary": "Every tree of a garden has a name.",
        "subjects": ["science"],
        "names": {"abnf": GRAMMAR},
        "sources": [{"facts": facts, "kind": "registration", "document": "Registration of urn:trees"}],
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def with_names(**names):
    """The mapping of a profile with these rules for names, which names all sources that it needs."""
    changed = mapping(names=names)
    facts = changed["sources"][0]["facts"]
    facts += [fact for fact in ("checks", "examples") if names.get(fact)]
    if any(names.get(key) for key in ("ignores_case", "ignored_characters", "equivalence")):
        facts.append("comparison")
    return changed


def profile(**names):
    """A profile with these rules for names."""
    return Profile.from_dict(with_names(**names))
