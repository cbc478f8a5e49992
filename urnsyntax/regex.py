"""Compiles patterns with possessive groups for every Python from 3.11.

Before 3.11.5 a possessive group could fail after backtracking (CPython issue gh-106052). For these versions,
possessive groups become greedy. The loops of this library are unrolled and unambiguous, so the same texts
match in linear time; the only cost is some memory for backtracking.
"""

import re
import sys
from typing import AnyStr

HAS_SOUND_POSSESSIVE_GROUPS = sys.version_info >= (3, 11, 5)

# The end of a group and its quantifier; not the characters of a class, where ")*+" follows "(".
_POSSESSIVE_GROUP = re.compile(r"(?<!\()\)([*?+])\+")


def compile_pattern(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """Compile a pattern, with greedy groups if this Python has the defect.

    >>> compile_pattern("a(?:b|c)*+").fullmatch("abcb") is not None
    True
    """
    return re.compile(pattern if HAS_SOUND_POSSESSIVE_GROUPS else make_greedy(pattern))


def make_greedy(pattern: AnyStr) -> AnyStr:
    """Return the pattern with greedy groups instead of possessive ones.

    >>> make_greedy("[()*+]*+(?:a|b)*+(?:c)?+")
    '[()*+]*+(?:a|b)*(?:c)?'
    """
    if isinstance(pattern, bytes):
        return _POSSESSIVE_GROUP.sub(r")\1", pattern.decode("ascii")).encode("ascii")
    return _POSSESSIVE_GROUP.sub(r")\1", pattern)
