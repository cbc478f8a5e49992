"""The parameters of r- and q-components (RFC 8141, Sections 2.3.1 and 2.3.2).

The RFC leaves the inner syntax of the components open; its examples write them as ``name=value`` pairs, joined by
"&". This module reads that form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import final

from ..percent_encoding import percent_decoded


@final
class Parameters(Mapping[str, tuple[str, ...]]):
    """A read-only multi-map from the name of a parameter to its values, in their order.

    Names and values are decoded; octets that are not UTF-8 become lone surrogates, and "+" stays "+". A parameter
    without "=" has the value "". No component raises an error.

    >>> parameters = Parameters("op=map&lat=39.56&op=a%26b&all")
    >>> parameters["op"], parameters["all"], list(parameters)
    (('map', 'a&b'), ('',), ['op', 'lat', 'all'])
    >>> parameters.first("lat"), parameters.first("lon"), parameters.pairs[2]
    ('39.56', None, ('op', 'a&b'))
    """

    __slots__ = ("_pairs", "_values")

    def __init__(self, component: str | None) -> None:
        parameters = [part.partition("=") for part in (component or "").split("&") if part]
        self._pairs = tuple((_decoded(name), _decoded(value)) for name, _, value in parameters)
        values: dict[str, list[str]] = {}
        for name, value in self._pairs:
            values.setdefault(name, []).append(value)
        self._values = {name: tuple(each) for name, each in values.items()}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All parameters, in the order of the component."""
        return self._pairs

    def first(self, name: str) -> str | None:
        """The first value of a parameter, None if it is absent."""
        return self._values.get(name, (None,))[0]

    def __getitem__(self, name: str) -> tuple[str, ...]:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __eq__(self, other: object) -> bool:
        return self.pairs == other.pairs if isinstance(other, Parameters) else NotImplemented

    def __repr__(self) -> str:
        return f"<Parameters {self.pairs!r}>"


def _decoded(text: str) -> str:
    return percent_decoded(text).decode(errors="surrogateescape") if "%" in text else text
