"""Matching: random grammars against a slow but obvious reference, labelled parts, and where names go wrong."""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from urnsyntax.profiles.errors import InvalidPattern
from urnsyntax.profiles.grammar.expectations import NSS_CHARACTERS, in_words
from urnsyntax.profiles.grammar.matching import AbnfGrammar, PatternGrammar
from urnsyntax.profiles.grammar.parts import MAX_ITEMS
from urnsyntax.urn import URN, is_urn

LONGEST = 5
ALPHABET = "ab-"
TEXTS = ["".join(each) for length in range(LONGEST + 1) for each in product(ALPHABET, repeat=length)]


class Reference:
    """A grammar as ABNF, with the set of its names of at most LONGEST characters."""

    def __init__(self, abnf, names):
        self.abnf = abnf
        self.names = {name for name in names if len(name) <= LONGEST}

    def __repr__(self):
        return self.abnf


def joined(*references):
    names = {""}
    for each in references:
        names = {a + b for a in names for b in each.names if len(a + b) <= LONGEST}
    return names


def repeated(item, least, most):
    names, found = {""}, set()
    for times in range((LONGEST + 1 if most is None else most) + 1):
        if times >= least:
            found |= names
        names = {a + b for a in names for b in item.names if len(a + b) <= LONGEST}
    if least > LONGEST + 1:
        return found
    text = f"{least or ''}*{'' if most is None else most}"
    return Reference(f"{text}( {item.abnf} )", found)


LITERALS = st.text(ALPHABET, min_size=1, max_size=3).map(lambda text: Reference(f'%s"{text}"', {text}))
CLASSES = st.sets(st.sampled_from(ALPHABET), min_size=1).map(
    lambda each: Reference("( " + " / ".join(f'%s"{c}"' for c in sorted(each)) + " )", each)
)


def combined(inner):
    sequences = st.lists(inner, min_size=2, max_size=3).map(
        lambda each: Reference(" ".join(f"( {item} )" for item in each), joined(*each))
    )
    choices = st.lists(inner, min_size=2, max_size=3).map(
        lambda each: Reference(
            "( " + " / ".join(map(repr, each)) + " )", set().union(*(item.names for item in each))
        )
    )
    repetitions = st.builds(repeated, inner, st.integers(0, 2), st.sampled_from([None, 2, 3]))
    options = inner.map(lambda each: Reference(f"[ {each} ]", each.names | {""}))
    return sequences | choices | repetitions | options


GRAMMARS = st.recursive(LITERALS | CLASSES, combined, max_leaves=6)


@settings(max_examples=150)
@given(GRAMMARS)
def test_a_grammar_matches_what_the_reference_matches(reference):
    grammar = AbnfGrammar(f"a = {reference}")
    assert {text for text in TEXTS if grammar.matches(text)} == reference.names


@settings(max_examples=100)
@given(GRAMMARS, st.sampled_from([text for text in TEXTS if len(text) == 3]))
def test_a_name_goes_wrong_where_no_name_begins_like_it(reference, text):
    """Names up to two characters longer are known, so only short needs are sure: the rest is left to the position."""
    grammar = AbnfGrammar(f"a = {reference}")
    misfit, stop = grammar.misfit_of(text, ()), grammar.stop_of(text)
    if text in reference.names:
        assert misfit is None
        assert stop is None
        return
    known = {name[:length] for name in reference.names for length in range(len(name) + 1)}
    longest = max((length for length in range(len(text) + 1) if text[:length] in known), default=0)
    assert stop.position >= longest
    if stop.position < len(text):
        assert text[: stop.position + 1] not in known
    following = {name[stop.position] for name in known if name[:-1] == text[: stop.position] and name}
    assert stop.characters >= following
    may_end = text[: stop.position] in reference.names and stop.position > 0
    assert misfit.position <= stop.position
    if misfit.position == stop.position:
        assert ("the end" in misfit.expected) == may_end
        assert bool(misfit.expected) == bool(stop.characters or may_end)


UUID = """
uuid     = time-low "-" time-mid "-" node
time-low = 8HEXDIG
time-mid = 4HEXDIG
node     = 12HEXDIG
"""
LISTS = """
list   = entry *( "," entry ) [ ";" tail ]
entry  = key "=" value
key    = 1*ALPHA
value  = *DIGIT
tail   = 1*3( value "." )
"""
CORE = {"alpha", "digit", "hexdig", "vchar"}
MISFITS = [
    (UUID, "zzz", (0, ("time-low",), "a hexadecimal digit")),
    (UUID, "f81d4fae7dec", (8, (), "“-”")),
    (UUID, "f81d4fae-7d", (11, ("time-mid",), "a hexadecimal digit")),
    (UUID, "f81d4fae-7dec-00a0c91e6bf6a", (26, (), "the end")),
    (LISTS, "a1", (1, ("entry", "key"), "a letter or “=”")),
    (LISTS, "a=1,b=x", (6, ("entry", "value"), "a digit, “,”, “;” or the end")),
    (LISTS, "a=1;2.3.4.5.", (10, (), "the end")),
    (LISTS, "", (0, ("entry", "key"), "a letter")),
    ('a = "x" / "X" "y"', "z", (0, (), "“x”")),
    ('a = "rfc:" 1*DIGIT / "std:" 1*DIGIT', "x", (0, (), "“rfc:” or “std:”")),
    ('a = "rfc:" 1*DIGIT / "rpc:" 1*DIGIT', "rx", (0, (), "“rfc:” or “rpc:”")),
    ('a = "params:ns:" / "params:url:"', "params:nx", (7, (), "“ns:” or “url:”")),
    ('a = "rfc:" 1*DIGIT / ALPHA ":"', "rf", (2, (), "“c:”")),
    ('a = ( "std" / "std-draft" ) ":" DIGIT', "std", (3, (), "“:”")),
    ('a = "abc" ":" DIGIT', "abc1", (3, (), "“:”")),
    ('a = b / "ccc" / DIGIT\nb = "aa" / "bbb"', "x", (0, (), "a digit, “aa”, “bbb” or “ccc”")),
    ('a = 1*ALPHA [ "-" ] ":" 1*ALPHA', "ab", (2, (), "“:”")),
    ('a = 1*( ALPHA / "%2" %x34-39 )', "a%20", (1, (), "a letter, “%2” or the end")),
    ('a = "978" 3DIGIT / 3DIGIT', "977123", (2, (), "“8”")),
    ('a = "0" / %x31-39 *DIGIT', "01", (0, (), "“1” to “9”")),
    ('a = "0" / %x31-39 *DIGIT', "0" + "1" * 40, (1, (), "the end")),
    ('a = %s"x" 2*4DIGIT', "x1", (2, (), "a digit")),
    ("a = 3VCHAR", "ab", (2, (), "another character")),
]


@pytest.mark.parametrize(
    ("text", "name", "misfit"), MISFITS, ids=[name or "nothing" for _, name, _ in MISFITS]
)
def test_a_misfit_names_place_rule_and_what_is_expected(text, name, misfit):
    grammar = AbnfGrammar(text)
    assert grammar.misfit_of(name, grammar.part_names - CORE)[:3] == misfit


MISSING = [
    (LISTS, "=1", "key"),
    (LISTS, "a=1,", "key"),
    (LISTS, "a", "value"),  # after “=”
    (LISTS, "a1", ""),
    ('a = "x" [ b ]\nb = c ":"\nc = "y" / "z"', "x:", ""),  # the name may end
    ('a = "x:" 1*b\nb = c ":" / "z"\nc = "y"', "x:", "b"),
    (UUID, "f81d4fae-7dec", "node"),
    (UUID, "f81d4fae-7d", ""),
    (UUID, "zzz", "time-low"),
]


@pytest.mark.parametrize(("text", "name", "missing"), MISSING)
def test_a_misfit_names_the_part_that_has_to_begin(text, name, missing):
    grammar = AbnfGrammar(text)
    assert grammar.misfit_of(name, grammar.part_names - CORE).missing == missing


def parts(grammar, name, *names):
    return [(part.rule, name[part.start : part.end]) for part in grammar.parts_of(name, names)]


def test_parts_are_found_with_their_places():
    grammar = AbnfGrammar(UUID)
    name = "f81d4fae-7dec-00a0c91e6bf6"
    assert parts(grammar, name, "node", "time-mid") == [("time-mid", "7dec"), ("node", "00a0c91e6bf6")]
    assert grammar.parts_of(name, ["node"]) == [("node", 14, 26)]
    assert grammar.parts_of("zzz", ["node"]) == []
    assert grammar.parts_of(name, []) == []


def test_a_part_that_occurs_several_times_is_found_each_time():
    grammar = AbnfGrammar(LISTS)
    assert parts(grammar, "a=1,b=,cc=33", "key", "value") == [
        ("key", "a"), ("value", "1"), ("key", "b"), ("value", ""), ("key", "cc"), ("value", "33"),
    ]  # fmt: skip
    assert parts(grammar, "a=1;2.3.", "value", "tail") == [
        ("value", "1"), ("tail", "2.3."), ("value", "2"), ("value", "3"),
    ]  # fmt: skip


def test_parts_contain_parts():
    grammar = AbnfGrammar(LISTS)
    found = parts(grammar, "a=1,b=2", "entry", "value")
    assert found == [("entry", "a=1"), ("value", "1"), ("entry", "b=2"), ("value", "2")]


def test_rules_in_bounded_repetitions_are_found():
    grammar = AbnfGrammar('a = 2*3( n "." ) *5( m ";" )\nn = 1*DIGIT\nm = 1*ALPHA')
    assert parts(grammar, "1.22.333.a;bb;", "n", "m") == [
        ("n", "1"), ("n", "22"), ("n", "333"), ("m", "a"), ("m", "bb"),
    ]  # fmt: skip
    assert parts(grammar, "1.2.", "n", "m") == [("n", "1"), ("n", "2")]


def test_the_parts_of_a_very_long_repetition_are_found_up_to_a_limit():
    grammar = AbnfGrammar('a = 1*( n "." )\nn = DIGIT')
    assert len(grammar.parts_of("1." * (MAX_ITEMS + 50), ["n"])) == MAX_ITEMS


def test_the_parts_of_nested_repetitions_are_found():
    grammar = AbnfGrammar('a = 1*( row ";" )\nrow = n *( "," n )\nn = 1*DIGIT')
    assert [name for _, name in parts(grammar, "1,22;3;4,5,6;", "n")] == ["1", "22", "3", "4", "5", "6"]


def test_the_work_for_the_parts_of_one_name_is_limited():
    """Without a limit, each level of repetitions would multiply the work by a hundred."""
    grammar = AbnfGrammar("a = *( *( *( *( b ) ) ) )\nb = 500[ DIGIT ] ALPHA")
    found = grammar.parts_of("1a" * (grammar.longest_nss // 2), ["b"])
    assert 0 < len(found) < MAX_ITEMS


@settings(max_examples=60)
@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=12))
def test_the_items_of_a_list_are_its_parts(items):
    grammar = AbnfGrammar('a = n *( "." n )\nn = 1*ALPHA')
    name = ".".join(items)
    assert [name[part.start : part.end] for part in grammar.parts_of(name, ["n"])] == items


def test_the_named_groups_of_a_pattern_are_its_parts():
    grammar = PatternGrammar(r"(?P<garden>[0-9]{1,3}):(?P<tree>[0-9]+)(?:/(?P<leaf>[a-z]+))?")
    assert grammar.part_names == {"garden", "tree", "leaf"}
    assert parts(grammar, "12:4711", "leaf", "tree", "garden") == [("garden", "12"), ("tree", "4711")]
    assert grammar.parts_of("12", ["tree"]) == []
    assert grammar.misfit_of("12", ["tree"]) is None
    assert grammar.stop_of("12") is None


def test_a_group_name_that_is_repeated_is_refused():
    with pytest.raises(InvalidPattern, match="Two groups have the name “a”"):
        PatternGrammar("(?P<a>x)(?P<a>y)")


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("[a-z]{1000}" * 100, "pattern too large - compile failed"),
        ("[a-z]{1000}" * 2, "compiles to 2,004 steps; the limit is 2,000"),
        ("a" * 2_001, "has 2,001 characters; the limit is 2,000"),
        (r"(?P<a>x)\1", "invalid escape sequence"),
        ("a(?=b)", "invalid perl operator"),
    ],
)
def test_a_pattern_that_takes_much_memory_or_time_is_refused(pattern, reason):
    with pytest.raises(InvalidPattern, match=re.escape(reason)):
        PatternGrammar(pattern)


NO_SLASH = frozenset(NSS_CHARACTERS) - set("/:")


@pytest.mark.parametrize(
    ("characters", "texts", "may_end", "words"),
    [
        ("0123456789", [], False, "a digit"),
        ("0123456789:", [], True, "a digit, “:” or the end"),
        ("0123456789ABCDEFabcdef", [], False, "a hexadecimal digit"),
        ("0123456789ABCDEF", [], False, "an upper-case hexadecimal digit"),
        ("0123456789abcdef-", [], False, "a lower-case hexadecimal digit or “-”"),
        ("Xx", [], False, "“x”"),
        ("X", [], False, "“X”"),
        ("12345", [], False, "“1” to “5”"),
        ("ac", [], False, "“a” or “c”"),
        ("%-", [], False, "a percent-encoding or “-”"),
        ("", [], True, "the end"),
        ("", [], False, ""),
        (NSS_CHARACTERS, [], False, "another character"),
        (NO_SLASH, [], True, "any character but “/” or “:” or the end"),
        (
            "!$&'()*+,-./:;",
            [],
            False,
            "“!”, “$”, “&”, “'”, “(”, “)”, “*”, “+”, “,”, “-”, “.”, “/” or something else",
        ),
        ("", ["rfc:", "std:", "rfc:"], False, "“rfc:” or “std:”"),
        ("0123456789r", ["rfc:", "std:"], False, "a digit, “r” or “std:”"),
    ],
)
def test_what_is_expected_is_said_in_words(characters, texts, may_end, words):
    assert in_words(frozenset(characters), texts, may_end=may_end) == words


def test_the_characters_of_an_nss_are_those_of_the_grammar():
    texts = {chr(code): f"urn:example:a{chr(code)}20" for code in range(128)}
    allowed = {
        each for each, text in texts.items() if is_urn(text) and URN.parse(text).nss[1:] == f"{each}20"
    }
    assert set(NSS_CHARACTERS) == allowed
