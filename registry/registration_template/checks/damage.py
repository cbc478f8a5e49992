"""Advice on damage in the texts of sections, which must not be registered unseen."""

import re
from collections.abc import Iterator

from registry.core.validators import shortened
from registry.registration_template.checks.findings import CheckContext, Finding, advice
from registry.registration_template.restoration.changes import INVISIBLE, visible
from registry.registration_template.restoration.characters import WRONGLY_READ
from registry.registration_template.restoration.mail import LIST_FOOTER, QUOTED_PRINTABLE, SIGNATURE
from registry.registration_template.restoration.markup import OF_MARKDOWN
from registry.registration_template.restoration.pages import FENCE, FOOTER, HEADER
from registry.registration_template.sections import SECTION_BY_KEY, TEXT_SECTIONS

_MAX_LINE = 60
# Names in angle brackets, such as “<name>”, are grammar.
_TAG = re.compile(r"</(?:p|div|span|table|tr|t[dh]|li|[uod]l|pre|strong|b|h[1-6])>|<br ?/?>", re.IGNORECASE)
_QUOTED_LABEL = re.compile(r">[ \t]*[A-Z][A-Za-z ]{2,40}:(?:[ \t]|$)")
# The code of the finding, what a line of it has (in full or in part), and its name and remedy.
_DAMAGES: tuple[tuple[str, re.Pattern[str], bool, str, str], ...] = (
    ("page-footer", FOOTER, True, "the footer of a page", "Remove it."),
    ("page-header", HEADER, True, "the header of a page", "Remove it."),
    (
        "quoted-printable",
        QUOTED_PRINTABLE,
        False,
        "quoted-printable code (RFC 2045)",
        "Decode it: “=3D” is “=”.",
    ),
    (
        "invisible-character",
        INVISIBLE,
        False,
        "an invisible character",
        "Remove it, or name it as U+ and its digits.",
    ),
    (
        "escape",
        OF_MARKDOWN,
        False,
        "an escape of Markdown",
        "Remove the backslash: the text is published as it is.",
    ),
    (
        "wrong-encoding",
        WRONGLY_READ,
        False,
        "characters that were read in a wrong encoding",
        "Read the text as UTF-8.",
    ),
    ("signature", SIGNATURE, True, "the line that begins a signature (RFC 3676)", "Remove the signature."),
    ("list-footer", LIST_FOOTER, False, "the footer of a mailing list", "Remove it."),
    ("quoting", _QUOTED_LABEL, False, "quote marks of a mail", "Remove them."),
    ("fence", FENCE, True, "a Markdown fence", "Remove it: the text is published as it is."),
    ("html", _TAG, False, "a tag of HTML", "Replace it by text."),
)


def advise_damage(context: CheckContext) -> Iterator[Finding]:
    """Texts contain no remains of the mail, page or document that they were copied from."""
    texts = {key: getattr(context.template, key) for key in ("namespace_identifier", "date", *TEXT_SECTIONS)}
    registrant = context.template.registrant.to_json().values()
    texts["registrant"] = "\n".join(value for value in registrant if isinstance(value, str))
    for key, text in texts.items():
        lines = text.split("\n")
        for code, pattern, is_whole, what, remedy in _DAMAGES:
            find = pattern.fullmatch if is_whole else pattern.search
            line = next((line for line in lines if find(line)), None)
            if line is not None:
                shown = shortened(visible(line.strip()), _MAX_LINE)
                message = f"{SECTION_BY_KEY[key].title} contains {what}: “{shown}”. {remedy}"
                yield advice(key, code, message)
