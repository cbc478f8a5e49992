"""The verifier of the Python client: it accepts what the registry publishes, and refuses every change, with a sentence."""

import ast
import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from urnregistry import ProofRefused, proofs
from urnregistry.cli import main
from urnregistry.consistency import verify_consistency
from urnregistry.leaves import verify_actor
from urnregistry.proofs import (
    ProvenEvent,
    digest_of_version,
    leaf_hash,
    root_of_inclusion,
    verify_head,
    verify_proof,
    verify_version,
)
from urnregistry.records import MEMBERS

from registry.accounts.models import User
from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.audit_log.models import Event
from registry.audit_log.signed_notes import SigningKey
from registry.namespaces.models import Namespace
from tests.audit_log.test_tiles import mth
from tests.clients.proof_vectors import path_of
from tests.support.factories import a_draft, a_namespace
from tests.support.signing_key import KEY
from tests.support.tampering import as_the_previous_release

KEYS = [str(KEY.verifier)]
ANOTHER = SigningKey(KEY.name, bytes(32))


@pytest.fixture
def trees(registrant: User, expert: User, administrator: User) -> Namespace:
    a_draft(by=registrant, namespace_identifier="secret-garden")
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    publish_head()
    return namespace


def proof_of(client: Client, number: int) -> str:
    return str(client.get(f"/audit-log/proofs/{number}.tlog-proof").content.decode())


def registration(client: Client) -> tuple[str, dict[str, Any]]:
    """The proof of the first version, and the version."""
    version = client.get("/api/v1/namespaces/example-trees/versions/1/").json()
    place = version["links"]["proof"].partition("//")[2].partition("/")[2]
    return client.get(f"/{place}", follow=True).content.decode(), version


def test_every_proof_of_the_registry_is_accepted(client: Client, trees: Namespace) -> None:
    sentences = []
    for event in client.get(f"/api/v1/events/?since=0&fields={MEMBERS}").json()["results"]:
        proven = verify_proof(proof_of(client, event["number"]), KEYS)
        assert proven.number == event["number"]
        assert (proven.members["is_public"], proven.members.get("verb")) == (
            event["is_public"],
            event["verb"],
        )
        if event["actor"]:
            verify_actor(proven, event["actor"], event["actor_salt"])
            with pytest.raises(ProofRefused, match="does not say"):
                verify_actor(proven, "Another", event["actor_salt"])
        sentences.append(str(proven))
    assert any("which is not public" in each for each in sentences)
    assert any("assign of “example-trees”" in each for each in sentences)


def test_a_version_is_compared_with_its_event(client: Client, trees: Namespace) -> None:
    proof, version = registration(client)
    proven = verify_proof(proof, KEYS)
    verify_version(proven, version)
    assert digest_of_version(version) == trees.latest.digest


def test_an_erased_version_is_still_the_one_of_the_event(client: Client, trees: Namespace) -> None:
    proof, version = registration(client)
    for name, each in version["commitments"].items():
        each["salt"] = None
        version["sections"]["registrant"][name] = "[erased]"
    verify_version(verify_proof(proof, KEYS), version)


CHANGES = {
    "a section": lambda version: version["sections"].update(purpose="Another purpose."),
    "an added section": lambda version: version["sections"].update(security="None."),
    "the registrant": lambda version: version["sections"]["registrant"].update(organisation="Another"),
    "the NID": lambda version: version.update(nid="example-birds"),
    "the number": lambda version: version.update(version=2),
    "the digest": lambda version: version.update(digest="0" * 64),
    "a missing part": lambda version: version.pop("sections"),
    "another form": lambda version: version.update(sections=[1]),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_version_is_refused(change: Any, client: Client, trees: Namespace) -> None:
    proof, version = registration(client)
    before = json.dumps(version)
    change(version)
    assert json.dumps(version) != before
    with pytest.raises(ProofRefused):
        verify_version(verify_proof(proof, KEYS), version)


def test_every_changed_line_is_refused(client: Client, trees: Namespace) -> None:
    proof, _ = registration(client)
    lines = proof.split("\n")
    refused = 0
    for at, line in enumerate(lines):
        for changed in (line[:-2] + ("A" if line[-2:-1] != "A" else "B") + line[-1:], line + "1", ""):
            forged = "\n".join([*lines[:at], changed, *lines[at + 1 :]])
            if changed == line:
                continue
            with pytest.raises(ProofRefused):
                verify_proof(forged, KEYS)
            refused += 1
    assert refused > 2 * len(lines)


def test_only_the_given_keys_are_trusted(client: Client, trees: Namespace) -> None:
    proof, _ = registration(client)
    assert verify_proof(proof, [str(ANOTHER.verifier), *KEYS]).head.origin == KEY.name
    for keys in ([], [str(ANOTHER.verifier)]):
        with pytest.raises(ProofRefused, match="no valid signature of a key that you trust"):
            verify_proof(proof, keys)
    with pytest.raises(ValueError, match="not a verifier key"):
        verify_proof(proof, ["nonsense"])


def test_without_the_package_for_signatures_nothing_is_checked(
    client: Client, trees: Namespace, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    (tmp_path / "proof").write_text(registration(client)[0], encoding="utf-8")
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    assert main(["proof", str(tmp_path / "proof"), "--key", KEYS[0]]) == 2
    assert "pip install" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c2sp.org/tlog-proof@v1",
        "c2sp.org/tlog-proof@v1\nextra e30=\nindex 0\n\n",
        "c2sp.org/tlog-proof@v1\nextra e30=\nindex 00\n\na\n1\nAA==\n\n— a b\n",
        "c2sp.org/tlog-proof@v1\nindex 0\n\na\n1\nAA==\n",
        "c2sp.org/tlog-proof@v2\nextra e30=\nindex 0\n\na",
        "\0" * 2_000_000,
    ],
    ids=["empty", "first line", "no head", "index", "no leaf", "version", "long"],
)
def test_what_is_no_proof_is_refused(text: str) -> None:
    with pytest.raises(ProofRefused, match=r"is not a proof|is not a head"):
        verify_proof(text, KEYS)


def test_an_event_of_format_1_is_proven_without_its_content(client: Client, trees: Namespace) -> None:
    as_the_previous_release()
    with transaction.atomic():
        log.append("import", by=None, nid="isbn")
    before = publish_head()
    assert before is not None
    proven = ProvenEvent(1, {}, verify_head(before.note, KEYS))
    assert "can't be compared" in str(proven)
    with pytest.raises(ProofRefused, match="is not about a text"):
        verify_version(proven, registration(client)[1])


def test_each_place_in_a_tree_has_one_path() -> None:
    for size in range(1, 40):
        hashes = [leaf_hash(b"%d" % number) for number in range(size)]
        for index, found in enumerate(hashes):
            path = path_of(index, hashes)
            assert root_of_inclusion(found, index, size, path) == mth(hashes)
            assert root_of_inclusion(found, index, size, [*path, found]) is None
            assert not path or root_of_inclusion(found, index, size, path[:-1]) is None


def test_heads_of_one_log_continue_each_other(client: Client, db: None) -> None:
    notes = []
    for size in (3, 8, 300):
        with transaction.atomic():
            log.append_all(Event(verb="import", nid=f"example-{count}") for count in range(size))
        head = publish_head()
        assert head is not None
        notes.append((head.size, head.note))
    for (first, earlier), (second, later) in [
        (notes[0], notes[1]),
        (notes[0], notes[2]),
        (notes[1], notes[2]),
    ]:
        body = client.get(f"/api/v1/audit-log/heads/{first}/consistency/{second}/").json()
        verify_consistency(earlier, later, body["hashes"], KEYS)
        with pytest.raises(ProofRefused, match="does not continue"):
            verify_consistency(later, earlier, body["hashes"], KEYS)
        other = base64.b64encode(bytes(32)).decode()
        for hashes in ([], [*body["hashes"], other], [other, *body["hashes"][1:]], body["hashes"][:-1]):
            with pytest.raises(ProofRefused, match="does not begin"):
                verify_consistency(earlier, later, hashes, KEYS)
    verify_consistency(notes[0][1], notes[0][1], [], KEYS)


def test_the_command_checks_a_proof_without_a_network(
    client: Client, trees: Namespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof, version = registration(client)
    (tmp_path / "proof").write_text(proof, encoding="utf-8")
    (tmp_path / "version").write_text(json.dumps(version), encoding="utf-8")
    (tmp_path / "another").write_text(json.dumps(version | {"version": 2}), encoding="utf-8")
    command = ["proof", str(tmp_path / "proof"), "--key", KEYS[0]]
    assert main(command) == 0
    assert "assign of “example-trees”" in capsys.readouterr().out
    assert main([*command, "--json", "--version", str(tmp_path / "version")]) == 0
    assert json.loads(capsys.readouterr().out)["event"]["nid"] == "example-trees"
    assert main([*command, "--version", str(tmp_path / "another")]) == 1
    assert "not about version 2" in capsys.readouterr().err
    capsys.readouterr()
    assert main([*command, "--json", "--version", str(tmp_path / "another")]) == 1
    assert "not about version 2" in json.loads(capsys.readouterr().out)["error"]
    for content in (b"", b"\xff", b"{", b"{}", b"[]", b"[" * 200_000, proof.encode()):
        (tmp_path / "no version").write_bytes(content)
        assert main([*command, "--json", "--version", str(tmp_path / "no version")]) == 2, content[:9]
        assert json.loads(capsys.readouterr().out).keys() == {"error"}
    for content in (b"", b"\xff", b"{}", b"c2sp.org/tlog-proof@v1\n"):
        (tmp_path / "no proof").write_bytes(content)
        assert main(["proof", str(tmp_path / "no proof"), "--key", KEYS[0]]) == 2, content
    assert main([*command[:3], str(ANOTHER.verifier)]) == 1
    assert main([*command[:3], "nonsense"]) == 2
    assert main(["proof", str(tmp_path / "missing"), "--key", KEYS[0]]) == 2


def lines_of_code(text: str) -> int:
    """Lines without empty ones, comments and docstrings."""
    docstrings = {
        at
        for each in ast.walk(ast.parse(text))
        if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        for at in range(each.lineno, (each.end_lineno or each.lineno) + 1)
    }
    lines = [line.strip() for at, line in enumerate(text.splitlines(), 1) if at not in docstrings]
    return sum(bool(line) and not line.startswith("#") for line in lines)


def test_the_verifier_is_small() -> None:
    """An auditor reads it as a whole: all that checks a proof, by a policy, with a version and its text."""
    folder = Path(proofs.__file__).parent
    names = ("signed_notes", "policies", "proofs", "templates")
    assert sum(lines_of_code((folder / f"{name}.py").read_text("utf-8")) for name in names) <= 300
