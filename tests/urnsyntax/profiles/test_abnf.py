"""Grammars in ABNF: what they match, what is refused and where, and that no grammar takes long."""

import pytest

from tests.urnsyntax.profiles.hostile import HARMLESS, HOSTILE
from urnsyntax.profiles import InvalidGrammar
from urnsyntax.profiles.grammar.matching import AbnfGrammar

MATCHES = [
    # RFC 5234, Sections 2 and 3
    ('a = "abc"', ["abc", "ABC", "aBc"], ["ab", "abcd", ""]),
    ('a = %s"aBc"', ["aBc"], ["abc", "ABC"]),
    ('a = %i"aBc"', ["abc", "ABC"], ["ab"]),
    ("a = %x61.42.63", ["aBc"], ["abc", "ABC"]),
    ("a = %d97", ["a"], ["A", "97"]),
    ("a = %b1100001", ["a"], ["A"]),
    ("a = %x30-37", ["0", "7"], ["8", "00"]),
    ('a = "x" "y" / "z"', ["xy", "z"], ["xz", "y"]),
    ('a = "x" ( "y" / "z" )', ["xy", "xz"], ["x", "yz"]),
    ('a = "x" [ "y" ]', ["x", "xy"], ["xyy", "y"]),
    ('a = *"x" "y"', ["y", "xy", "xxxy"], ["x", "yx"]),
    ('a = 1*"x"', ["x", "xx"], [""]),
    ('a = 2"x"', ["xx"], ["x", "xxx"]),
    ('a = 2*3"x"', ["xx", "xxx"], ["x", "xxxx"]),
    ('a = *2"x" "y"', ["y", "xxy"], ["xxxy"]),
    ('a = 1*2( "x" / 2"y" )', ["x", "yy", "xyy"], ["y", "xyyx"]),
    ('a = b\nb = "x"\nb =/ "y"', ["x", "y"], ["z", "xy"]),
    ('a = B-1\nb-1 = "x"', ["x"], ["b"]),
    ('a = "x" ; a comment = not a rule\n  "y"', ["xy"], ["x"]),
    ('   a = b "-"\n        b\n   b = DIGIT\n', ["1-2"], ["12"]),
    ('a =\n b\n /\n c\nb="1"\nc="2"', ["1", "2"], ["12"]),
    ("a = ALPHA DIGIT HEXDIG BIT VCHAR", ["x9f1!", "X9F0~"], ["99f1!", "x9g1!"]),
    ("a = CHAR OCTET", ["!~"], ["!"]),
    ('a = DIGIT\nDIGIT = %x31 / "x"', ["1", "x"], ["2"]),
    ('a = "." "*" "(" "[" "\\" "^" "$" "|" "+" "?" "{" "}"', [".*([\\^$|+?{}"], ["x*([\\^$|+?{}"]),
    ('a = "]" / "^" / "-" / "\\" / "["', ["]", "^", "-", "\\", "["], ["_", "Z", "]^"]),
    ('a = 1*( unreserved / "%" 2HEXDIG )\nunreserved = ALPHA / "-"', ["a-%2C"], ["a%2", "%%20"]),
    ('a = "" "x"', ["x"], [""]),
    ('a = 1(2("x"))', ["xx"], ["x"]),
]


@pytest.mark.parametrize(("text", "good", "bad"), MATCHES, ids=[text[:25] for text, _, _ in MATCHES])
def test_a_grammar_matches_its_names_alone(text, good, bad):
    grammar = AbnfGrammar(text)
    assert [name for name in good if not grammar.matches(name)] == []
    assert [name for name in bad if grammar.matches(name)] == []


REFUSED = [
    ("", "The grammar has no rule."),
    ("; only a comment", "The grammar has no rule."),
    ("a", "Line 1, column 1: “a” stands where a rule must begin. Write: name = elements"),
    ('"x" = a', 'Line 1, column 1: “"x"” stands where a rule must begin.'),
    ("a = ", "Line 1, column 5: An element is missing before the end."),
    ("a = / b", "Line 1, column 5: An element is missing before “/”."),
    ("a = b /", "Line 1, column 8: An element is missing before the end."),
    ("a = 2*", "Line 1, column 7: An element is missing after “2*”."),
    ("a = 3*2b", "Line 1, column 5: “3*2” has a minimum above its maximum."),
    ("a = 0b", "Line 1, column 5: “0” never occurs."),
    ("a = ( b", "Line 1, column 8: “)” is missing before the end. Close “(”."),
    ("a = [ b )", "Line 1, column 9: “]” is missing before “)”."),
    ("a = b )", "Line 1, column 7: “)” stands where a rule must begin."),
    ('a = "x', "Line 1, column 5: The string has no closing quotation mark in its line."),
    ("a = 'x'", "Line 1, column 5: “'” has no meaning in ABNF. Quote it if it is part of names."),
    ("a = b | c", "Line 1, column 7: “|” has no meaning in ABNF."),
    ("a = é", "Line 1, column 5: U+00E9 has no meaning in ABNF."),
    ('a = "é"', "Line 1, column 6: No NSS can contain U+00E9. Remove it, or percent-encode it."),
    ('a = "x y"', "Line 1, column 7: No NSS can contain U+0020."),
    ("a = %x20", "Line 1, column 5: No NSS can contain U+0020."),
    ("a = %x00-20", "Line 1, column 5: No NSS has a character of “%x00-20”."),
    ("a = %x110000", "Line 1, column 5: “%x110000” is beyond Unicode."),
    ("a = %xFFFFFFFFFFFFFFFF", "Line 1, column 5: “%xFFFFFFFFFFFFFFFF” is beyond Unicode."),
    ("a = %b2", "Line 1, column 5: “%b2” is not a number in base 2."),
    ("a = %d1F", "Line 1, column 5: “%d1F” is not a number in base 10."),
    ("a = %x39-30", "Line 1, column 5: The range “%x39-30” is empty."),
    ("a = %z1", "Line 1, column 5: After “%”, one of x, d, b with a number"),
    ("a = <any name>", "Line 1, column 5: “<any name>” is prose, which cannot be matched."),
    ("a = b", "Line 1, column 5: The rule “b” is not defined. Define it, or quote the text."),
    ('a = "x"\nb = c', "Line 2, column 5: The rule “c” is not defined."),
    ("a = SP", "Line 1, column 5: “SP” stands for characters that no NSS has. Remove it."),
    ('a = "x"\nA = "y"', "Line 2, column 1: The rule “a” is defined twice. Remove one"),
    ("a = a", "Line 1, column 5: The rule “a” refers to itself: a → a."),
    ('a = "(" [ a ] ")"', "Line 1, column 11: The rule “a” refers to itself: a → a."),
    ("a = b\nb = c\nc = *( DIGIT b )", "Line 3, column 14: The rule “b” refers to itself: b → c → b."),
    ('a = "x"\nb = b', "Line 2, column 5: The rule “b” refers to itself"),
    ('a = "' + "x" * 501 + '"', "Line 1, column 5: The text has 501 characters; the limit is 500."),
    ("a = 1001DIGIT", "Line 1, column 5: “1001” repeats too often. Use at most 1,000"),
    ("a = *99999999999999999999DIGIT", "Line 1, column 5: The repetition is too large."),
    ("a = 100(100DIGIT)", "Line 1, column 5: Nested repetitions multiply to 10,000; the limit is 1,000."),
    ("a = 100(*11b)\nb = DIGIT", "Line 1, column 5: Nested repetitions multiply to 1,100"),
    (
        f'a = 900("{"x" * 30}")',
        "Line 1, column 5: This repetition is too large: about 27,900 steps; the limit is",
    ),
    (
        'a = 13b\nb = 70("' + "x" * 30 + '")',
        "Line 1, column 5: This repetition is too large: about 28,223 steps",
    ),
    ("a = " + "b " * 20 + '\nb = 900("x" "y")', "Line 1, column 1: The rule “a” is too large: about 54,000"),
    (
        "a = 1000(%s'xyzabcdefgh')".replace("'", '"'),
        "Line 1, column 1: The grammar compiles to 11,004 steps;",
    ),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=[text[:25] for text, _ in REFUSED])
def test_a_wrong_grammar_is_refused_with_its_place_and_reason(text, reason):
    with pytest.raises(InvalidGrammar) as refusal:
        AbnfGrammar(text)
    assert str(refusal.value).startswith(reason)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_grammar_is_refused(text):
    """`python3 run.py benchmark profiles` measures how long this takes."""
    with pytest.raises(InvalidGrammar) as refusal:
        AbnfGrammar(text)
    assert len(str(refusal.value)) < 6_000


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_a_grammar_that_looks_hostile_is_matched_all_the_same(text):
    grammar = AbnfGrammar(text)
    name = "1" * (grammar.longest_nss - 1)
    grammar.matches(name)
    assert not grammar.matches(name + "!")
    misfit = grammar.misfit_of(name + "!", ())
    assert misfit is None or misfit.position <= len(name)
