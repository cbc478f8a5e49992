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
# Refused as one of the words of the name of an organisation, which may contain the others.
BODIES = frozenset(["iana", "icann", "iesg", "ietf"])
# An organisation's name of these words and of refused ones is refused, too.
FILLERS = frozenset(
    ["and", "board", "designated", "desk", "namespace", "namespaces", "of", "team", "the", "urn"]
)
# Refused anywhere in a name.
PARTS = re.compile("administrat|designatedexpert|liaison|moderator|postmaster|registrar|superuser|sysadmin")


def imitates_a_role(name: str) -> bool:
    """Whether a name that people chose themselves imitates a role, such as “administrator” or “expert-2”."""
    return any(PARTS.search("".join(each)) or not WORDS.isdisjoint(each) for each in _spellings_of(name))


def organisation_imitates_a_role(name: str) -> bool:
    """Whether the name of an organisation contains a body, or consists of refused words. Next to others, these are
    usual in names of organisations, such as “administration”.
    """
    spellings = _spellings_of(name)
    if any(not BODIES.isdisjoint(each) for each in spellings):
        return True
    has_other_words = re.search(r"[^\W\d_a-z]", name.lower())  # in another script
    return not has_other_words and any(map(_is_role, spellings))


def _is_role(words: list[str]) -> bool:
    named = [each for each in words if each not in FILLERS]
    return bool(named) and all(each in WORDS or PARTS.search(each) for each in named)


def _spellings_of(name: str) -> list[list[str]]:
    """The words of a name, also with letters in place of digits."""
    spellings = [name.lower(), *(name.lower().translate(lookalikes) for lookalikes in LOOKALIKES)]
    return [re.findall("[a-z]+", spelling) for spelling in spellings]
