"""Words that become part of the record, such as a reason or a reference: that they are there, and can be kept."""

from http import HTTPStatus

from registry.characters import OLD_LINE_BREAK, UNKEEPABLE
from registry.errors import RegistryError

MAX_WORDS = 50_000


class WordsMissing(RegistryError):
    """A move that must say why, or what, says nothing."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Something is left to say"


class UnkeepableCharacter(RegistryError):
    """A character that no database column, mail or XML document would keep."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "These words can't be kept"


class TooManyWords(RegistryError):
    """More than the record keeps in one place."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This is too long"


def check_words(text: str, what: str, *, longest: int = MAX_WORDS) -> str:
    """`text` without the space around it. Raises WordsMissing when nothing of it can be seen."""
    if not any(character.isprintable() and not character.isspace() for character in text):
        raise WordsMissing(f"Write {what}: it becomes part of the public record.")
    return check_remark(text, what, longest=longest)


def check_remark(text: str, what: str, *, longest: int = MAX_WORDS) -> str:
    """`text` without the space around it; it may be empty."""
    text = OLD_LINE_BREAK.sub("\n", text).strip()
    if found := UNKEEPABLE.search(text):
        raise UnkeepableCharacter(
            f"Character {found.start() + 1} of {what} is U+{ord(found[0]):04X}, a control character or half "
            "of one, which can't be kept. Remove it."
        )
    if len(text) > longest:
        raise TooManyWords(f"This is longer than {longest:,} characters: shorten {what}.")
    return text
