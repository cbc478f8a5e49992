"""The words that name the subjects of profiles."""

import re

from registry.namespaces.search_terms.words import WORD
from urnsyntax.profiles.profile import SUBJECTS

# Other words for each subject; a plural is recognised by itself. A word that names only a part of a subject, such as
# “aviation” of transport, is not listed: the namespaces that have it say so.
SYNONYMS = {
    "bibliography": "bibliographic bibliographical library",
    "education": "educational teaching learning school university",
    "finance": "financial bank banking payment",
    "geography": "geographic geographical geospatial geodata",
    "government": "governmental authority administration",
    "health": "healthcare medical medicine clinical",
    "identity": "identification identities",
    "industry": "industrial manufacturing",
    "internet": "web network",
    "law": "legal legislation legislative",
    "logistics": "logistic shipping freight",
    "media": "multimedia audiovisual broadcasting",
    "science": "scientific research",
    "security": "cybersecurity",
    "software": "computing programming",
    "standards": "standardisation standardization",
    "telecommunications": "telecom telecommunication telephony telephone",
    "transport": "transportation traffic",
}
_SUBJECT_BY_WORD = {subject: subject for subject in SUBJECTS} | {
    word: subject for subject, words in SYNONYMS.items() for word in words.split()
}
SUBJECT_WORDS = frozenset(_SUBJECT_BY_WORD)


def subject_named(word: str) -> str:
    """The subject that a word in lower case names, in the singular or the plural; "" if it names none."""
    singulars = (word, word.removesuffix("s"), re.sub("ies$", "y", word))
    return next((_SUBJECT_BY_WORD[each] for each in singulars if each in _SUBJECT_BY_WORD), "")


def subjects_named(text: str) -> dict[str, str]:
    """The subjects that words of a text name, by these words in lower case."""
    named = {word: subject_named(word) for word in WORD.findall(text.lower())}
    return {word: subject for word, subject in named.items() if subject}
