"""The parts of a line about a person: the name and the address, the role and the organisation."""

import re

# Some registrations write “&” for “@”.
EMAIL_ADDRESS = r"[^\s@&,;<>()]{1,64}[@&][^\s@&,;<>()]{1,255}\.[A-Za-z]{2,}"

_EMAIL = re.compile(rf"(?:mailto:)?({EMAIL_ADDRESS})")
_ROLE = (
    r"(?:director|manager|chair(?:man|person|woman)?|co-chair|secretary(?:[ -]general)?|president|registrar|officer"
    r"|CEO|CTO|CIO|head|lead(?:er)?|editor|engineer|professor|architect|coordinator|administrator|consultant"
    r"|scientist|librarian|developer|founder|member|representative|analyst|advis[eo]r|researcher|convenor|convener)"
)
_ROLE_WORD = re.compile(rf"\b{_ROLE}\b", re.IGNORECASE)
_ROLE_OF = re.compile(rf"((?:[\w-]+ ){{0,3}}{_ROLE}),? (?:at|of|with) (?:the )?(\S.*)", re.IGNORECASE)
_ROLE_IN_BRACKETS = re.compile(r"([^()]*[^() ]) *\(([^()]*)\)")
_ORGANIZATION = re.compile(
    r"\b(?:society|institut\w*|universit\w*|association|organi[sz]ation|inc|ltd|gmbh|foundation|group|forum|council"
    r"|committee|library|agency|company|corporation|consortium|alliance|office|board|union|authority|registry"
    r"|bureau|cent(?:re|er)|federation)\b",
    re.IGNORECASE,
)


def split_email(text: str) -> tuple[str, str]:
    """The text without its e-mail address, and the address: “Name <address>”, “Name (address)”, “Name, address”."""
    match = _EMAIL.search(text)
    if match is None:
        return text, ""
    before, after = text[: match.start()].rstrip(" ,;:<([-"), text[match.end() :].lstrip(" ,;>)]")
    return ", ".join(each for each in (before, after) if each), match[1].removeprefix("mailto:")


def split_role(text: str) -> tuple[str, str]:
    """The role and the organisation in an affiliation. The role is empty if the text names only an organisation."""
    if (match := _ROLE_IN_BRACKETS.fullmatch(text)) and _is_role(match[2]):
        return match[2], match[1]
    first, comma, rest = text.partition(", ")
    if comma and _is_role(first):
        return first, rest
    others, comma, last = text.rpartition(", ")
    if comma and _is_role(last):
        return last, others
    if match := _ROLE_OF.fullmatch(text):
        return match[1], match[2]
    return "", text


def _is_role(text: str) -> bool:
    return _ROLE_WORD.search(text) is not None and _ORGANIZATION.search(text) is None
