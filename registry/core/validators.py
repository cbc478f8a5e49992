"""Validation of texts for the audit log, such as reasons and references, and of e-mail addresses."""

from http import HTTPStatus

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from registry.core.characters import OBSOLETE_LINE_BREAK, UNSTORABLE
from registry.core.exceptions import RegistryError
from registry.core.text_limits import MAX_ADDRESS_LENGTH, MAX_TEXT_LENGTH


class TextRefused(Exception):
    """What the refusals of a text share. `argument` names the text if an action takes several; `row` is its number
    among those of the argument.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY

    def __init__(self, message: str, *, argument: str = "", row: int = 0) -> None:
        super().__init__(message)
        self.argument, self.row = argument, row


class TextMissing(TextRefused, RegistryError):
    """A required text is empty."""

    title = "A text is required"


class UnstorableCharacter(TextRefused, RegistryError):
    """The text contains a character that databases, mail or XML cannot store."""

    title = "This text can't be stored"


class TextTooLong(TextRefused, RegistryError):
    """The text is longer than allowed."""

    title = "This text is too long"


class InvalidAddress(TextRefused, RegistryError):
    """The text is not an e-mail address."""

    title = "Not an e-mail address"


def check_text(text: str, what: str, *, longest: int = MAX_TEXT_LENGTH, argument: str = "") -> str:
    """Return `text` without surrounding white space. Raises TextMissing if it has no visible character."""
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise TextMissing(f"Enter {what}.", argument=argument)
    return check_optional_text(text, what, longest=longest, argument=argument)


def check_optional_text(text: str, what: str, *, longest: int = MAX_TEXT_LENGTH, argument: str = "") -> str:
    """Return `text` without surrounding white space; it may be empty."""
    text = OBSOLETE_LINE_BREAK.sub("\n", text).strip()
    if found := UNSTORABLE.search(text):
        raise UnstorableCharacter(
            f"Character {found.start() + 1} of {what} is U+{ord(found[0]):04X}, a control character or an "
            "unpaired surrogate, which can't be stored. Remove it.",
            argument=argument,
        )
    if len(text) > longest:
        raise TextTooLong(f"Shorten {what} to at most {longest:,} characters.", argument=argument)
    return text


def check_address(text: str, *, argument: str = "") -> str:
    """Return the e-mail address `text`, which may belong to no account."""
    email = check_optional_text(text, "the e-mail address", longest=MAX_ADDRESS_LENGTH, argument=argument)
    if not email:
        raise TextMissing("Enter an e-mail address.", argument=argument)
    try:
        validate_email(email)
    except ValidationError as fault:
        raise InvalidAddress(
            "Enter an e-mail address, such as name@example.org.", argument=argument
        ) from fault
    return email
