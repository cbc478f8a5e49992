"""Queries for the sub-namespaces of a namespace: one by its prefix, those around it, those below it, and search."""

from collections.abc import Collection
from functools import reduce
from http import HTTPStatus
from operator import or_

from django.db.models import Q, QuerySet

from registry.core.exceptions import RegistryError
from registry.core.pagination import Keyset
from registry.core.validators import shortened
from registry.namespaces.models import Namespace
from registry.namespaces.search_terms import terms_of
from registry.subnamespaces.affected import StoredPrefixes
from registry.subnamespaces.lists import rows_with
from registry.subnamespaces.models import HIGHEST, SubNamespace
from registry.subnamespaces.search import has_words
from urnsyntax.nid import edits_of
from urnsyntax.profiles import InvalidProfile
from urnsyntax.profiles.subnamespaces.findings import EDITED, LETTERS
from urnsyntax.profiles.subnamespaces.levels import Walker, read_prefix

BY_KEY = Keyset("key")
MAX_NEAR = 10
MAX_EDITED = (
    32  # characters of a label for which near ones are looked for: anyone can ask, and each has 38 candidates
)


class NoSuchSubNamespace(RegistryError):
    """The list of the namespace has no such prefix. `near` are prefixes that differ by one edit, and the one around it."""

    status = HTTPStatus.NOT_FOUND
    title = "No such sub-namespace"

    def __init__(self, namespace: Namespace, prefix: str, near: list[SubNamespace]) -> None:
        super().__init__(f"The list of urn:{namespace.nid} has no sub-namespace “{shortened(prefix)}”.")
        self.near = near
        self.members = {"near": [each.prefix for each in near]}


def list_of(namespace: Namespace) -> QuerySet[SubNamespace]:
    """The sub-namespaces of a namespace, in the order of their normalized prefixes."""
    return SubNamespace.objects.filter(namespace=namespace).order_by("key")


def get_subnamespace(namespace: Namespace, prefix: str) -> SubNamespace:
    """The sub-namespace with a prefix, in any equivalent form. Raises NoSuchSubNamespace."""
    walker = _walker_of(namespace)
    try:
        read_prefix(prefix, "prefix")
    except InvalidProfile as fault:
        raise NoSuchSubNamespace(namespace, prefix, []) from fault
    known = StoredPrefixes(namespace)
    key = prefix if walker is None else walker.key_of(prefix, known.read(walker.known_of(prefix)))
    # Without levels, keys are those of an earlier profile.
    with_it = Q(prefix=prefix) if walker is None else Q(key=key)
    found = list_of(namespace).filter(with_it).first()
    if found is None:
        raise NoSuchSubNamespace(namespace, prefix, _near(namespace, key))
    found.namespace = namespace
    return found


def statuses_of(namespace: Namespace, prefixes: Collection[str]) -> dict[str, str]:
    """The statuses of sub-namespaces that a list names, such as successors, by prefix, with at most two queries.

    A list that was written by an earlier profile can name some that are not found. They are left out.
    """
    wanted = {each for each in prefixes if each}
    if not wanted:
        return {}
    if (walker := _walker_of(namespace)) is None:
        found = list_of(namespace).filter(prefix__in=sorted(wanted))
        return dict(found.values_list("prefix", "status"))
    known = StoredPrefixes(namespace).read(part for each in wanted for part in walker.known_of(each))
    keys = {each: walker.key_of(each, known) for each in wanted}
    found = list_of(namespace).filter(key__any=sorted(set(keys.values())))
    statuses = dict(found.values_list("key", "status"))
    return {prefix: statuses[key] for prefix, key in keys.items() if key in statuses}


def around(row: SubNamespace) -> list[SubNamespace]:
    """The sub-namespaces around one, the outermost first."""
    keys = {prefix for prefix in _prefixes(row.namespace, row.key) if prefix != row.key}
    return list(rows_with({row.namespace_id: keys}).order_by("key"))


def below(row: SubNamespace) -> QuerySet[SubNamespace]:
    """The sub-namespaces below one, however deep: one range of the index, after the separator of its level."""
    walker, separator = _walker_of(row.namespace), ":"
    if walker is not None:
        known = StoredPrefixes(row.namespace).read(walker.known_of(row.prefix))
        separator = walker.level_of(row.prefix, known)[0].separator[0]
    return _beginning_with(list_of(row.namespace), f"{row.key}{separator}")


def search(rows: QuerySet[SubNamespace], text: str) -> QuerySet[SubNamespace]:
    """Those whose prefix begins with the text, also in lower case; if there are none, those with all its words
    (`registry.subnamespaces.search`).
    """
    beginning = text.strip()
    if not beginning:
        return rows
    found = [_beginning_with(rows, each) for each in dict.fromkeys((beginning, beginning.lower()))]
    if listed := [each for each in found if each.exists()]:
        return reduce(or_, listed)
    terms = terms_of(beginning)
    return rows.filter(has_words(terms)) if terms else rows.none()


def _beginning_with(rows: QuerySet[SubNamespace], beginning: str) -> QuerySet[SubNamespace]:
    return rows.filter(key__gte=beginning, key__lt=beginning + HIGHEST)


def _walker_of(namespace: Namespace) -> Walker | None:
    profile = namespace.current_profile
    return profile.walker if profile else None


def _prefixes(namespace: Namespace, key: str) -> list[str]:
    walker = _walker_of(namespace)
    return walker.prefixes(key) if walker else [key]


def _near(namespace: Namespace, key: str) -> list[SubNamespace]:
    """The sub-namespaces whose last label differs by one edit, or the innermost one around an unknown prefix."""
    *outer, _ = ["", *_prefixes(namespace, key)]
    before = f"{outer[-1]}{key[len(outer[-1]) : len(outer[-1]) + 1]}" if outer[-1] else ""
    label = key[len(before) :]
    if len(label) in EDITED and len(label) <= MAX_EDITED:
        candidates = {before + each for each in edits_of(label.lower(), LETTERS) if each}
        if near := list(rows_with({namespace.pk: candidates | {key.lower()}}).order_by("key")[:MAX_NEAR]):
            return near
    return list(rows_with({namespace.pk: {each for each in outer if each}}).order_by("-key")[:1])
