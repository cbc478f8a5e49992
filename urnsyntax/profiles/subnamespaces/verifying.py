"""Verification of lists: each line, and whether the list fits the profile of its namespace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ...urn import URN, normal_nss
from ..errors import InvalidProfile
from ..profile import Profile
from .levels import ANY, Walker
from .lists import STATUSES, SubNamespace, SubNamespaces, keyed, read_lines


@dataclass(frozen=True, slots=True)
class ListVerification:
    """The result for one list: the number of its sub-namespaces by status, and what is wrong."""

    nid: str
    statuses: Counter[str]
    failures: tuple[str, ...]

    @property
    def columns(self) -> dict[str, str]:
        """What the list contains, by the name of the column."""
        return {
            "sub-namespaces": f"{self.statuses.total():,}",
            **{each: f"{self.statuses[each]:,}" for each in STATUSES},
        }


def list_files(path: Path | str) -> list[Path]:
    """The lists of a directory in the order of their names, or the one file. Raises `OSError`."""
    path = Path(path)
    return sorted(each for each in path.iterdir() if each.suffix == ".jsonl") if path.is_dir() else [path]


def verify_list(path: Path, profile: Profile | None) -> ListVerification:
    """Verify the list of a namespace. Raises `OSError`."""
    entries, failures = [], []
    nid = path.stem
    with path.open("rb") as lines:
        for _, read in read_lines(lines, nid):
            if isinstance(read, InvalidProfile):
                failures.append(str(read))
            else:
                entries.append(read)
    if profile is None or profile.walker is None:
        what = "has no profile" if profile is None else "has a profile without levels"
        failures.append(f"The namespace “{nid}” {what}, so the list would not be used.")
    else:
        failures += failures_of_list(entries, profile, profile.walker)
    return ListVerification(nid, Counter(each.status for each in entries), tuple(failures))


def failures_of_list(entries: Iterable[SubNamespace], profile: Profile, walker: Walker) -> Iterator[str]:
    """What is wrong with the sub-namespaces of a profile with levels, as sentences."""
    entries = list(entries)
    by_key: dict[str, SubNamespace] = {}
    for key, entry in keyed(entries, profile):
        if key in by_key:
            yield f"{entry.prefix}: The prefix is the same as “{by_key[key].prefix}”. Remove one."
        by_key.setdefault(key, entry)
    prefixes = [each.prefix for each in entries]
    if prefixes != sorted(prefixes):
        moved = next(b for a, b in pairwise(prefixes) if a > b)
        yield f"{moved}: The list is not sorted by prefix."
    known = {each.prefix.lower() for each in entries}
    yield from failures_among(by_key.values(), by_key, known, profile, walker)


def failures_among(
    checked: Collection[SubNamespace],
    by_key: SubNamespaces,
    known: Container[str],
    profile: Profile,
    walker: Walker,
) -> Iterator[str]:
    """What is wrong with some sub-namespaces of a list, as sentences.

    `by_key` is the whole list by normalized prefix, and `known` has all its prefixes in lower case.
    """
    for level in walker.levels:
        if level.of not in ("", ANY) and level.of.lower() not in known:
            yield f"{level.of}: The profile has a level below this prefix, but the list does not contain it."
    for entry in checked:
        for failure in _failures_of(entry, by_key, profile, walker, known):
            yield f"{entry.prefix}: {failure}"
    yield from _failures_of_examples(checked, by_key, profile, walker)


def _failures_of(
    entry: SubNamespace,
    by_key: SubNamespaces,
    profile: Profile,
    walker: Walker,
    known: Container[str],
) -> Iterator[str]:
    level, start = walker.level_of(entry.prefix, known)
    label = entry.prefix[start:]
    if any(each in label for each in level.separator[1:]) or not all(label.split(level.separator[0])):
        yield f"“{label}” is no {level.name}: “{level.separator}” separates them."
    elif not _is_found(entry, walker.beginning_of(entry.prefix, known), by_key, walker):
        yield f"The prefix is at no boundary of the level “{level.name}”, so it would not be found."
    if not entry.source and level.source is None:
        yield "The source is missing. State “source” and “as_of”, or the source of the level."
    if entry.successor and walker.key_of(entry.successor, known) not in by_key:
        yield f"The list does not contain the successor “{entry.successor}”."
    if entry.successor and entry.status == "active":
        yield "A successor is stated, but the sub-namespace is active."
    if (stop := grammar_stops_at(profile, entry.prefix)) is not None:
        yield f"No name can begin with the prefix: it breaks the grammar at character {stop + 1}."


def grammar_stops_at(profile: Profile, beginning: str) -> int | None:
    """The index of the first character with which a beginning of names breaks the grammar; None if names can begin so."""
    grammar, beginning = profile.names.grammar, normal_nss(beginning)
    if grammar is None or grammar.matches(beginning):
        return None
    stop = grammar.stop_of(beginning)
    return stop.position if stop is not None and stop.position < len(beginning) else None


def _is_found(entry: SubNamespace, nss: str, by_key: SubNamespaces, walker: Walker) -> bool:
    return any(each.entry is entry for each in walker.walk(nss, by_key).found)


def _failures_of_examples(
    checked: Iterable[SubNamespace], by_key: SubNamespaces, profile: Profile, walker: Walker
) -> Iterator[str]:
    """The examples of the profile, and of the sub-namespaces, that do not behave as they should with the list."""
    for example in profile.names.examples:
        judgement = profile.judge(example.urn, by_key)
        if judgement.conformant is False:
            yield f"{example.urn} is an example of the profile, but: {judgement.reason}"
    for entry in checked:
        if entry.names:
            for example in entry.names.examples:
                judgement = profile.judge(example.urn, by_key)
                if judgement.conformant is False:
                    yield f"{entry.prefix}: {example.urn} is an example, but: {judgement.reason}"
            for counterexample in entry.names.counterexamples:
                if profile.judge(counterexample.urn, by_key).conformant is not False:
                    yield f"{entry.prefix}: {counterexample.urn} is a counterexample, but the rules allow it."
            for urn in entry.names.sample_urns:
                if not _is_found(entry, normal_nss(URN.parse(urn).nss), by_key, walker):
                    yield f"{entry.prefix}: {urn} is an example or counterexample, but does not begin with the prefix."
        for service in entry.services:
            for urn in service.examples:
                if all(each.service is not service for each in profile.resolve(urn, by_key).services):
                    yield f"{entry.prefix}: {urn} is an example of “{service.title}”, which has no address for it."
