"""The list of erased people that an operator keeps outside of the database, as salted digests of their addresses.

An older escrow or backup contains the data of people who were erased since. After its restore, the list finds them.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path

from registry.core.digests import new_salt, salted_digest
from registry.core.exceptions import RegistryError


class MalformedErasureList(RegistryError):
    """A line of the file was not written by `manage.py erase_person --list`."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Malformed list"


@dataclass(frozen=True, slots=True)
class ErasedAddress:
    """One line of the list: who was erased, and whether from the public texts, too."""

    salt: str
    digest: str
    with_texts: bool

    @classmethod
    def of(cls, address: str, *, with_texts: bool) -> "ErasedAddress":
        salt = new_salt()
        return cls(salt, salted_digest(salt, address.lower()), with_texts)

    def is_of(self, address: str) -> bool:
        return self.digest == salted_digest(self.salt, address.lower())


def add_to_list(path: Path, entry: ErasedAddress) -> None:
    """Append a line to a file that only its owner can read."""
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(entry)) + "\n")


def read_list(path: Path) -> list[ErasedAddress]:
    return list(_entries(path))


def _entries(path: Path) -> Iterator[ErasedAddress]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            yield ErasedAddress(**json.loads(line))
        except (ValueError, TypeError) as fault:
            raise MalformedErasureList(
                f"Line {number} of {path} was not written by manage.py erase_person --list."
            ) from fault
