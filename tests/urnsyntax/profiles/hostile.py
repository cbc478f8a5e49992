"""Grammars that try to take long: some are refused, and some are matched all the same."""

from tests.urnsyntax.profiles.samples import profile
from urnsyntax.profiles import Profile
from urnsyntax.profiles.grammar.abnf import MAX_GRAMMAR, MAX_RULES


def doubling(levels):
    """A grammar of 2 ** levels characters."""
    rules = [f"r{level} = r{level + 1} r{level + 1}" for level in range(levels)]
    return "\n".join([*rules, f"r{levels} = DIGIT"])


HOSTILE = {
    "too long": 'a = "x"' + " " * MAX_GRAMMAR,
    "too many rules": "\n".join(f"r{n} = DIGIT" for n in range(MAX_RULES + 1)),
    "doubling": doubling(30),
    "doubling choices": doubling(30).replace(" r", " / r").replace("= /", "=") + " ALPHA",
    "doubling options": "\n".join(f"r{n} = [ r{n + 1} ] [ r{n + 1} ]" for n in range(300)) + "\nr300 = DIGIT",
    "doubling of nothing": doubling(30).replace("= DIGIT", '= ""'),
    "deep parentheses": "a = " + "(" * 5_000 + "b" + ")" * 5_000,
    "unclosed parentheses": "a = " + "(" * 10_000,
    "unclosed options": "a = " + "[" * 10_000,
    "a long chain": "\n".join(f"r{n} = r{n + 1}" for n in range(MAX_RULES - 1))
    + f"\nr{MAX_RULES - 1} = DIGIT",
    "a long chain, last first": "\n".join(
        [f"r{n} = r{n + 1} DIGIT" for n in reversed(range(MAX_RULES - 1))] + [f"r{MAX_RULES - 1} = DIGIT"]
    ),
    "a long cycle": "\n".join(f"r{n} = r{(n + 1) % MAX_RULES}" for n in range(MAX_RULES)),
    "nested stars": "a = " + "*(" * 40 + "DIGIT" + ")" * 40,
    "many repetitions": "a = " + "*999DIGIT " * 1_000,
    "a long string": 'a = "' + "x" * 19_000 + '"',
    "many numbers": "a = %x" + ".".join(["61"] * 6_000),
    "a huge number": "a = %d" + "9" * 19_000,
    "a huge repetition": "a = " + "9" * 19_000 + "DIGIT",
    "only stars": "a = " + "*" * 19_000,
    "only quotation marks": '"' * 19_999,
    "only names": "a " * 9_000,
    "only equals signs": "a=" * 9_000,
    "only percent signs": "%" * 19_999,
    "only semicolons": ";\n" * 9_000,
    "wide choices of characters": "a = " + " / ".join(["VCHAR"] * 2_500),
    "long names": "a = " + "b" * 19_000,
    "null octets": "a = \0" * 4_000,
}


HARMLESS = {
    "doubled characters": doubling(30).replace(" r", " / r").replace("= /", "="),
    "added alternatives": "a = DIGIT\n" + "a =/ 2ALPHA\n" * 1_500,
    "ambiguous options": "a = 500[ DIGIT ] 500DIGIT",
    "nested stars": "a = *(*(*(*DIGIT)))",
    "overlapping stars": "a = " + "*DIGIT " * 100,
    "a large choice": "a = " + " / ".join(f'"{number:04}"' for number in range(2_000)),
}


def judged_profile(text: str) -> Profile:
    """A profile with the grammar, whose first rule is labelled."""
    return profile(abnf=f"whole = first\nfirst = {text.partition('=')[2]}", parts={"first": "all"})
