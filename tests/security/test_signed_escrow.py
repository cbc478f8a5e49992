"""Attacks on an escrow by a person who can change all of its files."""

import hashlib
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.audit_log.signed_notes import Checkpoint, SigningKey, text_of
from registry.audit_log.signing_keys import write_key
from registry.publication.escrow.proofs import NOTE, UNPROVEN
from registry.publication.escrow.writer import MANIFEST, write_escrow
from tests.support.databases import a_fresh_database
from tests.support.factories import a_person
from tests.support.signing_key import KEY

# Of the attacker: the same name, but not the same key.
FORGER = SigningKey(KEY.name, bytes(32))


@pytest.fixture
def escrow(real_database: None, tmp_path: Path) -> Path:
    a_person(email="registrant@example.org")
    return write_escrow(tmp_path / "kept").folder


def digest_of(folder: Path) -> str:
    return hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()


def forge(folder: Path, *, signed_by: SigningKey | None = None) -> None:
    """Change a row, and every digest; with a key, sign the new manifest."""
    rows = folder / "accounts.user.jsonl"
    rows.write_text(rows.read_text().replace("registrant@example.org", "attacker@example.org"))
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["tables"]["accounts.User"]["sha256"] = hashlib.sha256(rows.read_bytes()).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))
    if signed_by:
        heading, _ = text_of((folder / NOTE).read_text()).splitlines()
        (folder / NOTE).write_text(signed_by.sign(f"{heading}\n{digest_of(folder)}\n"))


def run(*arguments: object) -> dict[str, Any]:
    out = StringIO()
    call_command("escrow", "--json", *map(str, arguments), stdout=out)
    done: dict[str, Any] = json.loads(out.getvalue())
    return done


def said(*arguments: object) -> str:
    out = StringIO()
    call_command("escrow", *map(str, arguments), stdout=out, stderr=out)
    return out.getvalue()


def refused(*arguments: object) -> str:
    """Return the message of a refusal, after which an empty database is empty."""
    with a_fresh_database():
        with pytest.raises(CommandError) as refusal:
            run(*arguments)
        assert not User.objects.exists()
        assert not Event.objects.exists()
    assert refusal.value.returncode == 1
    return str(refusal.value)


WAYS = ["--verify", "--restore"]


# What proves an escrow


def test_a_signed_escrow_is_proven_by_the_key_of_the_registry(escrow: Path) -> None:
    by_key = [f"the signature of {KEY.verifier}"]
    assert run("--verify", escrow)["proofs"] == by_key
    assert run("--verify", escrow, "--key", KEY.verifier)["proofs"] == by_key
    with a_fresh_database():
        assert run("--restore", escrow)["proofs"] == by_key
        assert User.objects.count() == 1


def test_an_escrow_is_proven_by_the_digest_that_was_printed(
    escrow: Path, settings: Any, tmp_path: Path
) -> None:
    written = run(tmp_path / "kept")
    assert written["manifest"] == digest_of(Path(written["folder"]))
    settings.LOG_SIGNING_KEY = ""
    proven = run("--verify", tmp_path / "kept", "--digest", written["manifest"])
    assert proven["proofs"] == ["the digest of the manifest"]
    assert "Proven by the digest of the manifest." in said(
        "--verify", tmp_path / "kept", "--digest", written["manifest"]
    )


@pytest.mark.exhaustive
def test_without_a_proof_it_is_said_and_not_restored(escrow: Path, settings: Any) -> None:
    settings.LOG_SIGNING_KEY = ""
    assert run("--verify", escrow)["proofs"] == []
    assert UNPROVEN in said("--verify", escrow)
    assert UNPROVEN in refused("--restore", escrow)
    with a_fresh_database():
        assert UNPROVEN in said("--restore", "--unproven", escrow)
        assert User.objects.count() == 1


@pytest.mark.exhaustive
def test_an_escrow_that_was_written_without_a_key_is_unproven(
    escrow: Path, settings: Any, tmp_path: Path
) -> None:
    settings.LOG_SIGNING_KEY = ""
    unsigned = write_escrow(tmp_path / "unsigned").folder
    assert not (unsigned / NOTE).exists()
    (tmp_path / "key").unlink(missing_ok=True)
    write_key(KEY, tmp_path / "key")
    settings.LOG_SIGNING_KEY = str(tmp_path / "key")
    assert run("--verify", unsigned)["proofs"] == []
    assert "The escrow is unproven" in refused("--restore", unsigned)


def test_a_former_key_is_trusted_if_the_settings_say_so(escrow: Path, settings: Any, tmp_path: Path) -> None:
    write_key(FORGER, tmp_path / "new-key")
    settings.LOG_SIGNING_KEY = str(tmp_path / "new-key")
    assert run("--verify", escrow)["proofs"] == []
    settings.LOG_VERIFIER_KEYS = [str(KEY.verifier)]
    assert run("--verify", escrow)["proofs"] == [f"the signature of {KEY.verifier}"]


# What disproves it


@pytest.mark.sampled(2, 1)
@pytest.mark.parametrize("way", WAYS)
def test_a_changed_file_contradicts_the_manifest(way: str, escrow: Path) -> None:
    rows = escrow / "accounts.user.jsonl"
    rows.write_text(rows.read_text().replace("registrant@", "attacker@"))
    assert "differs from the manifest" in refused(way, escrow)


@pytest.mark.sampled(2, 1)
@pytest.mark.parametrize("way", WAYS)
def test_a_changed_manifest_with_new_digests_contradicts_its_signature(way: str, escrow: Path) -> None:
    forge(escrow)
    message = "The escrow is not genuine."
    assert refused(way, escrow).startswith(message)
    assert refused(way, escrow, "--key", KEY.verifier).startswith(message)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", WAYS)
def test_a_changed_manifest_contradicts_the_noted_digest(way: str, escrow: Path, settings: Any) -> None:
    noted = digest_of(escrow)
    forge(escrow)
    settings.LOG_SIGNING_KEY = ""
    found = f"The SHA-256 of its manifest is {digest_of(escrow)}, not {noted}."
    assert found in refused(way, escrow, "--digest", noted)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", WAYS)
def test_a_signature_of_the_attacker_does_not_replace_the_right_one(way: str, escrow: Path) -> None:
    forge(escrow, signed_by=FORGER)
    assert "not a key that you trust" in refused(way, escrow, "--key", KEY.verifier)
    assert UNPROVEN in refused("--restore", escrow)
    assert run("--verify", escrow)["proofs"] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", WAYS)
def test_a_removed_signature_is_noticed(way: str, escrow: Path) -> None:
    forge(escrow)
    (escrow / NOTE).unlink()
    assert "is missing: the escrow is not signed" in refused(way, escrow, "--key", KEY.verifier)
    assert UNPROVEN in refused("--restore", escrow)


@pytest.mark.exhaustive
@pytest.mark.parametrize("way", WAYS)
def test_the_right_digest_does_not_excuse_a_wrong_signature(way: str, escrow: Path) -> None:
    note = (escrow / NOTE).read_text()
    (escrow / NOTE).write_text(note.replace(digest_of(escrow), "0" * 64))
    assert "is wrong" in refused(way, escrow, "--digest", digest_of(escrow))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", WAYS)
def test_a_signed_head_is_not_the_signature_of_an_escrow(way: str, escrow: Path) -> None:
    (escrow / NOTE).write_text(Checkpoint(KEY.name, 1, bytes(32)).signed(KEY))
    assert "is not about this manifest" in refused(way, escrow)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("content", [b"", b"\xff", b"nothing\n"])
def test_a_signature_that_is_not_a_note_is_refused(way: str, content: bytes, escrow: Path) -> None:
    (escrow / NOTE).write_bytes(content)
    assert "A signed note is a text" in refused(way, escrow, "--key", KEY.verifier)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--verify", "--digest", "5f2c", "kept"],
        ["--verify", "--key", "example.org", "kept"],
        ["--digest", "0" * 64, "kept"],
        ["--key", str(KEY.verifier), "kept"],
        ["--unproven", "kept"],
        ["--verify", "--unproven", "kept"],
    ],
)
def test_arguments_that_do_not_fit_are_a_usage_error(arguments: list[str]) -> None:
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    # Django's parser raises without a status, and `manage.py` exits with 2 for it.
    assert refusal.value.returncode == 2 or str(refusal.value).startswith("Error: argument")
