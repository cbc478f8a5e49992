import pytest

from urnsyntax import URN, InvalidURN, equivalence_key, equivalent
from urnsyntax.equivalence import ignoring, ignoring_case, outside_triplets


def test_texts_and_urns_can_be_compared():
    assert equivalent(URN.parse("URN:EXAMPLE:a%2c#x"), "urn:example:a%2C")


@pytest.mark.parametrize("bad", ["urn:example:", "urn:example:a\n", "urn:éxample:a", ""])
def test_an_invalid_urn_cannot_be_compared(bad):
    with pytest.raises(InvalidURN):
        equivalent(bad, "urn:example:a")
    with pytest.raises(InvalidURN):
        equivalent("urn:example:a", bad)


def test_nothing_is_decoded():
    assert not equivalent("urn:example:%41", "urn:example:A")


def test_an_added_rule_makes_more_urns_equivalent():
    isbn = [ignoring("-"), ignoring_case]
    assert not equivalent("urn:isbn:0-13-x", "urn:ISBN:013X")
    assert equivalent("urn:isbn:0-13-x", "urn:ISBN:013X", isbn)
    assert equivalence_key("urn:ISBN:0-13-X?=q", isbn) == "urn:isbn:013x"


def test_an_added_rule_never_makes_equivalent_urns_different():
    seen = iter(range(10))
    restless = [lambda nss: f"{nss}{next(seen)}"]
    assert equivalent("urn:example:a", "URN:EXAMPLE:a#f", restless)


def test_an_added_rule_does_not_reach_across_namespaces():
    everything_is_one = [lambda nss: ""]
    assert equivalent("urn:example:a", "urn:example:b", everything_is_one)
    assert not equivalent("urn:example:a", "urn:isbn:a", everything_is_one)


def test_rules_leave_percent_encodings_whole():
    assert ignoring("2C")("a2%2CC") == "a%2C"
    assert ignoring_case("A%2C%AB") == "a%2C%AB"
    assert outside_triplets("%2C", str.lower) == "%2C"
