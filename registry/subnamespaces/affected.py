"""The part of a stored list that an import affects, so that importing a few lines reads few rows of a long list.

The list fits the profile, because it was verified when it was written. So only what can become wrong is verified again:

- what is added and changed;
- the rows below a new prefix: the level that lists them can be another one. If one of them then has another normalized
  prefix, everything that refers to it is affected, too, and the whole list is read;
- the rows whose successor is below a new prefix, for the same reason;
- the rows below a new or changed normalized prefix: they are found on the way through it, and its rules apply to their examples;
- the rows around it that have rules or services, because their examples can be below it.
"""

from collections.abc import Collection, Container, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from django.db import connection

from registry.core.database.connections import without_sorting
from registry.namespaces.models import Namespace
from registry.subnamespaces.lists import StoredSubNamespaces, prefixes_of, rows_with
from registry.subnamespaces.models import HIGHEST, SubNamespace
from urnsyntax import URN
from urnsyntax.profiles import Profile
from urnsyntax.profiles.subnamespaces.levels import Walker
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry
from urnsyntax.profiles.subnamespaces.verifying import failures_among
from urnsyntax.urn import normal_nss

# For each beginning, one range of an index: the order keeps the planner from comparing all rows with all beginnings. For many, it
# is told so, because a plan that reads more than a range for each would never end.
_BEGINNING = """
SELECT listed.* FROM unnest(%s::text[]) AS given (beginning) CROSS JOIN LATERAL (
    SELECT id, namespace_id, key, content, version, prefix FROM subnamespaces_subnamespace
    WHERE namespace_id = %s AND {column} > beginning AND {column} < beginning || %s AND {column} <> ''
    ORDER BY {column}
) AS listed
"""

# The first of each range.
_FIRST = """
SELECT given.prefix, listed.prefix FROM unnest(%s::text[], %s::text[]) AS given (prefix, beginning) CROSS JOIN LATERAL (
    SELECT prefix FROM subnamespaces_subnamespace
    WHERE namespace_id = %s AND {column} > beginning AND {column} < beginning || %s
    ORDER BY {column} LIMIT 1
) AS listed
"""

MANY = 100  # ranges


class StoredPrefixes(Container[str]):
    """The prefixes of a list in lower case, as `Walker.level_of` needs them, with further ones that are added to it.

    Those of the list that were not read before are read when they are looked for.
    """

    def __init__(self, namespace: Namespace) -> None:
        self._namespace = namespace
        self._asked: set[str] = set()
        self._known: set[str] = set()

    def __contains__(self, prefix: object) -> bool:
        return prefix in self._known or prefix in self.read([str(prefix)])._known

    def read(self, prefixes: Iterable[str]) -> "StoredPrefixes":
        """Read which of these prefixes in lower case are in the list, with one query."""
        if unread := set(prefixes) - self._asked:
            rows = SubNamespace.objects.filter(namespace=self._namespace, lower_prefix__any=sorted(unread))
            self._known |= set(rows.order_by().values_list("lower_prefix", flat=True))
            self._asked |= unread
        return self

    def add(self, prefixes: Iterable[str]) -> None:
        """Count these prefixes in lower case as known."""
        self._known |= set(prefixes)


class ChangedSubNamespaces(StoredSubNamespaces):
    """The list after a change, by normalized prefix. What was not read before is read when it is looked for."""

    def __init__(self, namespace: Namespace, changed: Mapping[str, Entry]) -> None:
        super().__init__(namespace.pk, namespace.nid)
        self.update(changed)
        self._asked |= changed.keys()

    def get(self, key: str, default: Entry | None = None) -> Entry | None:  # type: ignore[override]  # one signature of three
        return dict.get(self.read([key]), key, default)

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self.read([str(key)]), key)


@dataclass(frozen=True)
class AffectedPart:
    """The rows that have the normalized prefixes of a document, and what is needed to verify the list after the change.

    `new` are the prefixes of the document in lower case that the list lacks, and `moved` the rows whose level or
    successor depends on them.
    """

    namespace: Namespace
    profile: Profile
    walker: Walker
    known: StoredPrefixes
    new: frozenset[str]
    stored: dict[str, SubNamespace]
    moved: tuple[SubNamespace, ...]

    @classmethod
    def read(
        cls, namespace: Namespace, profile: Profile, walker: Walker, document: Collection[Entry]
    ) -> "AffectedPart | None":
        """The part that a document affects; None if it changes normalized prefixes of the list."""
        known = StoredPrefixes(namespace).read(
            (*_looked_for(document, walker), *(level.of.lower() for level in walker.levels))
        )
        new = frozenset(each.prefix.lower() for each in document if each.prefix.lower() not in known)
        below = _rows_below(namespace, "lower_prefix", new, walker)
        succeeded = _rows_below(namespace, "lower_successor", new, walker)
        moved = (*below, *succeeded)
        known.read(_looked_for([row.value_of(namespace.nid) for row in moved], walker))
        known.add(new)
        if any(walker.key_of(row.prefix, known) != row.key for row in below):
            return None
        keys = {walker.key_of(each.prefix, known) for each in document}
        stored = {row.key: row for row in rows_with({namespace.pk: keys})}
        return cls(namespace, profile, walker, known, new, stored, moved)

    def failures(self, changed: Mapping[str, Entry]) -> list[str]:
        """What becomes wrong by a change, as sentences in the order of the prefixes."""
        walker = self.walker
        entries = ChangedSubNamespaces(self.namespace, changed)
        judging = [key for key, entry in changed.items() if self._changes_judgements(key, entry)]
        to_verify = {row.key for row in (*self.moved, *_rows_below(self.namespace, "key", judging, walker))}
        outer = {key: walker.prefixes(key) for key in changed}
        entries.read(to_verify.union(*outer.values()))
        to_verify |= {
            each
            for prefixes in outer.values()
            for each in prefixes
            if (entry := entries.get(each)) and (entry.names or entry.services)
        }
        checked = sorted(
            (entry for key in to_verify | changed.keys() if (entry := entries.get(key))),
            key=lambda entry: entry.prefix,
        )
        self._read_together(checked, entries)
        return [*failures_among(checked, entries, self.known, self.profile, walker)]

    def _changes_judgements(self, key: str, entry: Entry) -> bool:
        """Whether names below a changed sub-namespace can be judged in another way."""
        if key not in self.stored:
            return True
        old, new = self.stored[key].content, entry.to_dict()
        return any(old.get(rules) != new.get(rules) for rules in ("names", "services"))

    def _read_together(self, checked: Collection[Entry], entries: ChangedSubNamespaces) -> None:
        """Read what verifying needs, which is otherwise read one by one."""
        walker, known = self.walker, self.known
        known.read(_looked_for(checked, walker))
        names = [walker.beginning_of(each.prefix, known) for each in checked]
        with_rules = [self.profile.names, *(each.names for each in checked if each.names)]
        urns = {urn for rules in with_rules for urn in rules.sample_urns}
        urns |= {urn for each in checked for service in each.services for urn in service.examples}
        names += [normal_nss(URN.parse(each).nss) for each in urns]
        successors = {walker.key_of(each.successor, known) for each in checked if each.successor}
        entries.read(prefixes_of(self.profile, names) | successors)


def _looked_for(entries: Iterable[Entry], walker: Walker) -> set[str]:
    """What the levels of these sub-namespaces and of their successors depend on, in lower case."""
    prefixes = {prefix for each in entries for prefix in (each.prefix, each.successor) if prefix}
    return {each for prefix in prefixes for each in walker.known_of(prefix)}


def _rows_below(
    namespace: Namespace, column: str, prefixes: Collection[str], walker: Walker
) -> list[SubNamespace]:
    """The rows in which the column has one of these prefixes and a separator after it."""
    beginnings = [f"{prefix}{each}" for prefix in prefixes for each in walker.separators]
    if not beginnings:
        return []
    statement = _BEGINNING.format(column=column)
    with _planned_for(len(beginnings)):
        return list(SubNamespace.objects.raw(statement, [beginnings, namespace.pk, HIGHEST]))


def _planned_for(ranges: int) -> AbstractContextManager[None]:
    return without_sorting() if ranges > MANY else nullcontext()


def first_below(namespace: Namespace, column: str, prefixes: Iterable[str], ends: str) -> dict[str, str]:
    """What is listed below each of these prefixes, the first one: below those that end in the column before one of `ends`."""
    given = [(prefix, f"{prefix}{each}") for prefix in prefixes for each in ends]
    if not given:
        return {}
    with _planned_for(len(given)), connection.cursor() as cursor:
        cursor.execute(
            _FIRST.format(column=column),
            [*(list(each) for each in zip(*given, strict=True)), namespace.pk, HIGHEST],
        )
        # Of several separators, the first one in `ends` counts.
        return dict(reversed(cursor.fetchall()))
