"""Words that become part of the record, such as a reason or a reference: that they are there, and can be kept."""

from http import HTTPStatus

from registry.core.characters import OBSOLETE_LINE_BREAK, UNSTORABLE
from registry.core.exceptions import RegistryError

MAX_TEXT_LENGTH = 50_000


class TextMissing(RegistryError):
    """A move that must say why, or what, says nothing."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Something is left to say"


class UnstorableCharacter(RegistryError):
    """A character that no database column, mail or XML document would keep."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "These words can't be kept"


class TextTooLong(RegistryError):
    """More than the record keeps in one place."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is too long"


def check_text(text: str, what: str, *, longest: int = MAX_TEXT_LENGTH) -> str:
    """`text` without the space around it. Raises TextMissing when nothing of it can be seen."""
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise TextMissing(f"Write {what}: it becomes part of the public record.")
    return check_optional_text(text, what, longest=longest)


def check_optional_text(text: str, what: str, *, longest: int = MAX_TEXT_LENGTH) -> str:
    """`text` without the space around it; it may be empty."""
    text = OBSOLETE_LINE_BREAK.sub("\n", text).strip()
    if found := UNSTORABLE.search(text):
        raise UnstorableCharacter(
            f"Character {found.start() + 1} of {what} is U+{ord(found[0]):04X}, a control character or half "
            "of one, which can't be kept. Remove it."
        )
    if len(text) > longest:
        raise TextTooLong(f"This is longer than {longest:,} characters: shorten {what}.")
    return text
