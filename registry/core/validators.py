"""Validation of texts for the audit log, such as reasons and references, and of e-mail addresses."""

from http import HTTPStatus

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from registry.core.characters import OBSOLETE_LINE_BREAK, UNSTORABLE
from registry.core.exceptions import RegistryError
from registry.core.text_limits import MAX_ADDRESS_LENGTH, MAX_TEXT_LENGTH


class TextMissing(RegistryError):
    """A required text is empty."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "A text is required"


class UnstorableCharacter(RegistryError):
    """The text contains a character that databases, mail or XML cannot store."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This text can't be stored"


class TextTooLong(RegistryError):
    """The text is longer than allowed."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This text is too long"


class InvalidAddress(RegistryError):
    """The text is not an e-mail address."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Not an e-mail address"


def check_text(text: str, what: str, *, longest: int = MAX_TEXT_LENGTH) -> str:
    """Return `text` without surrounding white space. Raises TextMissing if it has no visible character."""
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise TextMissing(f"Enter {what}. It becomes part of the public record.")
    return check_optional_text(text, what, longest=longest)


def check_optional_text(text: str, what: str, *, longest: int = MAX_TEXT_LENGTH) -> str:
    """Return `text` without surrounding white space; it may be empty."""
    text = OBSOLETE_LINE_BREAK.sub("\n", text).strip()
    if found := UNSTORABLE.search(text):
        raise UnstorableCharacter(
            f"Character {found.start() + 1} of {what} is U+{ord(found[0]):04X}, a control character or an "
            "unpaired surrogate, which can't be stored. Remove it."
        )
    if len(text) > longest:
        raise TextTooLong(f"Shorten {what} to at most {longest:,} characters.")
    return text


def check_address(text: str) -> str:
    """Return the e-mail address `text`, which may belong to no account."""
    email = check_optional_text(text, "the e-mail address", longest=MAX_ADDRESS_LENGTH)
    if not email:
        raise TextMissing("Enter an e-mail address.")
    try:
        validate_email(email)
    except ValidationError as fault:
        raise InvalidAddress("Enter an e-mail address, such as name@example.org.") from fault
    return email
