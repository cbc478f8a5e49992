"""Salted digests of the fields of the section Registrant, which contain personal data.

The digest of a submitted or registered template contains them in place of the fields. A field can therefore be erased
together with its salt, and the digest of the template, which the audit log records, still verifies all other sections.
Each field has its own salt, so that the other fields stay verifiable too.
"""

from collections.abc import Container, Iterable, Mapping

from registry.core.digests import new_salt, salted_digest
from registry.registration_template.sections import Registrant

# What an erased field contains.
ERASED = "[erased]"
# The salt and the salted digest of each field that is filled in, by its name: {"email": {"salt": …, "digest": …}}.
# The salt of an erased field is None.
Commitments = Mapping[str, Mapping[str, str | None]]


def texts_of(registrant: Registrant) -> dict[str, str]:
    """The texts that are filled in, by the names of their fields."""
    return {name: value for name, value in registrant.to_json().items() if value and isinstance(value, str)}


def commit_to(registrant: Registrant) -> Commitments:
    salts = {name: new_salt() for name in texts_of(registrant)}
    return {
        name: {"salt": salts[name], "digest": salted_digest(salts[name], text)}
        for name, text in texts_of(registrant).items()
    }


def hold(registrant: Registrant, commitments: Commitments, *, erased: Container[str | None]) -> bool:
    """Whether each text has its digest. That of an erased field must be in `erased`."""
    texts = texts_of(registrant)
    return texts.keys() == commitments.keys() and all(
        _holds(text, commitments[name], erased) for name, text in texts.items()
    )


def _holds(text: str, commitment: Mapping[str, str | None], erased: Container[str | None]) -> bool:
    salt, digest = commitment["salt"], commitment["digest"]
    if salt is None:
        return text == ERASED and digest in erased
    return digest == salted_digest(salt, text)


def erase(
    registrant: Registrant, commitments: Commitments, fields: Iterable[str]
) -> tuple[Registrant, Commitments]:
    """The registrant without these fields, and the commitments without their salts."""
    names = commitments.keys() & set(fields)
    without_salts = {name: {**commitments[name], "salt": None} for name in names}
    return registrant.with_texts(dict.fromkeys(names, ERASED)), {**commitments, **without_salts}


def without_erased(registrant: Registrant) -> Registrant:
    """The registrant with empty fields in place of erased ones, for a new draft."""
    erased = (name for name, text in texts_of(registrant).items() if text == ERASED)
    return registrant.with_texts(dict.fromkeys(erased, ""))
