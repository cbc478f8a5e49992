"""Services for tests: a namespace of trees with one service, and templates that attack."""

from tests.urnsyntax.profiles.samples import mapping
from urnsyntax.profiles import Profile

GRAMMAR = """
tree    = garden ":" number [ "/" leaf *( ";" leaf ) ] / "list:" letter [ "?" ]
garden  = 1*3DIGIT
number  = 1*( DIGIT / "-" )
leaf    = 1*( ALPHA / DIGIT / "." / ":" / "/" / "%" 2HEXDIG )
letter  = ALPHA
"""
SOURCE = {"document": "Trees", "url": "https://gardens.example/trees", "stated_on": "2026-11-22"}


def service(**changes):
    """The mapping of a valid service; a value of None removes its key."""
    whole = {
        "title": "A page of the tree",
        "kind": "I2R",
        "template": "https://gardens.example/{garden}/{number}",
        "examples": ["urn:trees:12:34"],
        "source": SOURCE,
        **changes,
    }
    return {key: value for key, value in whole.items() if value is not None}


def trees(*services, **names):
    """The profile of trees with these services."""
    whole = mapping(names={"abnf": GRAMMAR, **names}, services=list(services))
    whole["sources"][0]["facts"] += ["services", *(["checks"] if "checks" in names else [])]
    return Profile.from_dict(whole)


def addresses(profile, urn):
    """The addresses of a URN, the best first."""
    return [each.address for each in profile.services_for(urn)]
