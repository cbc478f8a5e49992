"""Lists of sub-namespaces: one object a line, sorted by prefix, in the file ``<nid>.jsonl``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from .. import schema
from ..errors import InvalidProfile
from ..profile import MAX_SERVICES, Names, Profile, check_names
from ..schema import key
from ..services.choice import ServiceFinder
from ..services.service import Service
from .history import History, read_history
from .levels import read_prefix

T = TypeVar("T")
STATUSES = ("active", "deprecated", "retired")
"""A deprecated sub-namespace should not be used for new names; in a retired one, no new names are assigned."""

MAX_LINE = 100_000  # octets
MAX_FIELDS = 20
MAX_FIELD_VALUE = 1_000  # characters
FIELD_NAME = re.compile("[a-z][a-z0-9_]{0,39}")
_read_field_name = schema.matching(
    FIELD_NAME,
    40,
    "a name of a field",
    "Write at most 40 small letters, digits and “_”, with a letter at the beginning.",
)
_read_fields = schema.table_of(_read_field_name, schema.block(MAX_FIELD_VALUE), most=MAX_FIELDS)
_FREE = Names(unstated="What follows is up to the holder.")


@dataclass(frozen=True)
class SubNamespace:
    """A prefix of the names of a namespace, and who stands behind it.

    `successor` is a prefix of the same namespace. `reference` is the document that defines the sub-namespace, `source` the
    list that contains it, as of the date `as_of`. `names` and `services` apply to what follows the prefix and its separator.
    `fields` are texts by name, which the register of the namespace asks for. `history` is what happened before the list had it.

    >>> from urnsyntax.profiles.subnamespaces.lists import SubNamespace
    >>> SubNamespace.from_dict({"prefix": "de:bvb", "title": "Bavarian library network"}, "nbn").status
    'active'
    """

    prefix: str = key(read_prefix)
    title: str = key(schema.text(300))
    holder: str = key(schema.text(200), "")
    status: str = key(schema.one_of(STATUSES, "a status"), "active")
    successor: str = key(read_prefix, "")
    reference: str = key(schema.text(200), "")
    url: str = key(schema.url, "")
    source: str = key(schema.text(300), "")
    as_of: str = key(schema.date, "")
    names: Names | None = key(schema.object_of(Names), None)  # noqa: RUF009  # a field, not a default value
    services: tuple[Service, ...] = key(schema.objects_of(Service, most=MAX_SERVICES), ())
    fields: Mapping[str, str] = key(lambda value, at: _read_fields(value, at) or (), ())
    history: History = key(read_history, ())  # noqa: RUF009  # a field, not a default value

    @classmethod
    def from_dict(cls, mapping: Mapping[str, Any], nid: str) -> SubNamespace:
        """The sub-namespace of a mapping. Raises `InvalidProfile` with the key, the place and the reason."""
        entry = schema.read_object(cls, mapping)
        if entry.names is not None:
            check_names(entry.names, nid)
        if entry.services:
            _ = entry.service_finder(nid)  # Made now, because it checks the services.
        return entry

    def to_dict(self) -> dict[str, Any]:
        """The mapping of the sub-namespace, without empty values: the inverse of `from_dict`."""
        return schema.write_object(self)

    def service_finder(self, nid: str) -> ServiceFinder:
        """Finds the services of a name. Raises `InvalidProfile` if a service does not fit `names`."""
        finder = self._finders.get(nid)
        if finder is None:
            finder = self._finders[nid] = ServiceFinder(nid, self.names or _FREE, self.services)
        return finder

    @cached_property
    def _finders(self) -> dict[str, ServiceFinder]:
        return {}


SubNamespaces = Mapping[str, SubNamespace]
"""Sub-namespaces by normalized prefix: all of a list, or at least those of the prefixes of one name."""


def read_lines(lines: Iterable[bytes], nid: str) -> Iterator[tuple[int, SubNamespace | InvalidProfile]]:
    """The sub-namespaces of the lines of a file, or what is wrong, each with the number of its line."""
    for number, read in read_objects(lines, lambda mapping: SubNamespace.from_dict(mapping, nid)):
        if isinstance(read, InvalidProfile):
            read.place = ", ".join(filter(None, [f"line {number}", read.place]))
        yield number, read


def read_objects(
    lines: Iterable[bytes], make: Callable[[Mapping[str, Any]], T]
) -> Iterator[tuple[int, T | InvalidProfile]]:
    """What `make` makes of the JSON object on each line, or what is wrong, each with the number of its line."""
    for number, line in enumerate(lines, 1):
        try:
            yield number, make(_object_of(line))
        except InvalidProfile as error:
            yield number, error


def _object_of(line: bytes) -> Mapping[str, Any]:
    if len(line) > MAX_LINE:
        raise InvalidProfile("", f"The line has more than {MAX_LINE:,} octets.", "Shorten it.")
    try:
        read: Mapping[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidProfile("", "This is not a JSON object.", "Write one object a line, in UTF-8.") from None
    return read


def keyed(entries: Iterable[SubNamespace], profile: Profile) -> Iterator[tuple[str, SubNamespace]]:
    """The sub-namespaces with their normalized prefixes. The profile has levels."""
    entries = list(entries)
    known = {each.prefix.lower() for each in entries}
    walker = profile.walker
    return ((walker.key_of(each.prefix, known), each) for each in entries) if walker else iter(())


def load_list(path: Path | str, profile: Profile) -> dict[str, SubNamespace]:
    """The sub-namespaces of a file by normalized prefix. Raises `InvalidProfile` for the first wrong line, and `OSError`."""
    path = Path(path)
    entries = []
    with path.open("rb") as lines:
        for _, entry in read_lines(lines, profile.nid):
            if isinstance(entry, InvalidProfile):
                entry.file = path.name
                raise entry
            entries.append(entry)
    return dict(keyed(entries, profile))


def load_lists(directory: Path | str, profiles: Iterable[Profile]) -> dict[str, dict[str, SubNamespace]]:
    """The lists of a directory for those profiles that have levels, by NID. A missing list is left out.

    Raises `InvalidProfile` for the first wrong line, and `OSError`.
    """
    paths = {each.nid: (Path(directory) / f"{each.nid}.jsonl", each) for each in profiles if each.levels}
    return {nid: load_list(path, profile) for nid, (path, profile) in paths.items() if path.exists()}
