"""Values for the empty members of a proposed profile, taken from the text of the template."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from registry.namespaces.proposals.proposed_profile import MEMBERS, ProposedProfile
from registry.registration_template.checks.examples import SECTIONS_WITH_EXAMPLES, find_examples
from registry.registration_template.sections import TEXT_SECTIONS
from registry.registration_template.template import RegistrationTemplate
from urnsyntax.profiles import InvalidProfile, InvalidRules, Profile
from urnsyntax.profiles.grammar.abnf import MAX_GRAMMAR
from urnsyntax.profiles.grammar.matching import parse_grammar

MAX_OFFERED = 10  # examples
MAX_SUMMARY = 500
MAX_RUNS = 3  # tried as grammars
MAX_DROPPED = 20  # lines at the end of a run
_FULL_NAME = re.compile(
    r"^[ \t]*(?:full name|title)(?: of the namespace)?[ \t]*:[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE
)
_RULE = re.compile(r"\s*[A-Za-z][A-Za-z0-9-]*\s*=/?(?:\s|$)")
# A line that continues a rule: with an alternative, a comment or an indented element.
_CONTINUATION = re.compile(r'\s*[/;)\]]|\s+["%<(\[*A-Za-z0-9]')
# A sentence ends before a capital or at the end of the paragraph, and not at an abbreviation.
_SENTENCE = re.compile(r"\S.*?(?<!\be\.g)(?<!\bi\.e)(?<!\bv)(?<!\bNo)[.!?](?=\s+[^\sa-z]|\s*\Z)", re.DOTALL)


def filled_from(proposed: ProposedProfile, template: RegistrationTemplate, *, nid: str) -> ProposedProfile:
    """The proposal with what the text states in its empty members. The others stay."""
    offered = stated_in(template, nid=nid)
    texts = {each.key: getattr(proposed, each.key) or getattr(offered, each.key) for each in MEMBERS}
    return replace(proposed, **texts)


def stated_in(template: RegistrationTemplate, *, nid: str) -> ProposedProfile:
    """The full name, the beginning of the purpose, the ABNF of the syntax, and the examples of a text."""
    return ProposedProfile(
        title=_full_name(template),
        summary=_first_sentences(template.purpose),
        abnf=grammar_in(template.syntax),
        examples="\n".join(examples_in(template, nid)),
    )


def _full_name(template: RegistrationTemplate) -> str:
    texts = (getattr(template, key) for key in TEXT_SECTIONS)
    found = next(filter(None, map(_FULL_NAME.search, texts)), None)
    name = found[1].strip().removesuffix(".") if found else ""
    try:
        return str(Profile.__dataclass_fields__["title"].metadata["read"](name, "title"))
    except InvalidProfile:
        return ""


def _first_sentences(purpose: str) -> str:
    """The first one to three sentences that fit into a summary."""
    summary = ""
    paragraph = purpose.strip().partition("\n\n")[0]
    beginning = " ".join(paragraph[: 4 * MAX_SUMMARY].split())[: MAX_SUMMARY + 1]
    for sentence in islice(_SENTENCE.finditer(beginning), 3):
        longer = f"{summary} {sentence[0]}".strip()
        if len(longer) > MAX_SUMMARY:
            break
        summary = longer
    return summary


def grammar_in(syntax: str) -> str:
    """The longest run of lines that is a grammar in ABNF, without lines at its end that are not; "" if there is none."""
    runs = sorted(_runs_of_rules(syntax.split("\n")), key=_length, reverse=True)
    grammars = map(_parsed_beginning, runs[:MAX_RUNS])
    return next(filter(None, grammars), "")


def _length(run: list[str]) -> int:
    return sum(map(len, run))


def _parsed_beginning(run: list[str]) -> str:
    """The run without the fewest lines at its end that let it be read as a grammar."""
    for end in range(len(run), max(0, len(run) - MAX_DROPPED - 1), -1):
        grammar = "\n".join(run[:end]).rstrip()
        if len(grammar) > MAX_GRAMMAR:
            continue
        try:
            parse_grammar(abnf=grammar.strip(), pattern="")
        except InvalidRules:
            continue
        return grammar
    return ""


def _runs_of_rules(lines: list[str]) -> Iterator[list[str]]:
    run: list[str] = []
    for line in lines:
        continues = run and (not line.strip() or (run[-1].strip() and _CONTINUATION.match(line)))
        if continues or _RULE.match(line):
            run.append(line)
        elif run:
            yield _without_blank_ends(run)
            run = []
    if run:
        yield _without_blank_ends(run)


def _without_blank_ends(run: list[str]) -> list[str]:
    return "\n".join(run).rstrip().split("\n")


def examples_in(template: RegistrationTemplate, nid: str) -> Iterator[str]:
    """The first names of the namespace in a text, each once."""
    found: dict[str, None] = {}
    for key in SECTIONS_WITH_EXAMPLES:
        for example in find_examples(getattr(template, key)):
            if example.urn and example.nid == nid:
                found.setdefault(example.text)
    yield from list(found)[:MAX_OFFERED]
