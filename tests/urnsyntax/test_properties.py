import pytest
from hypothesis import given
from hypothesis import strategies as st

from urnsyntax import URN, InvalidURN, equivalence_key, equivalent, is_urn
from urnsyntax.equivalence import ignoring, ignoring_case

ALPHANUMERIC = "abcxyzABCXYZ0189"
PCHAR = st.one_of(
    st.sampled_from(ALPHANUMERIC + "-._~!$&'()*+,;=:@"),
    st.sampled_from(["%41", "%2c", "%2C", "%00", "%fF", "%C3%A9"]),
)


def parts(extra, smallest=1):
    """A strategy for components: a pchar, then further characters of the component."""
    more = st.lists(st.one_of(PCHAR, st.sampled_from(extra)), max_size=6).map("".join)
    return st.tuples(PCHAR, more).map("".join) if smallest else more


nids = st.from_regex(r"[a-zA-Z0-9][a-zA-Z0-9-]{0,30}[a-zA-Z0-9]", fullmatch=True).filter(str.isascii)
r_components = parts("/?").filter(lambda r: "?=" not in r)
pieces = st.tuples(
    nids,
    parts("/"),
    st.none() | r_components,
    st.none() | parts("/?"),
    st.none() | parts("/?", smallest=0),
)


def build(piece):
    nid, nss, r, q, f = piece
    return URN.build(nid, nss, r_component=r, q_component=q, f_component=f)


urns = pieces.map(build)


@given(pieces)
def test_a_urn_built_from_parts_has_those_parts(piece):
    urn = build(piece)
    assert (urn.nid, urn.nss, urn.r_component, urn.q_component, urn.f_component) == piece


@given(urns)
def test_parsing_the_text_of_a_urn_gives_the_urn(urn):
    assert URN.parse(str(urn)) == urn
    assert hash(URN.parse(str(urn))) == hash(urn)
    assert is_urn(str(urn))
    assert str(urn).startswith(urn.assigned_name)


@given(urns)
def test_normalizing_twice_is_normalizing_once(urn):
    once = urn.normalized()
    assert once.normalized() == once
    assert equivalent(once, urn)
    assert equivalence_key(urn) == str(once)


@given(st.lists(urns, min_size=3, max_size=3), st.sampled_from([(), (ignoring_case,), (ignoring("-."),)]))
def test_equivalence_is_an_equivalence_relation(three, rules):
    a, b, c = three
    assert equivalent(a, a, rules)
    assert equivalent(a, b, rules) == equivalent(b, a, rules)
    assert not (equivalent(a, b, rules) and equivalent(b, c, rules)) or equivalent(a, c, rules)


@given(urns)
def test_changing_what_does_not_count_keeps_a_urn_equivalent(urn):
    scheme, nid, nss = urn.assigned_name.split(":", 2)
    changed = f"{scheme.swapcase()}:{nid.swapcase()}:{nss}?+r?=q#f"
    assert equivalent(urn, changed)
    assert equivalent(urn, changed, [ignoring_case])


@given(urns, urns)
def test_added_rules_only_make_more_urns_equivalent(a, b):
    for rules in ([ignoring_case], [ignoring("a:%")], [lambda nss: nss[:1]]):
        assert equivalent(a, b, rules) or not equivalent(a, b)


def parse_or_fault(text):
    """Return None if the text parses and is unchanged by str(), otherwise the `InvalidURN`."""
    try:
        assert str(URN.parse(text)) == text
    except InvalidURN as error:
        return error
    return None


def check(text):
    error = parse_or_fault(text)
    assert is_urn(text) == (error is None)
    if error:
        assert 0 <= error.position <= len(text)
        assert str(error).endswith(".")
        assert error.with_caret().count("\n") == 1


@given(urns)
def test_every_prefix_is_a_urn_or_names_a_position_inside_it(urn):
    for length in range(len(str(urn))):
        check(str(urn)[:length])


@given(urns, st.integers(0, 200), st.text(max_size=2), st.integers(0, 2))
def test_every_mutation_is_a_urn_or_names_a_position_inside_it(urn, at, inserted, removed):
    text = str(urn)
    at %= len(text) + 1
    check(text[:at] + inserted + text[at + removed :])


@given(st.text() | st.text(alphabet=st.characters(categories=["Cs", "Cc", "Lu"])))
def test_nothing_but_the_two_errors_ever_leaves_parse(text):
    check(text)
    check(f"urn:{text}:a")
    check(f"urn:example:{text}")


@given(urns, st.characters().filter(lambda c: not c.isascii()))
def test_a_non_ascii_character_is_rejected_at_every_position(urn, character):
    text = str(urn)
    for at in (0, 4, len(text) // 2, len(text)):
        with pytest.raises(InvalidURN):
            URN.parse(text[:at] + character + text[at:])
