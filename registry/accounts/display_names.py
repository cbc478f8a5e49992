"""Display names that could be mistaken for a role of the registry, or for the registry itself."""

import re

# Digits that resemble letters; "1" resembles two.
LOOKALIKES = (str.maketrans("013457", "oleast"), str.maketrans("013457", "oieast"))
# Refused as one of the words of a name: longer words may contain them.
WORDS = frozenset(
    [
        "abuse",
        "admin",
        "admins",
        "expert",
        "experts",
        "hostmaster",
        "iana",
        "icann",
        "iesg",
        "ietf",
        "leader",
        "official",
        "registry",
        "root",
        "security",
        "staff",
        "support",
        "system",
        "webmaster",
    ]
)
# The bodies among them, which an organisation can't call itself in any part of its name.
BODIES = frozenset(["iana", "icann", "iesg", "ietf"])
# With these, a name of such words is still one.
FILLERS = frozenset(
    ["and", "board", "designated", "desk", "namespace", "namespaces", "of", "team", "the", "urn"]
)
# Refused anywhere in a name.
PARTS = re.compile("administrat|designatedexpert|liaison|moderator|postmaster|registrar|superuser|sysadmin")


def imitates_a_role(name: str) -> bool:
    """Whether a name that people chose themselves imitates a role, such as “administrator” or “expert-2”."""
    return any(PARTS.search("".join(each)) or not WORDS.isdisjoint(each) for each in _spellings_of(name))


def organisation_imitates_a_role(name: str) -> bool:
    """Whether the name of an organisation consists of such words, or contains a body. Other names of organisations contain
    some of them, such as “administration”.
    """
    return any(_is_role(each) or not BODIES.isdisjoint(each) for each in _spellings_of(name))


def _is_role(words: list[str]) -> bool:
    named = [each for each in words if each not in FILLERS]
    return bool(named) and all(each in WORDS or PARTS.search(each) for each in named)


def _spellings_of(name: str) -> list[list[str]]:
    """The words of a name, also with letters in place of digits."""
    spellings = [name.lower(), *(name.lower().translate(lookalikes) for lookalikes in LOOKALIKES)]
    return [re.findall("[a-z]+", spelling) for spelling in spellings]
