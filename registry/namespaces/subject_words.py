"""The everyday words that name the subjects of namespaces.

The table is the registry's own. A word names one subject. A plural is recognised by itself, and a word that is the title of a
namespace finds it before those of the subject.
"""

import re

from urnsyntax.profiles.profile import SUBJECTS

SYNONYMS = {
    "bibliography": "bibliographic bibliographical library librarian catalog reading novel literature author magazine newspaper",
    "education": "educational teaching teacher learning school university college student academic course campus",
    "finance": "financial bank banking payment money currency accounting stock invoice investment",
    "geography": "geographic geographical geospatial geodata gis map mapping place country terrain cartography",
    "government": "governmental authority administration ministry parliament municipality citizen military army",
    "health": "healthcare medical medicine clinical hospital doctor patient ambulance disease",
    "identity": "identification identities person passport login username account",
    "industry": "industrial manufacturing manufacturer factory construction machine machinery engineering electricity",
    "internet": "web network website online domain email",
    "law": "legal legislation legislative statute court judge lawyer regulation constitution treaty",
    "logistics": "logistic shipping freight barcode parcel package supply warehouse delivery retail grocery",
    "media": "multimedia audiovisual broadcasting broadcaster song music film movie photo radio tv cinema",
    "science": "scientific research researcher astronomy physics laboratory climate geology",
    "security": "cybersecurity encryption cryptography malware vulnerability hacker defence defense",
    "software": "computing computer programming program app code developer sbom",
    "standards": "standardisation standardization norm norms standardised standardized",
    "telecommunications": "telecom telecommunication telephony telephone phone cellphone smartphone wireless broadband satellite",
    "transport": "transportation traffic aviation airplane aeroplane aircraft flight airline airport train railroad ship vessel car"
    " vehicle truck bus lorry",
}
_SUBJECT_BY_WORD = {subject: subject for subject in SUBJECTS} | {
    word: subject for subject, words in SYNONYMS.items() for word in words.split()
}
SUBJECT_WORDS = frozenset(_SUBJECT_BY_WORD)
WORD = re.compile(r"[^\W_]+")


def subject_named(word: str) -> str:
    """The subject that a word in lower case names, in the singular or the plural; "" if it names none."""
    singulars = (word, word.removesuffix("s"), re.sub("(?<=[hsxz])es$", "", word), re.sub("ies$", "y", word))
    return next((_SUBJECT_BY_WORD[each] for each in singulars if each in _SUBJECT_BY_WORD), "")


def subjects_named(text: str) -> dict[str, str]:
    """The subjects that words of a text name, by these words in lower case."""
    named = {word: subject_named(word) for word in WORD.findall(text.lower())}
    return {word: subject for word, subject in named.items() if subject}
