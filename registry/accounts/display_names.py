"""Display names that could be mistaken for a role of the registry, or for the registry itself.

Names are compared by what their characters look like (`registry.core.names`), with and without punctuation between letters.
"""

import re
from collections.abc import Iterable, Iterator

from django.dispatch import Signal

from registry.core.names import in_latin_letters

# Refused as one of the words of a name: longer words may contain them.
WORDS = (
    "abuse", "admin", "admins", "expert", "experts", "hostmaster", "iana", "icann", "iesg", "ietf", "leader", "official",
    "registry", "root", "security", "staff", "support", "system", "webmaster",
)  # fmt: skip
# Refused as one of the words of the name of an organisation, which may contain the others.
BODIES = ("iana", "icann", "iesg", "ietf")
# An organisation's name of these words and of refused ones is refused, too.
FILLERS = ("and", "board", "designated", "desk", "namespace", "namespaces", "of", "team", "the", "urn")
# Refused anywhere in a name.
PARTS = (
    "administrat", "designatedexpert", "liaison", "moderator", "postmaster", "registrar", "superuser", "sysadmin",
)  # fmt: skip
# Digits that people read as letters, and what `in_latin_letters` makes of the letters.
_READ_AS = {"a": "[a4]", "e": "[e3]", "i": "[i1]", "l": "[l1]", "m": "rn", "s": "[s5]", "t": "[t7]"}


# Sent with `person` and `name` before a person takes a name: a receiver raises a RegistryError to refuse it.
name_is_chosen = Signal()


def _pattern_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join("".join(_READ_AS.get(letter, letter) for letter in word) for word in words))


_WORDS, _BODIES, _FILLERS, _PARTS = map(_pattern_of, (WORDS, BODIES, FILLERS, PARTS))


def imitates_a_role(name: str) -> bool:
    """Whether a name that people chose themselves imitates a role, such as “administrator” or “expert-2”."""
    return any(_PARTS.search("".join(each)) or _has(_WORDS, each) for each in _spellings_of(name))


def organisation_imitates_a_role(name: str) -> bool:
    """Whether the name of an organisation contains a body, or consists of refused words. Next to others, these are
    usual in names of organisations, such as “administration”.
    """
    return any(_has(_BODIES, each) or _is_role(each) for each in _spellings_of(name))


def _has(pattern: re.Pattern[str], words: Iterable[str]) -> bool:
    return any(_is(pattern, word) for word in words)


def _is(pattern: re.Pattern[str], word: str) -> bool:
    """Whether a word is one of the pattern, also with a number before or after it."""
    return bool(re.fullmatch(f"[0-9]*(?:{pattern.pattern})[0-9]*", word))


def _is_role(words: list[str]) -> bool:
    named = [each for each in words if not _is(_FILLERS, each)]
    return bool(named) and all(_is(_WORDS, each) or _PARTS.search(each) for each in named)


def _spellings_of(name: str) -> Iterator[list[str]]:
    """The words of a name: between punctuation, with the punctuation left out, and all letters as one word."""
    text = in_latin_letters(name)
    words = re.findall(r"[^\W_]+", text)
    yield words
    yield [re.sub(r"[\W_]", "", each) for each in text.split()]
    yield re.findall(r"[^\W\d_]+", text)
    if words and all(len(each) == 1 for each in words):
        yield ["".join(words)]
