"""The search for sub-namespaces by words: those of the prefix, the title and the holder, together with those of the namespace."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models import BooleanField, Q
from django.db.models.expressions import RawSQL

from registry.namespaces.models import Namespace
from registry.namespaces.search_terms import Term
from registry.subnamespaces.models import Status, SubNamespace

# Rows that are read and ordered, of those that have the words; other words find others. All matches are never sorted.
MAX_CANDIDATES = 200


def search_subnamespaces(terms: Sequence[Term], most: int) -> list[SubNamespace]:
    """The sub-namespaces with all terms, at most `most`; some terms can be those of the namespace instead.

    Those that have all terms themselves come first, the shortest prefix of them first, and retired ones last. A term is a
    whole word, or another form of it.
    """
    if not terms:
        return []
    found = _matching(has_words(terms))
    if len(found) < MAX_CANDIDATES:
        known = {each.pk for each in found}
        found += [each for each in _with_words_of_namespaces(terms) if each.pk not in known]
    return found[:most]


def namespaces_with(term: Term) -> list[int]:
    """The keys of namespaces that have sub-namespaces with the term. Of a common term, some of them."""
    having = SubNamespace.objects.filter(has_words([term])).order_by().values_list("namespace", flat=True)
    return [*dict.fromkeys(having[:MAX_CANDIDATES])]


def _with_words_of_namespaces(terms: Sequence[Term]) -> list[SubNamespace]:
    """The sub-namespaces that have some of the terms, in a namespace that has the others."""
    by_remaining: dict[tuple[Term, ...], list[int]] = defaultdict(list)
    for namespace, *has in _terms_of_namespaces(terms):
        remaining = tuple(term for term, is_in in zip(terms, has, strict=True) if not is_in)
        if len(remaining) < len(terms):
            by_remaining[remaining].append(namespace)
    wanted = Q()
    for remaining, namespaces in by_remaining.items():
        of_entry = has_words(remaining) if remaining else has_words(terms, " | ")
        wanted |= Q(of_entry, namespace__in=namespaces)
    return _matching(wanted) if by_remaining else []


def _terms_of_namespaces(terms: Sequence[Term]) -> list[tuple[int, ...]]:
    """The key of each namespace with a list, and for each term, whether the namespace has it. There are few lists."""
    # Each list has one first version.
    with_lists = Namespace.objects.filter(subnamespace_list_versions__version=1).order_by()
    has = {
        f"has_{index}": RawSQL(  # nosec B611  # words are parameters
            "namespaces_namespace.words @@ ALL (namespaces_keys(%s, '', '{}'))",
            [term.word],
            output_field=BooleanField(),
        )
        for index, term in enumerate(terms)
    }
    return list(with_lists.annotate(**has).values_list("pk", *has))


def has_words(terms: Sequence[Term], operator: str = " & ") -> RawSQL:
    """Whether a sub-namespace has all terms, or one of them with the operator “|”."""
    ways = ((f"'{each.word}'", f"'{each.stem}'") if each.stem else (f"'{each.word}'",) for each in terms)
    query = operator.join(f"({' | '.join(each)})" for each in ways)
    return RawSQL(  # nosec B611  # the query is a parameter
        "subnamespaces_subnamespace.words @@ %s::tsquery", [query], output_field=BooleanField()
    )


def _matching(wanted: Q | RawSQL) -> list[SubNamespace]:
    """Some of the sub-namespaces that meet a condition, the best first."""
    rows = SubNamespace.objects.filter(wanted).select_related("namespace")
    read = rows.only("key", "prefix", "title", "holder", "status", "namespace__nid").order_by()
    return sorted(read[:MAX_CANDIDATES], key=_rank)


def _rank(row: SubNamespace) -> tuple[bool, int, str, str]:
    return row.status == Status.RETIRED, len(row.prefix), row.namespace.nid, row.prefix
