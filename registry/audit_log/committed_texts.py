"""Comparison of stored texts with the events that record them.

An event contains the digest of a text, or the text itself. Each app registers a check of its tables, so that a text
that was changed behind the registry's back is noticed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

# A text: its name for people, and its digest. None stands for a text that contradicts its own digest.
NamedText = tuple[str, str | None]
Check = Callable[[], Iterator[str]]
_CHECKS: list[Check] = []


def text_check(check: Check) -> Check:
    """Register a function that yields the names of the texts that differ from their events."""
    _CHECKS.append(check)
    return check


def changed_texts() -> Iterator[str]:
    """Yield the names of the texts that differ from the audit log. Call it in a database snapshot."""
    for check in _CHECKS:
        yield from check()


def differences(recorded: Iterable[NamedText], stored: Iterable[NamedText]) -> Iterator[str]:
    """Yield the names of texts that were changed, added or removed since they were recorded."""
    expected: defaultdict[str, list[str | None]] = defaultdict(list)
    for name, digest in recorded:
        expected[name].append(digest)
    wrong = set()
    for name, digest in stored:
        if digest is not None and digest in expected[name]:
            expected[name].remove(digest)
        else:
            wrong.add(name)
    yield from sorted(wrong | {name for name, left in expected.items() if left})
