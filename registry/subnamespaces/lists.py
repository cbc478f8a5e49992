"""The stored lists as the library reads them: the sub-namespaces of some names, and their normalized prefixes.

Judging a name needs the at most 32 prefixes at which a sub-namespace could end. One query reads those of one name, or of many.
"""

from collections.abc import Collection, Container, Iterable, Iterator, KeysView, Mapping
from typing import Any

from django.db.models import QuerySet

from registry.core.database.bulk_copy import copy_update
from registry.namespaces.actions.profiles import PrefixesCollide, profile_written
from registry.namespaces.models import Namespace
from registry.subnamespaces.models import SubNamespace, parsed_entry
from urnsyntax import URN
from urnsyntax.grammar import match_parts
from urnsyntax.profiles import Judgement, Profile, Service
from urnsyntax.profiles.subnamespaces.levels import Walker
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry
from urnsyntax.urn import normal_nss


class StoredSubNamespaces(dict[str, Entry]):
    """The sub-namespaces of a namespace by normalized prefix, as far as they were read; see `read`.

    It counts as not empty, because the namespace has a list. Keys that it has in common with a set are read from the list; without
    `finds_near`, there are none. Then reasons name no near labels, and many names need no query for each.
    """

    def __init__(self, namespace: int, nid: str, *, finds_near: bool = True) -> None:
        super().__init__()
        self._namespace, self._nid = namespace, nid
        self.finds_near = finds_near
        self._asked: set[str] = set()

    def read(self, keys: Iterable[str]) -> "StoredSubNamespaces":
        """Read the sub-namespaces with these normalized prefixes, with a query if some were not read before."""
        if unread := set(keys) - self._asked:
            self.add(rows_with({self._namespace: unread}).values_list("key", "content"))
            self._asked |= unread
        return self

    def add(self, rows: Iterable[tuple[str, Any]]) -> "StoredSubNamespaces":
        """Add what was read of the list: normalized prefixes, and the content of each."""
        self.update((key, parsed_entry(self._nid, content)) for key, content in rows)
        return self

    def __bool__(self) -> bool:
        return True

    def keys(self) -> KeysView[str]:  # type: ignore[override]  # of a dict
        return _StoredKeys(self)


class _StoredKeys(KeysView[str]):
    _mapping: StoredSubNamespaces

    def __and__(self, other: Iterable[Any]) -> set[str]:
        wanted = set(other) if self._mapping.finds_near else set()
        return wanted and wanted.intersection(self._mapping.read(wanted))


def rows_with(keys: Mapping[int, Collection[str]]) -> "QuerySet[SubNamespace]":
    """The sub-namespaces with these normalized prefixes, by the key of their namespace."""
    rows = SubNamespace.objects.none()
    for namespace, wanted in keys.items():
        rows |= SubNamespace.objects.filter(namespace=namespace, key__any=sorted(wanted))
    return rows.order_by()


def read_together(
    keys: Mapping[int, Collection[str]], nids: Mapping[int, str]
) -> dict[str, StoredSubNamespaces]:
    """The sub-namespaces with these normalized prefixes by NID, in one query; both are given by the key of the namespace."""
    read = {
        namespace: StoredSubNamespaces(namespace, nids[namespace], finds_near=False) for namespace in keys
    }
    if keys:
        for namespace, key, content in rows_with(keys).values_list("namespace_id", "key", "content"):
            read[namespace].add([(key, content)])
    return {nids[namespace]: entries for namespace, entries in read.items()}


def prefixes_of(profile: Profile, nss: Iterable[str]) -> set[str]:
    """The normalized prefixes that judging these normalized NSSs needs; none if the profile has no levels."""
    walker = profile.walker
    if walker is None:
        return set()
    canonical = profile.names.rules.canonical
    return {prefix for each in nss for prefix in walker.prefixes(canonical(each))}


def entries_for(namespace: Namespace, profile: Profile, urn: URN) -> StoredSubNamespaces | None:
    """The sub-namespaces that judging a URN of the namespace needs; None if it has no list, or the profile no levels."""
    if not namespace.has_subnamespaces or profile.walker is None:
        return None
    keys = prefixes_of(profile, [normal_nss(urn.nss)])
    return StoredSubNamespaces(namespace.pk, namespace.nid).read(keys)


def services_below(namespace: Namespace) -> Iterator[Service]:
    """The services of all sub-namespaces of a namespace, in the order of their keys."""
    if namespace.has_subnamespaces:
        rows = SubNamespace.objects.filter(namespace=namespace, content__has_key="services").order_by("key")
        for row in rows:
            yield from row.value_of(namespace.nid).services


def entries_for_many(
    texts: Iterable[str], namespaces: Mapping[str, int], profiles: Mapping[str, Profile]
) -> dict[str, StoredSubNamespaces]:
    """The sub-namespaces that judging many texts needs, by NID, with one query.

    `namespaces` are the keys of those that have a list, by NID in lower case.
    """
    nss_by_nid = _nss_by_nid(texts, namespaces.keys() & profiles.keys()) if namespaces else {}
    keys = {namespaces[nid]: prefixes_of(profiles[nid], nss) for nid, nss in nss_by_nid.items()}
    return read_together(
        {namespace: wanted for namespace, wanted in keys.items() if wanted},
        {namespace: nid for nid, namespace in namespaces.items()},
    )


def _nss_by_nid(texts: Iterable[str], nids: Container[str]) -> dict[str, set[str]]:
    """The normalized NSSs of the texts that are URNs of these namespaces."""
    found: dict[str, set[str]] = {}
    for text in texts:
        nid = text[4 : text.find(":", 4)].lower()  # after "urn:"
        if nid in nids and (match := match_parts(text)):
            nss = match.group(2)
            found.setdefault(nid, set()).add(normal_nss(nss) if "%" in nss else nss)
    return found


def judge(namespace: Namespace, urn: URN) -> Judgement | None:
    """Judge a URN of the namespace by its current profile, and by its list of sub-namespaces; None without a profile."""
    profile = namespace.current_profile
    return profile.judge(urn, entries_for(namespace, profile, urn)) if profile else None


def rows_by_key(
    rows: Iterable[SubNamespace], walker: Walker, known: Container[str]
) -> dict[str, SubNamespace]:
    """The rows of a list by their prefixes, which are normalized again. Raises PrefixesCollide.

    `known` are the prefixes of the whole list in lower case.
    """
    by_key: dict[str, SubNamespace] = {}
    for row in rows:
        other = by_key.setdefault(walker.key_of(row.prefix, known), row)
        if other is not row:
            raise PrefixesCollide(
                f"By this profile, the sub-namespaces “{other.prefix}” and “{row.prefix}” would have the same names. "
                "Correct the rules of the comparison."
            )
    return by_key


def write_keys(rows: Mapping[str, SubNamespace]) -> None:
    """Write the keys of those rows that have another one."""
    changed = []
    for key, row in rows.items():
        if row.key != key:
            row.key = key
            changed.append(row)
    copy_update(SubNamespace, changed, ["key"])


def normalize_again(namespace: Namespace, profile: Profile, **_: Any) -> None:
    """Normalize the prefixes of a locked namespace by a new profile. Raises PrefixesCollide."""
    if namespace.has_subnamespaces and profile.walker:
        rows = list(SubNamespace.objects.filter(namespace=namespace).order_by("key"))
        write_keys(rows_by_key(rows, profile.walker, {each.prefix.lower() for each in rows}))


def follow_profiles() -> None:
    """Keep the normalized prefixes in step with the profiles."""
    profile_written.connect(normalize_again, dispatch_uid="normalize prefixes of sub-namespaces")
