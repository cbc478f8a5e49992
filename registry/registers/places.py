"""Where the labels of a register stand in names: directly below the NID, or below an entry."""

from collections.abc import Callable
from dataclasses import dataclass

from registry.namespaces.models import Namespace
from registry.subnamespaces.affected import StoredPrefixes
from registry.subnamespaces.models import SubNamespace
from urnsyntax.profiles import Profile
from urnsyntax.profiles.subnamespaces.verifying import grammar_stops_at


def _itself(key: str) -> list[str]:
    return [key]


@dataclass(frozen=True)
class Place:
    """The place of the labels of a register.

    `before` is what stands before each label, as it is written, and `key_before` the same in normalized prefixes: "" directly
    below the NID. Each of `ends` ends a label. `entry_name` is what the profile calls one entry; "" if it does not say. With
    `is_final`, the profile says that nothing follows, so that there is no such place. `prefixes_of` has the prefixes of a
    normalized one.
    """

    before: str = ""
    key_before: str = ""
    ends: str = ""
    entry_name: str = ""
    is_final: bool = False
    prefixes_of: Callable[[str], list[str]] = _itself

    def contains(self, key: str) -> bool:
        """Whether a normalized prefix is one of an entry, or below one."""
        return key.startswith(self.key_before) and key != self.key_before

    def rest_of(self, key: str) -> str:
        """What follows the place in a normalized prefix."""
        return key.removeprefix(self.key_before)

    def label_of(self, key: str) -> str:
        """The label in a normalized prefix."""
        return self.first_in(self.rest_of(key))

    def first_in(self, rest: str) -> str:
        """The label with which what follows the place begins."""
        return min((rest.partition(end)[0] for end in self.ends), key=len, default=rest)

    def is_direct(self, key: str) -> bool:
        """Whether a normalized prefix ends with the label."""
        return self.rest_of(key) == self.label_of(key)


def place_of_namespace(profile: Profile | None) -> Place:
    """The place directly below a NID."""
    if profile is None or profile.walker is None:
        return Place()
    top = profile.walker.top
    return Place(ends=top.separator, entry_name=top.name, prefixes_of=profile.walker.prefixes)


def _is_end(profile: Profile | None, beginning: str) -> bool:
    """Whether the grammar lets nothing follow."""
    return profile is not None and grammar_stops_at(profile, beginning) is not None


def place_below(namespace: Namespace, row: SubNamespace) -> Place:
    """The place below an entry: the next level of the profile, or without one, longer labels of the same level."""
    profile = namespace.current_profile
    walker = profile.walker if profile else None
    if walker is None:
        # Without levels, nothing is registered; the separator of before is not known.
        return Place(f"{row.prefix}:", f"{row.key}:")
    known = StoredPrefixes(namespace).read(walker.known_of(row.prefix))
    level, _ = walker.level_of(row.prefix, known)
    below = walker.level_below(row.key, level)
    between = level.separator[0]
    return Place(
        f"{row.prefix}{between}",
        f"{row.key}{between}",
        ends=(below or level).separator,
        entry_name=below.name if below else "",
        is_final=below is None and (level.below == "nothing" or _is_end(profile, f"{row.prefix}{between}")),
        prefixes_of=walker.prefixes,
    )
