"""The results of a search: the page that a text names, namespaces, sub-namespaces and open cases, with their excerpts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.html import escape, format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from registry.cases.models import Case, CaseQuerySet, Round
from registry.cases.models.cases import has_words
from registry.namespaces.models import Namespace
from registry.namespaces.queries import current_profiles, nid_in
from registry.namespaces.search import SearchPage, SearchQuery, search_page
from registry.namespaces.search_terms import Having, Term, terms_of
from registry.namespaces.subject_words import WORD, subject_named, subjects_named
from registry.subnamespaces.models import SubNamespace
from registry.subnamespaces.search import search_subnamespaces
from urnsyntax.nid import is_well_formed
from urnsyntax.profiles import Suggestion
from urnsyntax.urn import is_urn


def address_of(text: str) -> str:
    """The address of the page of a URN, or of a registered NID in any letter case; "" for other texts."""
    if is_urn(text):
        return f"{reverse('urns:check')}?{urlencode({'urn': text})}"
    nid = nid_in(text)
    is_registered = is_well_formed(nid) and Namespace.objects.filter(nid=nid).exists()
    return reverse("namespaces:detail", args=[nid]) if is_registered else ""


EXCERPT = 30  # words
BEFORE = 8  # words before the first one that is marked


def marked(text: str, terms: Sequence[Term]) -> SafeString:
    """The text with the terms in `<mark>`."""
    parts, end = [], 0
    for word in WORD.finditer(text):
        if any(term.matches(word[0]) for term in terms):
            parts.append((text[end : word.start()], word[0]))
            end = word.end()
    return format_html_join("", "{}<mark>{}</mark>", parts) + escape(text[end:])


def excerpt(text: str, terms: Sequence[Term]) -> str:
    """The words around the first term in a text, with an ellipsis for what is left out."""
    words = text.split()
    first = next((place for place, word in enumerate(words) if any(each.is_in(word) for each in terms)), 0)
    start = max(0, min(first - BEFORE, len(words) - EXCERPT))
    end = start + EXCERPT
    return " ".join(["…"] * (start > 0) + words[start:end] + ["…"] * (end < len(words)))


@dataclass(frozen=True, slots=True)
class FoundCase:
    """A case, with the organisation and the purpose in its latest round."""

    case: Case
    organisation: SafeString
    purpose: SafeString


def search_cases(terms: Sequence[Term]) -> CaseQuerySet:
    """The open public cases with all words in their NID, organisation or purpose, newest first."""
    if not terms:
        return Case.objects.none()
    return Case.objects.public().open().filter(has_words(terms)).order_by("-pk")


def found_cases(terms: Sequence[Term], most: int) -> list[FoundCase]:
    """The newest cases with all terms or, if there are none, with all that any case has; at most `most`."""
    cases = list(search_cases(terms).select_related("namespace")[:most])
    if not cases and len(terms) > 1:
        known = [term for term in terms if search_cases([term]).exists()]
        if len(known) < len(terms):
            cases = list(search_cases(known).select_related("namespace")[:most])
    rounds = Round.objects.filter(case__in=[case.pk for case in cases]).order_by("case_id", "-number")
    latest = {each.case_id: each for each in rounds.distinct("case_id").only("case", "content")}
    return [_found_case(case, latest[case.pk].content, terms) for case in cases]


def _found_case(case: Case, content: Mapping[str, Any], terms: Sequence[Term]) -> FoundCase:
    organisation = content.get("registrant", {}).get("organization", "")
    purpose = excerpt(content.get("purpose", ""), terms)
    return FoundCase(case, marked(organisation, terms), marked(purpose, terms))


SUBJECTS = "Subjects"


@dataclass(frozen=True, slots=True)
class Place:
    """A text that has words which neither NID, title nor summary have, with its label."""

    label: str
    text: SafeString


@dataclass(frozen=True, slots=True)
class FoundNamespace:
    """A namespace, its title and summary with the words marked, and the other texts that have some of the words.

    `below` are words that only its sub-namespaces have. `is_in_text` tells that other words are in the registration or in its
    references only. `lacking` are the words that others have.
    """

    namespace: Namespace
    title: SafeString
    summary: SafeString
    places: tuple[Place, ...]
    is_in_text: bool
    below: tuple[str, ...]
    lacking: tuple[str, ...]


def found_namespaces(page: SearchPage, terms: Sequence[Term]) -> list[FoundNamespace]:
    """The results of a page. One query reads the profiles."""
    contents = dict(current_profiles(page.namespaces).values_list("pk", "content"))
    return [
        _found_namespace(each, contents.get(each.profile_id or 0) or {}, terms, page.matches.having)
        for each in page.namespaces
    ]


def _found_namespace(
    namespace: Namespace, profile: Mapping[str, Any], terms: Sequence[Term], having: Mapping[str, Having]
) -> FoundNamespace:
    title = profile.get("title", "")
    summary = profile.get("summary") or excerpt(namespace.purpose, terms)
    shown = (title, summary)
    others = [each for each in terms if each.word not in namespace.nid and not _are_in(shown, each)]
    places = []
    for label, texts in _other_texts(namespace, profile):
        hits = [text for text in texts if any(_is_in(text, each, label) for each in others)]
        if hits:
            places.append(Place(label, marked(", ".join(excerpt(text, terms) for text in hits), terms)))
            others = [each for each in others if not any(_is_in(text, each, label) for text in hits)]
    rest = [each.word for each in others if having.get(each.word)]
    in_texts = [each for each in rest if namespace.pk in having[each].in_texts]
    below = [each for each in rest if each not in in_texts and namespace.pk in having[each]]
    lacking = [each for each in rest if namespace.pk not in having[each]]
    return FoundNamespace(
        namespace,
        marked(title, terms),
        marked(summary, terms),
        tuple(places),
        bool(in_texts),
        tuple(below),
        tuple(lacking),
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


@dataclass(frozen=True, slots=True)
class FoundSubNamespace:
    """A sub-namespace, its title and its holder with the words marked."""

    subnamespace: SubNamespace
    title: SafeString
    holder: SafeString


def found_subnamespaces(
    terms: Sequence[Term], having: Mapping[str, Having], most: int
) -> list[FoundSubNamespace]:
    """The sub-namespaces with the terms or, if there are none, with those terms that any has; at most `most`."""
    found = search_subnamespaces(terms, most)
    if not found:
        known = [each for each in terms if each.word in having and having[each.word].below]
        found = search_subnamespaces(known, most) if len(known) < len(terms) else []
    return [FoundSubNamespace(each, marked(each.title, terms), marked(each.holder, terms)) for each in found]


SHOWN = 20  # results of a group


@dataclass(frozen=True, slots=True)
class Results:
    """The results for `words`: the text that was typed, in which `corrections` replace words that nothing has.

    `unknown` are the other words that nothing has. `suggestions` are URNs that the text was probably meant to be. `nid` is the
    text as a NID that can be checked, or "".
    """

    text: str
    words: str
    namespaces: Sequence[FoundNamespace]
    has_more_namespaces: bool
    subjects: Sequence[str]
    subnamespaces: Sequence[FoundSubNamespace]
    has_more_subnamespaces: bool
    cases: Sequence[FoundCase]
    has_more_cases: bool
    corrections: Mapping[str, str]
    unknown: Sequence[str]
    suggestions: Sequence[Suggestion]
    nid: str

    @property
    def is_empty(self) -> bool:
        return not (self.namespaces or self.subjects or self.subnamespaces or self.cases)


def search(text: str) -> Results:
    """Search for a text; words that nothing has are replaced by the nearest known ones, or left out."""
    page = search_page(SearchQuery(text), SHOWN, lambda term: search_cases([term]).exists())
    matches = page.matches
    words = matches.text if matches.corrections else text
    terms = terms_of(words)
    subnamespaces = found_subnamespaces(terms, matches.having, SHOWN + 1)
    cases = found_cases(terms, SHOWN + 1)
    nid = nid_in(text)
    return Results(
        text=text,
        words=words,
        namespaces=found_namespaces(page, terms),
        has_more_namespaces=bool(page.after),
        subjects=sorted(set(subjects_named(words).values())),
        subnamespaces=subnamespaces[:SHOWN],
        has_more_subnamespaces=len(subnamespaces) > SHOWN,
        cases=cases[:SHOWN],
        has_more_cases=len(cases) > SHOWN,
        corrections=matches.corrections,
        unknown=matches.unknown,
        suggestions=matches.suggestions,
        nid=nid if is_well_formed(nid) else "",
    )
