"""What RFC 8141 recommends and what experience teaches: findings that an expert can set aside."""

from collections.abc import Callable, Iterator

from registry.appendix_a.example_checks import WITH_EXAMPLES
from registry.appendix_a.examples import find_examples
from registry.appendix_a.findings import Case, Finding, advice
from registry.appendix_a.sections import SECTION_BY_KEY
from registry.appendix_a.submission import TEXT_SECTIONS
from registry.appendix_a.wording import (
    COMPONENTS,
    NON_ASCII,
    OBSOLETE_RFC,
    OPENNESS,
    PAST,
    PLACEHOLDER,
    REASON,
    UNIQUENESS,
    says_nothing,
)

_AROUND = 120


def advise_specification(case: Case) -> Iterator[Finding]:
    """A stable specification is recommended (Section 6.2)."""
    if not case.fast_track and says_nothing(case.submission.documentation):
        message = "No specification is named. Point to a stable document that defines the namespace."
        yield advice("documentation", "no-specification", message, "RFC 8141, Section 6.2")


def advise_substance(case: Case) -> Iterator[Finding]:
    """“N/A” is no answer where the RFC asks a question."""
    for key in ("purpose", "syntax", "assignment", "security_and_privacy", "resolution"):
        text = getattr(case.submission, key)
        if text and says_nothing(text):
            section = SECTION_BY_KEY[key]
            yield advice(key, "says-nothing", f"{section.title} says only “{text}”. {section.guidance[0]}")


def advise_components(case: Case) -> Iterator[Finding]:
    """What r-, q- and f-components mean is undefined unless it is said (Section 6.4.2, Appendix A)."""
    texts = (case.submission.purpose, case.submission.syntax, case.submission.resolution)
    if case.submission.syntax and not any(COMPONENTS.search(text) for text in texts):
        message = (
            "Nothing is said of r-, q- and f-components, so they stay undefined. Say so, or define them."
        )
        yield advice("syntax", "components-not-mentioned", message, "RFC 8141, Section 6.4.2 (5)")


def advise_characters(case: Case) -> Iterator[Finding]:
    """Names should be ASCII unless their nature forbids it (Section 2.2)."""
    syntax = case.submission.syntax
    if NON_ASCII.search(syntax) and not REASON.search(syntax + case.submission.purpose):
        message = (
            "Names seem to have characters outside ASCII. Do without them, or say why they are necessary."
        )
        yield advice("syntax", "non-ascii-names", message, "RFC 8141, Section 2.2")


def advise_assignment(case: Case) -> Iterator[Finding]:
    """Who may assign names, and what keeps them unique (Section 6.4.3)."""
    text = case.submission.assignment
    if not text or says_nothing(text):
        return
    if not OPENNESS.search(text):
        message = (
            "Say whether assignment is open to everybody, closed, or delegated, and how one gets a name."
        )
        yield advice("assignment", "openness-not-stated", message, "RFC 8141, Section 6.4.3 (1)")
    if not UNIQUENESS.search(f"{text}\n{case.submission.syntax}"):
        message = "Say what makes sure that no name is ever assigned twice."
        yield advice("assignment", "uniqueness-not-explained", message, "RFC 8141, Section 6.4.3 (2)")


def advise_references(case: Case) -> Iterator[Finding]:
    """RFC 2141 and RFC 3406 are obsolete: RFC 8141 replaces them."""
    for key in TEXT_SECTIONS:
        text = getattr(case.submission, key)
        if key == "revision_information":
            continue
        cited = {
            match[1]
            for match in OBSOLETE_RFC.finditer(text)
            if not PAST.search(text[max(0, match.start() - _AROUND) : match.end() + _AROUND])
        }
        for number in sorted(cited):
            message = (
                f"RFC {number} is cited as if it were current. Cite RFC 8141, or say that it is obsolete."
            )
            yield advice(key, "obsolete-reference", message, "RFC 8141")


def advise_placeholders(case: Case) -> Iterator[Finding]:
    """Nothing is left to be filled in."""
    texts = {key: getattr(case.submission, key) for key in TEXT_SECTIONS}
    registrant = case.submission.registrant
    texts["registrant"] = "\n".join(
        value for value in registrant.to_json().values() if isinstance(value, str)
    )
    texts["date"] = case.submission.date
    for key, text in texts.items():
        in_examples = {example.nid for example in find_examples(text)} if key in WITH_EXAMPLES else set()
        for word in sorted({match[0] for match in PLACEHOLDER.finditer(text)}):
            if word.lower() in in_examples:
                continue
            message = f"“{word}” in {SECTION_BY_KEY[key].title} looks like a placeholder. Replace it."
            yield advice(key, "placeholder", message)


ADVICE: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    advise_specification,
    advise_substance,
    advise_components,
    advise_characters,
    advise_assignment,
    advise_references,
    advise_placeholders,
)
