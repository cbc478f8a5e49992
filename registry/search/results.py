"""The results of a search."""

from collections.abc import Sequence
from dataclasses import dataclass

from registry.namespaces.queries import nid_in
from registry.namespaces.search import SearchQuery, is_found, search_page
from registry.namespaces.search_terms.spelling import corrected
from registry.namespaces.search_terms.subjects import subjects_named
from registry.namespaces.search_terms.words import terms_of
from registry.namespaces.suggestions import suggestions_for
from registry.search.cases import FoundCase, found_cases, search_cases
from registry.search.namespaces import FoundNamespace, found_namespaces
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles import Suggestion

SHOWN = 20  # results of a group


@dataclass(frozen=True, slots=True)
class Results:
    """The results for `words`: the text that was typed or, if `is_corrected`, that with the nearest known words.

    `suggestions` are URNs that the text was probably meant to be. `nid` is the text as a NID that can be checked, or "".
    """

    text: str
    words: str
    namespaces: Sequence[FoundNamespace]
    has_more_namespaces: bool
    subjects: Sequence[str]
    cases: Sequence[FoundCase]
    has_more_cases: bool
    suggestions: Sequence[Suggestion] = ()
    nid: str = ""

    @property
    def is_corrected(self) -> bool:
        return self.words != self.text

    @property
    def is_empty(self) -> bool:
        return not (self.namespaces or self.subjects or self.cases)


def search(text: str) -> Results:
    """Search for a text, and if it finds nothing, for the nearest known words."""
    suggestions = _suggestions(text)
    results = _results_of(text, text, suggestions)
    if results.is_empty and not suggestions and (words := corrected(text, _is_known)):
        better = _results_of(text, words)
        return results if better.is_empty else better
    return results


def _results_of(text: str, words: str, suggestions: Sequence[Suggestion] = ()) -> Results:
    terms = terms_of(words)
    page = search_page(SearchQuery(words), SHOWN)
    cases = found_cases(terms, SHOWN + 1)
    nid = nid_in(text)
    return Results(
        text=text,
        words=words,
        namespaces=found_namespaces(page, terms),
        has_more_namespaces=bool(page.after),
        subjects=sorted(set(subjects_named(words).values())),
        cases=cases[:SHOWN],
        has_more_cases=len(cases) > SHOWN,
        suggestions=suggestions,
        nid=nid if is_well_formed(nid) else "",
    )


def _suggestions(text: str) -> Sequence[Suggestion]:
    """URNs that were probably meant. Words alone are not meant as one, although “lex something” could be one."""
    is_name = ":" in text or any(character.isdigit() for character in text)
    return suggestions_for(text) if is_name else ()


def _is_known(word: str) -> bool:
    return is_found(word) or search_cases(terms_of(word)).exists()
