"""A proposed profile for the namespace of `a_template`."""

from typing import Any

from registry.namespaces.proposals.proposed_profile import ProposedProfile

ABNF = 'tree = garden ":" number\ngarden = 1*3DIGIT\nnumber = 1*8DIGIT'
EXAMPLES = "urn:example-trees:12:4711  An oak\nurn:example-trees:1:1\nurn:example-trees:99:4"
SERVICES = (
    "I2R https://gardens.example/trees/{number}?garden={garden}  Photograph of the tree\n"
    "I2C https://gardens.example/names/{nss}?{q}  Page of the tree"
)


def a_proposal(**changes: Any) -> ProposedProfile:
    """Return a complete proposal without findings."""
    sound = {
        "title": "Trees of botanical gardens",
        "summary": "Every tree of a garden has a name.",
        "abnf": ABNF,
        "examples": EXAMPLES,
    }
    return ProposedProfile(**(sound | changes))
