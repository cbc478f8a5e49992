"""Compiling patterns with possessive groups, so that every Python from 3.11 on reads them alike.

Before 3.11.5 the engine lost its way in a possessive group that had tried something in vain (gh-106052 of
CPython). There such a group is made greedy. The loops of this library are unrolled, and no text can be read
by them in two ways, so the same texts match, in linear time; only a little memory is not given back at once.
"""

import re
import sys
from typing import AnyStr

HAS_SOUND_POSSESSIVE_GROUPS = sys.version_info >= (3, 11, 5)

# The end of a group and its quantifier; not the characters of a class, where ")*+" follows "(".
_POSSESSIVE_GROUP = re.compile(r"(?<!\()\)([*?+])\+")


def compile_pattern(pattern: AnyStr) -> re.Pattern[AnyStr]:
    """The pattern, compiled as this Python reads it rightly.

    >>> compile_pattern("a(?:b|c)*+").fullmatch("abcb") is not None
    True
    """
    return re.compile(pattern if HAS_SOUND_POSSESSIVE_GROUPS else make_greedy(pattern))


def make_greedy(pattern: AnyStr) -> AnyStr:
    """The pattern with greedy groups instead of possessive ones.

    >>> make_greedy("[()*+]*+(?:a|b)*+(?:c)?+")
    '[()*+]*+(?:a|b)*(?:c)?'
    """
    if isinstance(pattern, bytes):
        return _POSSESSIVE_GROUP.sub(r")\1", pattern.decode("ascii")).encode("ascii")
    return _POSSESSIVE_GROUP.sub(r")\1", pattern)
