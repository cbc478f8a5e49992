"""Search for example URNs in a text.

Patterns such as ``urn:example:{id}`` and ``urn:example:<id>``, and mentions such as ``urn:example:``, are not examples.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from urnsyntax import URN, InvalidURN

_CANDIDATE = re.compile(r"(?<![A-Za-z0-9+./?=&%_-])urn:[^\s\"\u201c\u201d\u2018\u2019`«»]*", re.IGNORECASE)
_PATTERN = re.compile(r"[{}<>\[\]|\\*…]|\.\.\.")
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}

PLACEHOLDER_NIDS = frozenset(
    {"assigned", "assignednid", "assigned-nid", "nid", "your-nid", "yournid", "namespace", "example", "tbd"}
    | {"todo", "xxx", "xxxx", "urn-n", "urn-x", "urn-nn", "urn-xx", "urn-nnn", "urn-xxx"}
)
_MAX_LENGTH = 2000


@dataclass(frozen=True, slots=True)
class Example:
    """One URN in a text, or a malformed one."""

    text: str
    urn: URN | None
    error: InvalidURN | None

    @property
    def nid(self) -> str:
        """The NID, or the text in its place, in lower case."""
        return self.urn.nid.lower() if self.urn else self.text.split(":", 2)[1].lower()

    @property
    def is_placeholder(self) -> bool:
        return self.nid in PLACEHOLDER_NIDS


def find_examples(text: str) -> Iterator[Example]:
    """The examples in a text, without duplicates, in order."""
    seen = set()
    for match in _CANDIDATE.finditer(text):
        candidate = _candidate_in(match)
        if candidate in seen or not _is_example(candidate):
            continue
        seen.add(candidate)
        yield _parse_candidate(candidate)


def without_examples(text: str, condition: Callable[[Example], bool]) -> str:
    """The text without the examples that meet a condition."""

    def _replacement(match: re.Match[str]) -> str:
        candidate = _candidate_in(match)
        if _is_example(candidate) and condition(_parse_candidate(candidate)):
            return match[0].removeprefix(candidate)
        return match[0]

    return _CANDIDATE.sub(_replacement, text)


def _candidate_in(match: re.Match[str]) -> str:
    if len(match[0]) > _MAX_LENGTH:
        return ""
    return _trim(match[0], match.string[max(0, match.start() - 1) : match.start()])


def _trim(candidate: str, before: str) -> str:
    """The candidate without the punctuation of the surrounding sentence."""
    if before == "'":
        candidate = candidate.split("'", 1)[0]
    while candidate:
        last = candidate[-1]
        opener = _CLOSERS.get(last)
        is_unopened = opener is not None and candidate.count(last) > candidate.count(opener)
        if last not in ".,;:!?'" and not is_unopened:
            break
        candidate = candidate[:-1]
    return candidate


def _is_example(candidate: str) -> bool:
    nss = candidate.split(":", 2)[2:]
    return any(nss) and not _PATTERN.search(candidate)


def _parse_candidate(candidate: str) -> Example:
    try:
        return Example(candidate, URN.parse(candidate), None)
    except InvalidURN as error:
        return Example(candidate, None, error)
