"""URN-equivalence after RFC 8141, section 3, and the rules that a namespace may add.

The RFC demands of an added rule that it only ever makes more URNs equivalent, never fewer. Here that holds
by construction: a rule is a function of the NSS *as the base procedure leaves it*, so what the base
procedure makes equal reaches the rule as one and the same text, and cannot leave it as two. A rule never
sees the NID, so it cannot make URNs of two namespaces equal either.
"""

import re
from collections.abc import Callable, Sequence

from .urn import URN, normal_form

EquivalenceRule = Callable[[str], str]
"""From a normalized NSS to the text that is compared in its place."""

_TRIPLET_OR_RUN = re.compile("%[0-9A-F]{2}|[^%]+")


def equivalent(a: URN | str, b: URN | str, rules: Sequence[EquivalenceRule] = ()) -> bool:
    """Say whether two URNs are URN-equivalent (RFC 8141, section 3.1).

    `rules` are those of the namespace, applied in their order after the base procedure. Raises `InvalidURN`
    for a text that is no URN.

    >>> equivalent("URN:EXAMPLE:a123%2cz456", "urn:example:a123%2Cz456?=q")
    True
    >>> equivalent("urn:example:a-b", "urn:example:AB")
    False
    >>> equivalent("urn:example:a-b", "urn:example:AB", [ignoring_case, ignoring("-")])
    True
    """
    a, b = _urn(a), _urn(b)
    if a.normalized() == b.normalized():
        return True
    return bool(rules) and equivalence_key(a, rules) == equivalence_key(b, rules)


def equivalence_key(urn: URN | str, rules: Sequence[EquivalenceRule] = ()) -> str:
    """A text that two URNs share exactly if they are equivalent: to look them up, or to keep them in a set.

    Without rules it is the text of `URN.normalized`. Raises `InvalidURN` for a text that is no URN.

    >>> equivalence_key("urn:ISBN:0-451-45052-3", [ignoring("-")])
    'urn:isbn:0451450523'
    """
    urn = _urn(urn)
    _, nid, nss = normal_form(urn.nid, urn.nss).split(":", 2)
    for rule in rules:
        nss = rule(nss)
    return f"urn:{nid}:{nss}"


def ignoring_case(nss: str) -> str:
    """A rule: the case of ASCII letters does not count, in percent-encodings as little as elsewhere.

    >>> ignoring_case("aB%2C")
    'ab%2C'
    """
    return outside_triplets(nss, str.lower)


def ignoring(characters: str) -> EquivalenceRule:
    """A rule: these characters do not count where they stand for themselves, such as the hyphens of an ISBN.

    >>> ignoring("-2")("0-4%2C2")
    '04%2C'
    """
    table = str.maketrans("", "", characters)
    return lambda nss: outside_triplets(nss, lambda run: run.translate(table))


def outside_triplets(nss: str, change: Callable[[str], str]) -> str:
    """Change an NSS, but leave its percent-encoded octets as they are; for writing rules.

    >>> outside_triplets("ab%2Ccd", str.upper)
    'AB%2CCD'
    """
    return _TRIPLET_OR_RUN.sub(lambda match: match[0] if match[0][0] == "%" else change(match[0]), nss)


def _urn(urn: URN | str) -> URN:
    return urn if isinstance(urn, URN) else URN.parse(urn)
