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
# Refused anywhere in a name.
PARTS = re.compile("administrat|designatedexpert|liaison|moderator|postmaster|registrar|superuser|sysadmin")


def imitates_a_role(name: str) -> bool:
    """Whether a name that people chose themselves imitates a role, such as “administrator” or “expert-2”."""
    spellings = [name.lower(), *(name.lower().translate(lookalikes) for lookalikes in LOOKALIKES)]
    words = [re.findall("[a-z]+", spelling) for spelling in spellings]
    return any(PARTS.search("".join(each)) or not WORDS.isdisjoint(each) for each in words)
