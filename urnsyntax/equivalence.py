"""URN-equivalence (RFC 8141, Section 3) and the additional rules of namespaces.

The RFC requires that an additional rule only makes more URNs equivalent, never fewer. This holds by
construction: a rule is a function of the NSS after the base procedure, so URNs that the base procedure makes
equal give the rule the same input. A rule does not get the NID, so it cannot make URNs of two namespaces
equal.
"""

import re
from collections.abc import Callable, Sequence

from .urn import URN, normal_nss

EquivalenceRule = Callable[[str], str]
"""A function from a normalized NSS to the text to compare instead."""

_TRIPLET_OR_RUN = re.compile("%[0-9A-F]{2}|[^%]+")


def equivalent(a: URN | str, b: URN | str, rules: Sequence[EquivalenceRule] = ()) -> bool:
    """Say whether two URNs are URN-equivalent (RFC 8141, Section 3.1).

    `rules` are those of the namespace, applied in their order after the base procedure. Raises `InvalidURN`
    for a text that is not a URN.

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
    """Return a key that is the same for two URNs if and only if they are equivalent.

    Without rules it is the text of `URN.normalized`. Raises `InvalidURN` for a text that is not a URN.

    >>> equivalence_key("urn:ISBN:0-451-45052-3", [ignoring("-")])
    'urn:isbn:0451450523'
    """
    urn = _urn(urn)
    nss = normal_nss(urn.nss)
    for rule in rules:
        nss = rule(nss)
    return f"urn:{urn.nid.lower()}:{nss}"


def ignoring_case(nss: str) -> str:
    """A rule that ignores the case of ASCII letters, in percent-encodings and elsewhere.

    >>> ignoring_case("aB%2C")
    'ab%2C'
    """
    return outside_triplets(nss, str.lower)


def ignoring(characters: str) -> EquivalenceRule:
    """Return a rule that ignores these characters unless they are percent-encoded, such as hyphens in ISBNs.

    >>> ignoring("-2")("0-4%2C2")
    '04%2C'
    """
    table = str.maketrans("", "", characters)
    return lambda nss: outside_triplets(nss, lambda run: run.translate(table))


def outside_triplets(nss: str, change: Callable[[str], str]) -> str:
    """Apply a function to an NSS outside its percent-encoded octets; used to write rules.

    >>> outside_triplets("ab%2Ccd", str.upper)
    'AB%2CCD'
    """
    if "%" not in nss:
        return change(nss)
    return _TRIPLET_OR_RUN.sub(lambda match: match[0] if match[0][0] == "%" else change(match[0]), nss)


def _urn(urn: URN | str) -> URN:
    return urn if isinstance(urn, URN) else URN.parse(urn)
