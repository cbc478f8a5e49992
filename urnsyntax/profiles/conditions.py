"""Conditions on the parts of a name: the key `only` of services and of check digits."""

from collections.abc import Iterable, Mapping

from . import schema


class Condition:
    """The values that a part can have.

    >>> condition = Condition(["br", "br;*"])
    >>> condition.holds("BR"), condition.holds("br;sao.paulo"), condition.holds("brx")
    (True, True, False)
    """

    def __init__(self, values: Iterable[str]) -> None:
        lower = [value.lower() for value in values]
        self._texts = frozenset(value for value in lower if not value.endswith("*"))
        self._beginnings = tuple(value[:-1] for value in lower if value.endswith("*"))

    def holds(self, text: str) -> bool:
        """Whether a part can have this text."""
        text = text.lower()
        return text in self._texts or text.startswith(self._beginnings)


Conditions = Mapping[str, tuple[str, ...]] | tuple[()]
"""The values that parts can have, by the name of the part."""

read_conditions = schema.table_of(
    schema.text(60), schema.list_of(schema.text(100), least=1, most=100), most=5
)


def conditions_of(only: Conditions) -> dict[str, Condition]:
    """The conditions by the name of the part."""
    return {part: Condition(values) for part, values in dict(only).items()}
