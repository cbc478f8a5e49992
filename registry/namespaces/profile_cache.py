"""Parsed profiles, cached by the digest of their content.

Parsing compiles the grammar, which takes milliseconds. The same content has the same digest, so an entry is never stale.
"""

from collections import OrderedDict
from collections.abc import Mapping
from threading import Lock
from typing import Any

from urnsyntax.profiles import Profile

MAX_ENTRIES = 1_000

_entries: OrderedDict[str, Profile] = OrderedDict()
_lock = Lock()


def cached_profile(digest: str) -> Profile | None:
    """The profile of a content that this process has parsed, or None."""
    with _lock:
        if digest in _entries:
            _entries.move_to_end(digest)
        return _entries.get(digest)


def parsed_profile(digest: str, content: Mapping[str, Any]) -> Profile:
    """The profile of a stored content with this digest. It replaces the one that was used least recently."""
    profile = cached_profile(digest)
    if profile is None:
        profile = Profile.from_dict(content)
        keep_profile(digest, profile)
    return profile


def keep_profile(digest: str, profile: Profile) -> None:
    """Add the profile of a content with this digest."""
    with _lock:
        _entries[digest] = profile
        while len(_entries) > MAX_ENTRIES:
            _entries.popitem(last=False)
