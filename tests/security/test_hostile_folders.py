"""Escrows and snapshots from a stranger: what their commands read before any proof."""

import json
import os
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.audit_log.management.commands.verify_audit_log import read_head
from registry.audit_log.models import GENESIS
from registry.core.exceptions import RegistryError
from registry.core.management.base import RegistryCommand
from registry.publication.escrow import proofs, restorer, writer
from registry.publication.snapshot import manifest
from registry.publication.snapshot.manifest import FaultKind, MalformedManifest, Manifest
from tests.support.signing_key import KEY

DEEP = "[" * 200_000


@pytest.fixture
def escrow(tmp_path: Path) -> Path:
    content = {
        "format": writer.FORMAT,
        "head": {"number": 0, "digest": GENESIS},
        "migrations": {},
        "tables": {},
    }
    (tmp_path / writer.MANIFEST).write_text(json.dumps(content))
    return tmp_path


def a_pipe(path: Path) -> None:
    path.unlink(missing_ok=True)
    os.mkfifo(path)


def a_device(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to("/dev/zero")


def a_large_file(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**40)  # without blocks on the disk


def a_deep_text(path: Path) -> None:
    path.write_text(DEEP)


def a_folder(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [a_pipe, a_device, a_large_file, a_deep_text, a_folder])
@pytest.mark.parametrize("name", [writer.MANIFEST, proofs.NOTE])
def test_what_is_no_manifest_or_note_is_not_read(name: str, make: Any, escrow: Path) -> None:
    make(escrow / name)
    try:
        found = restorer.find_escrow(escrow)
        proofs.prove(found, proofs.Trust())
    except RegistryError:
        return
    assert (name, make) == (proofs.NOTE, a_deep_text)  # it is no note


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [a_pipe, a_device, a_folder])
def test_what_is_no_file_of_rows_is_not_read(make: Any, escrow: Path) -> None:
    entry = {"file": "a.b.jsonl", "rows": 0, "sha256": "", "last_key": None}
    content = json.loads((escrow / writer.MANIFEST).read_text()) | {"tables": {"a.B": entry}}
    (escrow / writer.MANIFEST).write_text(json.dumps(content))
    make(escrow / "a.b.jsonl")
    with pytest.raises(restorer.DamagedEscrow, match="not a file"):
        restorer.check_files(restorer.find_escrow(escrow))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [a_pipe, a_device, a_large_file, a_folder])
def test_what_is_no_signed_head_is_not_read(make: Any, tmp_path: Path) -> None:
    make(tmp_path / "head")
    with pytest.raises(CommandError, match="can't be read") as raised:
        read_head(tmp_path / "head", [KEY.verifier])
    assert raised.value.returncode == 2
    assert str(raised.value).count(str(tmp_path)) == 1
    assert not str(raised.value).endswith("..")


def test_a_large_manifest_of_a_snapshot_is_not_read(tmp_path: Path) -> None:
    a_large_file(tmp_path / manifest.MANIFEST)
    (fault,) = manifest.verify(tmp_path).faults
    assert "has more than" in fault.message


def a_manifest(**changes: Any) -> bytes:
    """With a root digest that matches: anyone can compute it."""
    position = {"number": 0, "digest": GENESIS}
    content: dict[str, Any] = {
        "format": 1, "head": position, "exports": position, "signed_head": 0, "fingerprint": "", "files": 0, "parts": {},
    } | changes  # fmt: skip
    return json.dumps(content | {"root": manifest._digest_of(content)}).encode()


def test_this_manifest_would_be_accepted() -> None:
    assert Manifest.from_bytes(a_manifest()).files == 0


MALFORMED = {
    "nested too deep": DEEP.encode(),
    "a list": b"[]",
    "not UTF-8": b'"\xff"',
    "a text as number": a_manifest(head={"number": "1", "digest": GENESIS}),
    "a number that no table holds": a_manifest(head={"number": 10**30, "digest": GENESIS}),
    "a negative number": a_manifest(head={"number": -1, "digest": GENESIS}),
    "a truth as number": a_manifest(head={"number": True, "digest": GENESIS}),
    "a command as digest": a_manifest(head={"number": 1, "digest": "\x1b[2J"}),
    "exports without a position": a_manifest(exports=[]),
    "a text as count": a_manifest(parts={"00": {"sha256": "", "files": "1"}}),
    "a part elsewhere": a_manifest(parts={"../..": {"sha256": "", "files": 0}}),
    "a part that is a list": a_manifest(parts={"00": []}),
}


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_manifest_of_a_snapshot_is_named(text: bytes) -> None:
    with pytest.raises(MalformedManifest):
        Manifest.from_bytes(text)


def unnest(folder: Path) -> None:
    """Make a tree flat that Python and pytest could not remove."""
    while (inner := folder / "a" / "a").exists():
        inner.rename(folder / "b")
        (folder / "a").rmdir()
        (folder / "b").rename(folder / "a")


@pytest.mark.exhaustive
def test_a_deep_snapshot_with_strange_names_is_compared(tmp_path: Path, db: None) -> None:
    (tmp_path / manifest.MANIFEST).write_bytes(a_manifest())
    at = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("a", dir_fd=at)
        at, above = os.open("a", os.O_RDONLY, dir_fd=at), at
        os.close(above)
    os.close(os.open("last", os.O_CREAT | os.O_WRONLY, dir_fd=at))
    os.close(at)
    for name in (b"\xff\x1b[2J", b"plain"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    (tmp_path / "elsewhere").symlink_to("/etc")
    try:
        result = manifest.verify(tmp_path)
    finally:
        unnest(tmp_path)
    assert {each.kind for each in result.faults} == {FaultKind.SURPLUS}
    assert result.count == 4
    "".join(map(str, result.faults)).encode()


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


HARMFUL = "\x1b]0;owned\x07\x9b2J\r\u202e\u2028\udcff"


@pytest.mark.parametrize("shown_on", [Terminal, StringIO])
def test_a_terminal_shows_what_a_file_says_and_does_nothing_else(shown_on: type[StringIO]) -> None:
    class Command(RegistryCommand):
        def handle(self, *args: Any, **options: Any) -> None:
            self.stdout.write(f"One\tline {HARMFUL}\nü")
            self.stderr.write(HARMFUL)

    out, err = shown_on(), shown_on()
    call_command(Command(stdout=out, stderr=err), no_color=True, skip_checks=True)
    escaped = "\\x1b]0;owned\\x07\\x9b2J\\r\\u202e\\u2028\\udcff"
    shown = escaped if shown_on is Terminal else HARMFUL
    assert out.getvalue() == f"One\tline {shown}\nü\n"
    assert err.getvalue() == f"{shown}\n"


def test_every_error_of_a_command_is_shown_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from registry.publication.management.commands.escrow import Command

    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    with pytest.raises(SystemExit):
        Command().run_from_argv(["manage.py", "escrow", "--no-color", "--verify", str(tmp_path / HARMFUL)])
    assert "does not exist" in err.getvalue()
    assert "\x1b" not in err.getvalue()


def test_a_command_with_an_output_of_its_own_keeps_it(escrow: Path) -> None:
    with pytest.raises(CommandError):
        call_command("escrow", str(escrow / "nowhere"), verify=True, stdout=StringIO())
