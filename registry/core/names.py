"""Names that others see: of people, organisations, bodies and contacts, and of tokens, passkeys and canned texts, which are in
mails or on the pages of others.

`check_name` is the one rule for all of them. A name is stored in NFKC. Names are compared by `comparison_form`, which follows
UTS #39, Unicode Security Mechanisms.
"""

import re
import unicodedata
from functools import cache

import re2

from registry.core.exceptions import RegistryError
from registry.core.validators import TextMissing, TextRefused, check_text, shortened
from urnsyntax.confusable_characters import (
    MAX_MARKS,
    SCRIPTS_ALONE,
    SCRIPTS_TOGETHER,
    is_unseen,
    prototype,
)

MAX_FORM_LENGTH = 500  # Characters of a comparison form; an entry of an index has at most 2,704 octets.
_NON_JOINER, _JOINER = "\u200c", "\u200d"
_VIRAMA = 9  # canonical combining class
# Symbols that names have. Others are pictures, such as a check mark, that look like a statement of the registry.
_SYMBOLS = frozenset("©®°")
# What mail programs turn into a link. A host alone can be a name, such as “schema.org”.
_LINK = re.compile(
    r"[a-z][a-z0-9+.-]*://|\bwww\.|\bmailto:|\S@\S|[\w.-]*\w\.[a-z]{2,}(?:/|:\d|[?#]\S)", re.IGNORECASE
)
_WORD_OR_OTHER = re.compile(r"[^\W_]+|[\W_]")
_BETWEEN_WORDS = re.compile(r"[\s\-/()\[\],;:&+]+")


class NameRefused(TextRefused, RegistryError):
    """The name has characters that can't be seen or that mix scripts, or it contains an address or a link."""

    title = "This name can't be used"


def check_name(name: str, what: str, *, longest: int, argument: str = "") -> str:
    """Return the name in NFKC, with single spaces. `what` begins with an article, and is part of the messages.

    Raises TextMissing, UnstorableCharacter, TextTooLong or NameRefused.
    """
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    name = check_text(name, what, longest=longest, argument=argument)
    if fault := _fault_of(name):
        raise NameRefused(f"In {what}, {fault}", argument=argument)
    if not any(unicodedata.category(each)[0] in "LN" for each in name):
        raise TextMissing(f"Enter {what} with a letter or a digit.", argument=argument)
    return name


def _fault_of(name: str) -> str:
    """What is wrong with a name, where, by which rule, and what to do, as the end of a sentence; "" if nothing is."""
    if fault := unseen_in(name):
        return fault
    for place, character in enumerate(name):
        if unicodedata.category(character) == "So" and character not in _SYMBOLS:
            return f"character {place + 1} is the symbol “{character}”. Names have letters, digits and punctuation. Remove it."
    if found := _LINK.search(name):
        return f"“{found[0]}” looks like an address or a link, which mails would show as one. Remove it."
    if word := next(filter(_mixes_scripts, _BETWEEN_WORDS.split(name)), ""):
        other = next(word[place] for place in range(len(word)) if _mixes_scripts(word[: place + 1]))
        return (
            f"the word “{shortened(word)}” mixes scripts, or has one that names can't have, with “{other}” "
            f"({unicodedata.name(other, f'U+{ord(other):04X}')}). It could be mistaken for another word (UTS #39, Section 5.2). "
            "Write each word in one script."
        )
    if _has_many_marks(name):
        return f"a letter has more than {MAX_MARKS} marks. Remove some."
    return ""


def unseen_in(text: str) -> str:
    """Which character of a text can't be seen, as the end of a sentence; "" if there is none. Spaces are seen."""
    for place, character in enumerate(text):
        if not _is_shown(text, place):
            return (
                f"character {place + 1} is U+{ord(character):04X}, which can't be seen or changes how the text is read. "
                "Remove it."
            )
    return ""


def _is_shown(name: str, place: int) -> bool:
    character = name[place]
    if character in (_JOINER, _NON_JOINER):
        return _may_join(name, place)
    return character == " " or not is_unseen(character)


def _may_join(name: str, place: int) -> bool:
    """Whether a joiner is needed for what stands around it: after a virama, as in Sinhala, and a non-joiner also between
    Arabic letters, as in Persian (UAX #31, Section 2.3).
    """
    before, after = name[:place][-1:], name[place + 1 :][:1]
    if before and unicodedata.combining(before) == _VIRAMA:
        return True
    is_arabic = all(each and unicodedata.bidirectional(each) == "AL" for each in (before, after))
    return name[place] == _NON_JOINER and is_arabic


@cache
def _one_script() -> "re2._Regexp[str]":
    sets = [*((each,) for each in SCRIPTS_ALONE), *SCRIPTS_TOGETHER]
    classes = ("".join(rf"\p{{{script}}}" for script in (*each, "Common", "Inherited")) for each in sets)
    return re2.compile("|".join(f"[{each}]*" for each in classes))


def _mixes_scripts(word: str) -> bool:
    return not _one_script().fullmatch(word)


def _has_many_marks(name: str) -> bool:
    count = 0
    for each in unicodedata.normalize("NFD", name):
        count = count + 1 if unicodedata.category(each) == "Mn" else 0
        if count > MAX_MARKS:
            return True
    return False


def comparison_form(name: str) -> str:
    """The form of a name by which it is compared with others: equal for names that could be mistaken for each other.

    These are the skeleton (UTS #39, Section 4) without regard to case, and letters, marks and digits alone. I and l look alike,
    so they are one, and so are m and rn. A word whose capitals look like Latin ones is compared by them.
    """
    form = "".join(map(_form_of_word, folded(name).split())).replace("i", "l").replace("m", "rn")
    return "".join(each for each in form if unicodedata.category(each)[0] in "LMN")[:MAX_FORM_LENGTH]


def skeleton(text: str) -> str:
    """What a text looks like, without regard to case (UTS #39, Section 4): equal for texts that could be mistaken for each other.

    Unlike `comparison_form`, it has all that can be seen: punctuation tells texts apart, unless it looks alike.
    """
    seen = "".join(each for each in folded(text) if not is_unseen(each))
    form = "".join(map(_form_of_word, _WORD_OR_OTHER.findall(seen)))
    return form.replace("i", "l").replace("m", "rn")


def _form_of_word(word: str) -> str:
    letters = [each for each in word if each.isalpha()]
    if all(prototype(each.upper()).isascii() for each in letters):
        return "".join(prototype(each.upper() if each.isalpha() else each).lower() for each in word)
    return "".join(map(_lower_prototype, word))


def in_latin_letters(name: str) -> str:
    """The name with what each character looks like, in small letters without accents, to find English words in it.

    "1" stands for each character that looks like a capital I or a small l, and rn for m.
    """
    seen = map(_seen, unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name)))
    return "".join(
        each for each in "".join(seen).replace("m", "rn") if unicodedata.category(each) not in ("Mn", "Cf")
    )


def _seen(character: str) -> str:
    seen = prototype(character)
    if seen == "l":
        return "1"
    return seen.lower() if seen.isascii() else "".join(map(_lower_prototype, character.casefold()))


def folded(name: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFKC", name).casefold())


def _lower_prototype(character: str) -> str:
    """What a small letter, or its capital, looks like: a Latin letter if one of them does."""
    small, capital = prototype(character), prototype(character.upper()).lower()
    return capital if capital.isascii() and not small.isascii() else small.lower()
