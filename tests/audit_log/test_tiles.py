"""The log as files (https://c2sp.org/tlog-tiles): what a stranger computes from them, and when they are there.

`StrangersTree` is written from the texts of C2SP and RFC 6962 alone.
"""

import base64
import hashlib
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client

from registry.audit_log import heads, log, tiles
from registry.audit_log.heads import publish_head
from registry.audit_log.models import Event, SignedHead, TileHash
from registry.audit_log.tiles import Place, TileUnknown, read_hashes, read_tile
from registry.audit_log.verification import verify
from tests.support.databases import in_sql
from tests.support.tampering import as_owner, as_the_previous_release

PREFIX = "/audit-log"
LARGE = 70_000  # the example of the text


def write_events(number: int) -> None:
    with transaction.atomic():
        details = {"outcome": "added", "as_of": "2026-01-31", "message": ""}
        log.append_all(
            Event(verb="import", nid=f"example-{count}", details=details) for count in range(number)
        )


def place_of(index: int) -> str:
    """The index in groups of three digits."""
    text = f"{index:03}"
    text = text.zfill((len(text) + 2) // 3 * 3)
    groups = [text[at : at + 3] for at in range(0, len(text), 3)]
    return "/".join([f"x{each}" for each in groups[:-1]] + groups[-1:])


def mth(hashes: list[bytes]) -> bytes:
    """The Merkle tree hash of RFC 6962, Section 2.1, from the hashes of its leaves."""
    if len(hashes) == 1:
        return hashes[0]
    half = 1
    while half * 2 < len(hashes):
        half *= 2
    return hashlib.sha256(b"\x01" + mth(hashes[:half]) + mth(hashes[half:])).digest()


class StrangersTree:
    """What someone sees who has the address of the log, and nothing else."""

    def __init__(self, client: Client) -> None:
        self.client = client
        text = self.fetch("checkpoint").decode().split("\n\n")[0].split("\n")
        self.origin, self.size, self.root = text[0], int(text[1]), base64.b64decode(text[2])

    def fetch(self, path: str) -> bytes:
        response = self.client.get(f"{PREFIX}/{path}")
        assert response.status_code == 200, path
        return bytes(response.content)

    def paths(self, kind: str, count: int) -> Iterator[str]:
        for index in range(count // 256):
            yield f"tile/{kind}/{place_of(index)}"
        if count % 256:
            yield f"tile/{kind}/{place_of(count // 256)}.p/{count % 256}"

    def hashes(self, level: int) -> list[bytes]:
        content = b"".join(map(self.fetch, self.paths(str(level), self.size // 256**level)))
        return [content[at : at + 32] for at in range(0, len(content), 32)]

    def leaves(self) -> list[bytes]:
        found = []
        for bundle in map(self.fetch, self.paths("entries", self.size)):
            at = 0
            while at < len(bundle):
                end = at + 2 + int.from_bytes(bundle[at : at + 2], "big")
                found.append(bundle[at + 2 : end])
                at = end
        return found

    def check(self) -> None:
        """Leaves, hashes of leaves, hashes of tiles and the signed root fit each other."""
        leaves, hashes = self.leaves(), self.hashes(0)
        assert [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves] == hashes
        assert mth(hashes) == self.root
        level = 1
        while count := self.size // 256**level:
            below = self.hashes(level - 1)
            assert self.hashes(level) == [mth(below[at * 256 : at * 256 + 256]) for at in range(count)]
            level += 1


@pytest.mark.parametrize("size", [1, 255, 256, 257, 513])
def test_a_stranger_computes_the_root_from_the_files(size: int, client: Client, db: None) -> None:
    write_events(size)
    publish_head()
    StrangersTree(client).check()


def test_earlier_heads_and_events_of_the_previous_release_are_in_one_tree(client: Client, db: None) -> None:
    write_events(300)
    as_the_previous_release()
    publish_head()
    first = StrangersTree(client)
    first.check()
    write_events(300)
    publish_head()
    second = StrangersTree(client)
    second.check()
    assert second.size == 601
    assert mth(second.hashes(0)[:300]) == first.root
    assert {len(leaf) for leaf in second.leaves()[:300]} == {32}
    assert all(leaf.startswith(b'{"') for leaf in second.leaves()[300:])


def test_the_levels_of_the_example_of_the_text(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """273 full tiles at level 0, one of width 112; one at level 1, one of width 17; one of width 1 at level 2."""

    def leaf_hashes(after: int, last: int) -> Iterator[bytes]:
        return (hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(after, last))

    def read(*extents: tuple[int, int, int]) -> list[bytes]:
        return [
            read_hashes((level, *extent))[0] if level else b"".join(leaf_hashes(*extent))
            for level, *extent in extents
        ]

    monkeypatch.setattr(tiles, "read_hashes", read)
    monkeypatch.setattr(tiles, "published_size", lambda: LARGE)
    tiles.complete_tiles(LARGE)
    assert {level: TileHash.objects.filter(level=level).count() for level in (1, 2, 3)} == {
        1: 273,
        2: 1,
        3: 0,
    }
    below = list(leaf_hashes(0, LARGE))
    level_1 = [mth(below[at : at + 256]) for at in range(0, 273 * 256, 256)]
    assert read_tile(1, Place(0)) == b"".join(level_1[:256])
    assert read_tile(1, Place(1, 17)) == b"".join(level_1[256:])
    assert read_tile(2, Place(0, 1)) == mth(level_1[:256])
    assert len(read_tile(0, Place(273, 112))) == 112 * 32
    for level, place in [(0, Place(273)), (1, Place(1, 18)), (2, Place(0, 2)), (3, Place(0, 1))]:
        with pytest.raises(TileUnknown):
            read_tile(level, place)
    assert len([each for each in tiles.tiles_after(0, LARGE) if each[1].width == 256]) == 274


def test_files_never_change_and_say_so(client: Client, db: None) -> None:
    write_events(300)
    publish_head()
    before = {
        path: client.get(f"{PREFIX}/tile/{path}").content for path in ("0/000", "0/001.p/44", "1/000.p/1")
    }
    write_events(300)
    publish_head()
    for path, content in before.items():
        response = client.get(f"{PREFIX}/tile/{path}")
        assert response.content == content
        assert response["Content-Type"] == "application/octet-stream"
        assert response["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response["Access-Control-Allow-Origin"] == "*"
        assert not response.cookies
    checkpoint = client.get(f"{PREFIX}/checkpoint")
    assert checkpoint["Content-Type"] == "text/plain; charset=utf-8"
    assert "no-cache" in checkpoint["Cache-Control"]


@pytest.mark.parametrize(
    "path",
    [
        "0/000",  # full only after 256 events
        "0/000.p/4",
        "0/001.p/1",
        "1/000.p/1",
        "entries/000.p/4",
        "00/000.p/3",
        "64/000.p/1",
        "0/000.p/0",
        "0/000.p/03",
        "0/000.p/256",
        "0/x000/000.p/3",
        "0/0.p/3",
        "0/x999/x999/x999/x999/x999/999.p/1",
        "-1/000",
    ],
)
def test_what_no_published_head_has_is_not_there(path: str, client: Client, db: None) -> None:
    write_events(3)
    publish_head()
    write_events(400)  # in the log, but in no head
    assert client.get(f"{PREFIX}/tile/0/000.p/3").status_code == 200
    assert client.get(f"{PREFIX}/tile/{path}").status_code == 404


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (Place(0), "000"),
        (Place(999, 5), "999.p/5"),
        (Place(1000), "x001/000"),
        (Place(1_234_067, 8), "x001/x234/067.p/8"),
    ],
)
def test_places_are_written_as_in_the_text(place: Place, text: str) -> None:
    assert str(place) == text == str(Place.parse(text))
    assert Place.parse(text) == place


class Killed(Exception):
    """The process ended here."""


def killed(*_arguments: Any, **_options: Any) -> Any:
    raise Killed


def killed_in_a_level(level: int, known: int, needed: int) -> Iterator[TileHash]:
    """Rows of a level are made, and the process ends."""
    yield next(iter(new_hashes(level, known, needed)))
    raise Killed


new_hashes = tiles._new_hashes
STEPS: dict[str, tuple[Any, str, Any]] = {
    "before the tiles": (heads, "complete_tiles", killed),
    "within the tiles": (tiles, "_new_hashes", killed_in_a_level),
    "after the tiles": (SignedHead.objects, "get_or_create", killed),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())
def test_a_process_that_ends_between_the_steps_leaves_nothing_half(
    step: tuple[Any, str, Any], client: Client, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tiles and head are one transaction: the earlier head stays proven, and the next attempt completes both."""
    write_events(300)
    publish_head()
    write_events(700)
    rows = TileHash.objects.count()
    with monkeypatch.context() as patch:
        patch.setattr(*step)
        with pytest.raises(Killed):
            publish_head()
    assert (SignedHead.objects.count(), TileHash.objects.count()) == (1, rows)
    StrangersTree(client).check()
    publish_head()
    tree = StrangersTree(client)
    tree.check()
    assert tree.size == 1000


def test_hashes_of_tiles_are_never_changed(db: None) -> None:
    write_events(256)
    publish_head()
    for statement in (
        "UPDATE audit_log_tilehash SET hash = ''",
        "DELETE FROM audit_log_tilehash",
        "TRUNCATE audit_log_tilehash",
    ):
        with pytest.raises((IntegrityError, DatabaseError), match="refused: rows of"):
            in_sql(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_log_tilehash SET hash = repeat('0', 64) WHERE index = 1",
        "UPDATE audit_log_tilehash SET index = 7 WHERE index = 1",
    ],
)
def test_a_changed_hash_is_found(statement: str, db: None) -> None:
    write_events(600)
    publish_head()
    assert verify().is_valid
    as_owner(statement)
    (fault,) = verify().faults
    assert "of level 1 of the tiles" in fault
