import pytest

from urnsyntax import URN, InvalidURN, classify, equivalent, is_urn, rfc2141
from urnsyntax.bulk import check_lines
from urnsyntax.rfc2141 import InvalidURN2141

from .vectors import vectors

ALL = vectors("urn-8141.jsonl")
VALID = [vector for vector in ALL if vector["valid"]]
INVALID = [vector for vector in ALL if not vector["valid"]]
ALL_2141 = vectors("urn-2141.jsonl")
VALID_2141 = [vector for vector in ALL_2141 if vector["valid"]]
INVALID_2141 = [vector for vector in ALL_2141 if not vector["valid"]]
PAIRS = vectors("equivalence.jsonl")


def text_of(vector):
    return ascii(vector.get("input", (vector.get("a"), vector.get("b"))))


def test_there_are_vectors_of_every_kind():
    assert len(VALID) > 250
    assert len(INVALID) > 150
    assert len(VALID_2141) > 80
    assert len(INVALID_2141) > 50
    assert len(PAIRS) >= 100


@pytest.mark.parametrize("vector", ALL, ids=text_of)
def test_is_urn_gives_the_verdict(vector):
    assert is_urn(vector["input"]) is vector["valid"]


@pytest.mark.parametrize("vector", VALID, ids=text_of)
def test_a_urn_has_its_parts_and_normal_form(vector):
    urn = URN.parse(vector["input"])
    assert str(urn) == vector["input"]
    assert (urn.nid, urn.nss) == (vector["nid"], vector["nss"])
    assert (urn.r_component, urn.q_component, urn.f_component) == (vector["r"], vector["q"], vector["f"])
    assert str(urn.normalized()) == vector["normalized"]


@pytest.mark.parametrize("vector", VALID, ids=text_of)
def test_a_urn_has_its_notes(vector):
    messages = [note.message for note in URN.parse(vector["input"]).notes]
    assert len(messages) == len(vector["notes"])
    assert any("r-component should not" in m for m in messages) == any("r-comp" in n for n in vector["notes"])
    assert sum("not UTF-8" in m for m in messages) == sum("UTF-8" in n for n in vector["notes"])


@pytest.mark.parametrize("vector", VALID, ids=text_of)
def test_a_nid_has_its_class_and_section(vector):
    status, rules = classify(vector["nid"]), vector["nid_rules"]
    if rules.startswith("violates"):
        assert status.kind == "unregistrable"
        assert status.section.replace(" ", "") == rules.split()[1]
    else:
        assert status.by_syntax == rules.split("-")[0]
        assert (status.kind == "reserved") == (vector["nid"].lower() in {"urn", "example"})


@pytest.mark.parametrize("vector", INVALID, ids=text_of)
def test_an_error_names_the_position_and_the_section(vector):
    with pytest.raises(InvalidURN) as caught:
        URN.parse(vector["input"])
    assert caught.value.position == vector["position"]
    assert caught.value.section.split(".")[0] == "2"


def test_lines_in_bulk_get_the_same_verdicts():
    lines = [vector for vector in ALL if "\n" not in vector["input"] and "\r" not in vector["input"]]
    checked = check_lines("\n".join(vector["input"] for vector in lines) + "\n")
    bad = {line.number: line.position for line in checked}
    assert bad == {
        number: vector["position"] for number, vector in enumerate(lines, 1) if not vector["valid"]
    }
    assert checked.good == sum(vector["valid"] for vector in lines)


@pytest.mark.parametrize("vector", VALID_2141, ids=text_of)
def test_a_urn_by_rfc_2141_has_its_parts(vector):
    urn = rfc2141.parse(vector["input"])
    assert rfc2141.is_urn(vector["input"])
    assert (urn.nid, urn.nss, urn.normalized()) == (vector["nid"], vector["nss"], vector["normalized"])
    assert len(urn.notes) == len(vector["notes"])


@pytest.mark.parametrize("vector", INVALID_2141, ids=text_of)
def test_an_error_by_rfc_2141_names_the_position_and_the_section(vector):
    assert not rfc2141.is_urn(vector["input"])
    with pytest.raises(InvalidURN2141) as caught:
        rfc2141.parse(vector["input"])
    assert (caught.value.position, caught.value.section) == (vector["position"], vector["section"])
    assert caught.value.document == "RFC 2141"


@pytest.mark.parametrize("vector", PAIRS, ids=text_of)
def test_two_urns_are_equivalent_or_not(vector):
    same = equivalent if vector["spec"] == "8141" else rfc2141.lexically_equivalent
    assert same(vector["a"], vector["b"]) is vector["equivalent"]
    assert same(vector["b"], vector["a"]) is vector["equivalent"]
