"""Validators of texts, their limits, and shortening of texts for messages.

Forms, models, actions, views and the API use them.
"""

import re
from collections.abc import Collection
from enum import IntEnum
from http import HTTPStatus
from itertools import islice

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from registry.core.exceptions import RegistryError

# Control characters and lone surrogates, which XML 1.0 or PostgreSQL's text type cannot store.
UNSTORABLE = re.compile("[\x00-\x08\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Vertical tabs and form feeds, as in RFCs, which XML does not allow either: they become line feeds.
OBSOLETE_LINE_BREAK = re.compile("[\v\f]")


MAX_REPEATED = 100  # characters of a text
MAX_LISTED = 10  # errors or names


def shortened(text: str, longest: int = MAX_REPEATED) -> str:
    """The text, or its beginning and an ellipsis if it is longer than `longest` characters."""
    return text if len(text) <= longest else f"{text[:longest]}…"


def first_of(texts: Collection[str], separator: str = ", ") -> str:
    """The first texts of a list, and the number of the others."""
    left_out = len(texts) - MAX_LISTED
    end = f" and {left_out:,} {'other' if left_out == 1 else 'others'}" if left_out > 0 else ""
    return separator.join(islice(texts, MAX_LISTED)) + end


MAX_TEXT_LENGTH = 50_000  # unless another limit applies
MAX_COMMENT_LENGTH = 20_000
MAX_STATEMENT_LENGTH = 20_000  # on the deprecation of a namespace
MAX_BASIS_LENGTH = 5_000  # of a profile
MAX_REASON_LENGTH = 2_000
MAX_REFERENCE_LENGTH = 500  # to a decision
MAX_NAME_LENGTH = 200  # of a person or a contact
MAX_BODY_NAME_LENGTH = 200
MAX_ORGANISATION_NAME_LENGTH = 200
MAX_TITLE_LENGTH = 100  # of a canned text
MAX_TOKEN_NAME_LENGTH = 60
MAX_URL_LENGTH = 2_000  # of a webhook
MAX_ADDRESS_LENGTH = 254  # of e-mail (RFC 5321, Section 4.5.3.1.3)
# Of all fields of a form together. A form that exceeds only the limit of a text is returned with its text.
MAX_FORM_LENGTH = 500_000


class BodySize(IntEnum):
    """The most octets that the body of a request can have, by what it contains.

    A character can take 12 octets: percent-encoded in a form, or as two escapes in JSON.
    """

    SMALL = 64 * 1024
    TEXTS = 1024 * 1024
    URNS = 2 * 1024 * 1024
    TEMPLATE = 3 * 1024 * 1024


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
