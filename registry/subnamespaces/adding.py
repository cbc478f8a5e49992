"""What new sub-namespaces change in a list: one, or many at once.

Only what the prefixes affect is read. So the effort does not depend on the length of the list, even if the profile is newer.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain

from registry.namespaces.models import Namespace
from registry.subnamespaces.affected import AffectedPart, StoredPrefixes, first_below
from registry.subnamespaces.importing import ListChange, fits_profile, levels_of, refuse_if
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Entry

Failures = dict[str, list[str]]
"""Sentences by the prefix that they are about; "" if they are about none of them."""


def plan_entry(namespace: Namespace, entry: Entry, *, ends: str) -> ListChange:
    """What one new sub-namespace would change: nothing, if it is listed. For `ends` see `plan_entries`.

    Raises NoLevels and ListRefused.
    """
    change, failures = plan_entries(namespace, [entry], ends=ends)
    refuse_if(chain.from_iterable(failures.values()))
    return change


def plan_entries(
    namespace: Namespace, entries: Collection[Entry], *, ends: str
) -> tuple[ListChange, Failures]:
    """What new sub-namespaces at one place would change, and why some of them can't be added. Raises NoLevels.

    The place is directly below the NID or below one listed sub-namespace; each of `ends` ends a label there. Their normalized
    prefixes differ. Those that are listed are left out; one below which something is listed can't be added.
    """
    profile, walker = levels_of(namespace)
    failures: Failures = defaultdict(list)
    lower = {each.prefix: each.prefix.lower() for each in entries}
    known = StoredPrefixes(namespace).read(lower.values())
    new = {each for each in lower.values() if each not in known}
    below = first_below(namespace, "lower_prefix", new, ends)
    for prefix, sought in lower.items():
        failures[prefix] += _listed_below(sought, below)
    part = AffectedPart.read(
        namespace, profile, walker, [each for each in entries if not failures[each.prefix]]
    )
    if part is None:
        for each in entries:
            failures[each.prefix].append(
                f"{each.prefix}: It would change what is listed already. {BY_IMPORT}"
            )
        return ListChange({}, (), (), {}), _stated(failures)
    keys = {walker.key_of(each.prefix, part.known): each for each in entries if not failures[each.prefix]}
    added = {key: each for key, each in keys.items() if key not in part.stored}
    below = first_below(namespace, "key", added, ends)
    for key, each in added.items():
        failures[each.prefix] += _listed_below(key, below)
    added = {key: each for key, each in added.items() if not failures[each.prefix]}
    prefixes = {each.prefix for each in added.values()}
    for sentence in part.failures(added) if added else ():
        prefix, _, _ = sentence.partition(": ")
        failures[prefix if prefix in prefixes else ""].append(sentence)
    return ListChange(added, (), (), {}, is_verified=fits_profile(namespace)), _stated(failures)


BY_IMPORT = "Only an administrator can import it."


def _listed_below(prefix: str, below: dict[str, str]) -> Iterator[str]:
    if prefix in below:
        yield f"{prefix}: “{below[prefix]}”, which is below it, is listed already. {BY_IMPORT}"


def _stated(failures: Failures) -> Failures:
    return {prefix: sentences for prefix, sentences in failures.items() if sentences}
