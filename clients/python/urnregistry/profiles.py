"""Profiles of namespaces: facts in addition to the registration, such as the grammar of the names."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from urnregistry.members import read, read_all

GRAMMARS = ("abnf", "pattern", "unstated")


@dataclass(frozen=True, slots=True)
class Specification:
    """A document that specifies the identifiers."""

    title: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """The grammar of the names: `abnf` or `pattern`, or `unstated` with the reason."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class ProfileExample:
    """A name of the namespace, and what it names."""

    urn: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """The current profile of a namespace. Its sources, checks, services and levels are in `namespaces/{nid}/profile/` of the API."""

    version: int
    title: str
    summary: str
    subjects: tuple[str, ...]
    grammar: Grammar
    resource: str | None = None
    organisation: str | None = None
    homepage: str | None = None
    keywords: tuple[str, ...] = ()
    specifications: tuple[Specification, ...] = ()
    ignores_case: bool = False
    ignored_characters: str | None = None
    equivalence: str | None = None
    examples: tuple[ProfileExample, ...] = ()

    @classmethod
    def from_json(cls, members: Mapping[str, Any]) -> Self:
        return read(
            cls,
            members,
            subjects=tuple(members["subjects"]),
            grammar=read(Grammar, members["grammar"]),
            keywords=tuple(members.get("keywords", ())),
            specifications=read_all(Specification, members.get("specifications", [])),
            examples=read_all(ProfileExample, members.get("examples", [])),
        )


def members_of_document(version: int, document: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a profile from its document, in which the rules for the names are apart and empty values missing."""
    names = document["names"]
    kind = next(kind for kind in GRAMMARS if kind in names)
    return {**document, **names, "version": version, "grammar": {"kind": kind, "text": names[kind]}}
