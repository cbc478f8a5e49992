"""Lists of sub-namespaces, compared with the events that registered their versions.

The digest of a version is that of a line with the digest of the version before, if there is one, and of the contents that the
version set, each a line of canonical JSON, in the order of their prefixes. So it stands for the whole list, and what it was before.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import IO, Any, TypeAlias

from urnregistry.errors import LogChanged
from urnregistry.members import whole
from urnregistry.monitoring import API
from urnregistry.proofs import canonical_json
from urnregistry.syncing import MAX_LINE

LIST = "list"
# For each kind of text and each NID, the digest of each version and the number of its event, by the number of the version.
Texts: TypeAlias = dict[tuple[str, str], dict[int, tuple[str, int]]]


def paths_of_list(api: str, nid: str) -> tuple[str, str]:
    """Return the addresses of the list of a namespace, and of all that its versions set."""
    folder = f"{api.removesuffix(API)}namespaces/{nid}/subnamespaces/{nid}"
    return f"{folder}.jsonl", f"{folder}-versions.jsonl"


def check_versions(
    nid: str, versions: IO[bytes], texts: Texts, position: int, position_of_versions: int
) -> tuple[list[int], dict[str, bytes]]:
    """Return the numbers of the events of all versions, which are removed from `texts`, and the digests of the contents that the
    list has as of the event `position`, by prefix. Raises LogChanged at a contradiction.

    `versions` is what the versions of the list set, as of the same event or a later one.
    """
    digest, numbers, listed = "", [], dict[str, bytes]()
    registered = texts.get((LIST, nid), {})
    for version, rows in groupby(_objects_in(versions), lambda row: whole(row["version"])):
        logged, number = registered.pop(version, ("", 0))
        computed = hashlib.sha256(f"{digest}\n".encode() if digest else b"")
        for row in rows:
            line = canonical_json(row["content"])
            computed.update(f"{line}\n".encode())
            if number <= position:
                listed[row["content"]["prefix"]] = _digest(line)
        digest = computed.hexdigest()
        if digest != logged:
            raise LogChanged(f"No event registered version {version} of {_named(nid)} as it is now.")
        numbers.append(number)
    check_complete(registered.values(), position_of_versions)
    return numbers, listed


def check_list(nid: str, file: IO[bytes], listed: dict[str, bytes]) -> None:
    """Raise LogChanged unless the list is what its versions add up to, of which `check_versions` returned the digests."""
    for content in _objects_in(file):
        if listed.pop(content["prefix"], b"") != _digest(canonical_json(content)):
            raise LogChanged(f"“{content['prefix']}” is not in {_named(nid)} as its versions set it.")
    if listed:
        raise LogChanged(f"“{min(listed)}” is missing in {_named(nid)}.")


def _named(nid: str) -> str:
    return f"the list of sub-namespaces of “{nid}”"


def check_complete(texts: Iterable[tuple[str, int]], position: int) -> None:
    """Raise LogChanged if one of these texts, which are not published, was registered up to the event `position`."""
    missing = min((number for _, number in texts if number <= position), default=0)
    if missing:
        raise LogChanged(f"The registry does not publish the text that event {missing} registered.")


def _objects_in(file: IO[bytes]) -> Iterator[Mapping[str, Any]]:
    while line := file.readline(MAX_LINE):
        yield json.loads(line)


def _digest(line: str) -> bytes:
    return hashlib.sha256(line.encode()).digest()
