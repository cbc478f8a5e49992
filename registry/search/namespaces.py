"""The namespaces that a search finds, and where each has the words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from registry.namespaces.models import Namespace
from registry.namespaces.queries import current_profiles
from registry.namespaces.search import SearchPage
from registry.namespaces.search_terms.subjects import subject_named
from registry.namespaces.search_terms.words import Term
from registry.search.excerpts import excerpt, marked

SUBJECTS = "Subjects"


@dataclass(frozen=True, slots=True)
class Place:
    """A text that has words which neither NID, title nor summary have, with its label."""

    label: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class FoundNamespace:
    """A namespace, its title and summary with the words marked, and the other texts that have some of the words.

    `is_in_text` tells that other words are in the registration or in its references only.
    """

    namespace: Namespace
    title: SafeString
    summary: SafeString
    places: tuple[Place, ...]
    is_in_text: bool


def found_namespaces(page: SearchPage, terms: Sequence[Term]) -> list[FoundNamespace]:
    """The results of a page. One query reads the profiles."""
    contents = dict(current_profiles(page.namespaces).values_list("pk", "content"))
    return [_found(each, contents.get(each.profile_id or 0) or {}, terms) for each in page.namespaces]


def _found(namespace: Namespace, profile: Mapping[str, Any], terms: Sequence[Term]) -> FoundNamespace:
    title = profile.get("title", "")
    summary = profile.get("summary") or excerpt(namespace.purpose, terms)
    shown = (title, summary)
    others = [each for each in terms if each.word not in namespace.nid and not _are_in(shown, each)]
    places = []
    for label, texts in _other_texts(namespace, profile):
        having = [text for text in texts if any(_is_in(text, each, label) for each in others)]
        if having:
            places.append(Place(label, marked(", ".join(excerpt(text, terms) for text in having), terms)))
            others = [each for each in others if not any(_is_in(text, each, label) for text in having)]
    return FoundNamespace(
        namespace, marked(title, terms), marked(summary, terms), tuple(places), bool(others)
    )


def _other_texts(namespace: Namespace, profile: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The texts that may have words, with their labels, in the order of relevance."""
    yield "Keywords", profile.get("keywords", [])
    yield "Names", [profile.get("resource", "")]
    yield SUBJECTS, profile.get("subjects", [])
    yield "Organisation", [profile.get("organisation", "")]
    yield "Registrant", [namespace.holder]
    yield "Purpose", [namespace.purpose]
    yield "Specifications", [each["title"] for each in profile.get("specifications", [])]
    yield "Examples", [each.get("description", "") for each in profile.get("names", {}).get("examples", [])]


def _are_in(texts: Iterable[str], term: Term) -> bool:
    return any(term.is_in(text) for text in texts)


def _is_in(text: str, term: Term, label: str) -> bool:
    return term.is_in(text) or (label == SUBJECTS and subject_named(term.word) == text)
