"""The witness of the Python client: https://c2sp.org/tlog-witness, a state that survives kills, and policies."""

import base64
import hashlib
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from urnregistry import MalformedPolicy, Policy, ProofRefused, witness_server
from urnregistry.cli import main
from urnregistry.signed_notes import COSIGNATURE, parse_key
from urnregistry.witness import EMPTY_ROOT, Answer, State, Witness, WitnessKey, WitnessNotUsable

from registry.audit_log.merkle import Frontier, leaf_hash
from registry.audit_log.proofs import Tree
from registry.audit_log.signed_notes import Checkpoint, SigningKey

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("cosign_and_die.py")
LOG = SigningKey("log.example.org", bytes(range(32)))
FORMER = SigningKey(LOG.name, bytes(range(1, 33)))
KEY = WitnessKey("witness.example.org", bytes(range(2, 34)))
AT = 1_764_490_000
LEAVES = [number.to_bytes(2, "big") for number in range(400)]
FORK = [b"another", *LEAVES[1:]]


class TreeOf(Tree):
    """The tree of leaves in memory."""

    def __init__(self, leaves: list[bytes]) -> None:
        super().__init__(len(leaves))
        self._hashes = [leaf_hash(each) for each in leaves]

    def _roots(self, ranges: Iterable[tuple[int, int]]) -> list[bytes]:
        return [Frontier().grown(self._hashes[start:end]).root for start, end in ranges]


def note_of(leaves: list[bytes], *keys: SigningKey) -> str:
    checkpoint = Checkpoint(LOG.name, len(leaves), Frontier().extended(leaves).root)
    text, separator, _ = checkpoint.signed(LOG).rpartition("\n\n")
    lines = [checkpoint.signed(key).rpartition("\n\n")[2] for key in keys or (LOG,)]
    return text + separator + "".join(lines)


def request_for(leaves: list[bytes], old: int, note: str | None = None) -> bytes:
    hashes = TreeOf(leaves).consistency(old) if old else []
    lines = [f"old {old}", *(base64.b64encode(each).decode() for each in hashes), "", note or note_of(leaves)]
    return "\n".join(lines).encode()


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    with State(tmp_path / "state.json", KEY.verifier, is_new=True) as state:
        yield state


@pytest.fixture
def told() -> list[tuple[str, str, str]]:
    return []


@pytest.fixture
def own(state: State, told: list[tuple[str, str, str]]) -> Witness:
    def tell(*each: str) -> None:
        told.append((each[0], each[1], each[2]))

    return Witness(KEY, state, [str(LOG.verifier)], clock=lambda: AT, on_contradiction=tell)


def kept(state: State) -> int:
    """The size of the last head, 0 without one."""
    note = state.notes.get(LOG.name)
    return int(note.split("\n")[1]) if note else 0


# The protocol


def test_a_cosignature_is_in_the_format_of_the_text(own: Witness) -> None:
    answer = own.add_checkpoint(request_for(LEAVES[:7], 0))
    assert (answer.status, answer.media_type) == (200, "text/plain; charset=utf-8")
    dash, name, encoded = answer.body.removesuffix("\n").split(" ")
    octets = base64.b64decode(encoded)
    public = base64.b64decode(KEY.verifier.split("+", 2)[2])
    assert (dash, name) == ("—", "witness.example.org")
    assert octets[:4] == hashlib.sha256(b"witness.example.org\n" + public).digest()[:4]
    assert int.from_bytes(octets[4:12], "big") == AT
    text = note_of(LEAVES[:7]).split("\n\n")[0] + "\n"
    Ed25519PublicKey.from_public_bytes(public[1:]).verify(
        octets[12:], f"cosignature/v1\ntime {AT}\n{text}".encode()
    )


def test_each_head_that_continues_the_last_one_is_cosigned(own: Witness, state: State) -> None:
    sizes = [0, 1, 2, 3, 7, 8, 9, 64, 65, 255, 256, 257, 400, 400]
    for old, size in zip([0, *sizes], sizes, strict=False):
        assert own.add_checkpoint(request_for(LEAVES[:size], old)).status == 200, (old, size)
        assert kept(state) == size
    assert note_of([]).split("\n")[2] == base64.b64encode(EMPTY_ROOT).decode()


def test_extension_lines_and_several_keys_of_a_log(state: State) -> None:
    own = Witness(KEY, state, [str(LOG.verifier), str(FORMER.verifier)])
    assert own.add_checkpoint(request_for(LEAVES[:3], 0, note_of(LEAVES[:3], FORMER))).status == 200
    assert own.add_checkpoint(request_for(LEAVES[:5], 3, note_of(LEAVES[:5], FORMER, LOG))).status == 200
    text = note_of(LEAVES[:6]).split("\n\n")[0] + "\nan extension\n"
    answer = own.add_checkpoint(request_for(LEAVES[:6], 5, LOG.sign(text)))
    assert answer.status == 200
    policy = Policy.parse(f"witness w {KEY.verifier}\nquorum w\n")
    assert list(policy.check(LOG.sign(text) + answer.body)) == ["w"]


def changed(request: bytes, old: bytes, new: bytes) -> bytes:
    assert old in request
    return request.replace(old, new, 1)


GOOD = request_for(LEAVES[:9], 5)
HASH = base64.b64encode(bytes(32))
REFUSED: dict[str, tuple[int, bytes]] = {
    "another size than the last one": (409, request_for(LEAVES[:9], 4)),
    "no size": (409, request_for(LEAVES[:9], 0)),
    "an older head": (400, request_for(LEAVES[:3], 0).replace(b"old 0", b"old 5")),
    "a smaller head": (409, request_for(LEAVES[:4], 2)),
    "an unknown log": (404, GOOD.replace(b"log.example.org", b"lug.example.org")),
    "another key": (403, request_for(LEAVES[:9], 5, note_of(LEAVES[:9], FORMER))),
    "another text": (403, changed(GOOD, b"\n9\n", b"\n10\n")),
    "a fork": (422, request_for(FORK[:9], 5)),
    "a fork of equal size": (409, request_for(FORK[:5], 5)),
    "no proof": (422, b"old 5\n\n" + note_of(LEAVES[:9]).encode()),
    "a longer proof": (422, changed(GOOD, b"old 5\n", b"old 5\n" + HASH + b"\n")),
    "a proof for an equal size": (422, b"old 5\n" + HASH + b"\n\n" + note_of(LEAVES[:5]).encode()),
    "64 hashes": (400, changed(GOOD, b"old 5\n", b"old 5\n" + (HASH + b"\n") * 64)),
    "a short hash": (400, changed(GOOD, b"old 5\n", b"old 5\nAAAA\n")),
    "bits that mean nothing": (400, changed(GOOD, b"old 5\n", b"old 5\n" + b"/" * 43 + b"=\n")),
    "a leading zero": (400, changed(GOOD, b"old 5", b"old 05")),
    "a sign": (400, changed(GOOD, b"old 5", b"old +5")),
    "line breaks of Windows": (400, GOOD.replace(b"\n", b"\r\n")),
    "no line break at the end": (400, GOOD[:-1]),
    "no signature": (400, GOOD.rpartition(b"\n\n")[0] + b"\n\n"),
    "no checkpoint": (400, b"old 5\n\n"),
    "nothing": (400, b""),
    "other octets": (400, bytes(range(256))),
    "an empty line in the checkpoint": (400, changed(GOOD, b"\n9\n", b"\n\n9\n")),
    "101 signatures": (400, GOOD + "— a QUJDREVG\n".encode() * 100),
}


@pytest.mark.parametrize(("status", "request_body"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_refused_leaves_the_state(
    status: int, request_body: bytes, own: Witness, state: State, tmp_path: Path
) -> None:
    assert own.add_checkpoint(request_for(LEAVES[:5], 0)).status == 200
    before = (tmp_path / "state.json").read_bytes()
    answer = own.add_checkpoint(request_body)
    assert (answer.status, "—" in answer.body) == (status, False)
    if status == 409 and b"old 5" not in request_body:
        assert (answer.body, answer.media_type) == ("5\n", "text/x.tlog.size")
    assert ((tmp_path / "state.json").read_bytes(), kept(state)) == (before, 5)
    assert own.add_checkpoint(GOOD).status == 200


def test_of_two_views_one_is_cosigned_and_both_are_evidence(
    own: Witness, told: list[tuple[str, str, str]]
) -> None:
    own.add_checkpoint(request_for(LEAVES[:5], 0))
    assert told == []
    for _ in range(3):
        assert own.add_checkpoint(request_for(FORK[:5], 5)).status == 409
    ((what, before, refused),) = told
    assert (before, refused) == (note_of(LEAVES[:5]), note_of(FORK[:5]))
    assert "another head of 5" in what


@pytest.mark.parametrize("size", [5, 9])
def test_a_wrong_proof_of_a_genuine_head_is_no_contradiction(
    size: int, own: Witness, told: list[tuple[str, str, str]]
) -> None:
    """A stranger can send it."""
    first = changed(request_for(LEAVES[:5], 0), b"old 0\n", b"old 0\n" + HASH + b"\n")
    assert own.add_checkpoint(first).status == 422
    own.add_checkpoint(request_for(LEAVES[:5], 0))
    assert own.add_checkpoint(b"old 5\n" + HASH + b"\n\n" + note_of(LEAVES[:size]).encode()).status == 422
    assert told == []


def test_a_head_that_was_cosigned_is_cosigned_again_and_not_written(own: Witness, tmp_path: Path) -> None:
    own.add_checkpoint(request_for(LEAVES[:5], 0))
    before = (tmp_path / "state.json").stat()
    assert own.add_checkpoint(request_for(LEAVES[:5], 5)).status == 200
    after = (tmp_path / "state.json").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_wrong_signature_beside_a_good_one_is_refused(state: State) -> None:
    own = Witness(KEY, state, [str(LOG.verifier), str(FORMER.verifier)])
    wrong = note_of(LEAVES[:4], FORMER).rpartition("\n\n")[2]
    answer = own.add_checkpoint(request_for(LEAVES[:5], 0, note_of(LEAVES[:5]) + wrong))
    assert (answer.status, kept(state)) == (403, 0)


# The state


def test_the_head_lasts_before_the_cosignature_is_made(own: Witness, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def noted(name: str, function: Any) -> Any:
        def run(*arguments: Any) -> Any:
            is_folder = name == "fsync" and stat.S_ISDIR(os.fstat(arguments[0]).st_mode)
            steps.append(f"{name} of the folder" if is_folder else name)
            return function(*arguments)

        return run

    for name in ("fsync", "replace"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    monkeypatch.setattr(WitnessKey, "cosign", noted("cosign", WitnessKey.cosign))
    own.add_checkpoint(request_for(LEAVES[:5], 0))
    assert steps == ["fsync", "replace", "fsync of the folder", "cosign"]


@pytest.mark.parametrize("name", ["fsync", "replace"])
def test_a_full_disk_means_no_cosignature(
    name: str, own: Witness, state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.add_checkpoint(request_for(LEAVES[:5], 0))

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, name, full)
        answer = own.add_checkpoint(request_for(LEAVES[:9], 5))
    assert (answer.status, kept(state)) == (503, 5)
    assert "No space left on device" in answer.body
    assert own.add_checkpoint(request_for(LEAVES[:9], 5)).status == 200


def cosign_and_die(folder: Path) -> list[tuple[bool, str]]:
    environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(folder), str(LOG.verifier)],
        env=environment,
        stdout=subprocess.PIPE,
        check=True,
        timeout=240,
    )
    return [(is_killed, answer) for is_killed, answer in json.loads(done.stdout)]


@pytest.mark.exhaustive
@pytest.mark.processes
def test_a_kill_at_every_line_leaves_a_state_from_which_no_fork_is_cosigned(tmp_path: Path) -> None:
    with State(tmp_path / "state.json", KEY.verifier, is_new=True) as state:
        Witness(KEY, state, [str(LOG.verifier)]).add_checkpoint(request_for(LEAVES[:5], 0))
    (tmp_path / "key").write_text(KEY.to_text(), encoding="utf-8")
    (tmp_path / "request").write_bytes(request_for(LEAVES[:9], 5))
    steps = cosign_and_die(tmp_path)
    assert [is_killed for is_killed, _ in steps] == [True] * (len(steps) - 1) + [False]
    assert len(steps) > 60
    sizes = []
    for number, (_, answer) in enumerate(steps):
        with State(tmp_path / f"{number}" / "state.json", KEY.verifier) as state:
            sizes.append(kept(state))
            assert sizes[-1] in ({9} if answer else {5, 9})
            own = Witness(KEY, state, [str(LOG.verifier)])
            # The log does not know whether the head was cosigned, and asks again.
            again = own.add_checkpoint(request_for(LEAVES[:9], 5))
            if again.status == 409:
                again = own.add_checkpoint(request_for(LEAVES[:9], int(again.body)))
            assert again.status == 200
            assert own.add_checkpoint(request_for(FORK[:9], 9)).status == 409
            assert own.add_checkpoint(request_for(FORK[:12], 9)).status == 422
    assert sizes == sorted(sizes)
    assert set(sizes) == {5, 9}


def test_a_state_belongs_to_one_process_and_one_witness(state: State, tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    (tmp_path / "link").symlink_to(file)
    for name in (file, tmp_path / "link"):
        with pytest.raises(WitnessNotUsable, match="Another process has the state"):
            State(name, KEY.verifier)
    state.close()
    with pytest.raises(WitnessNotUsable, match="the state of another witness"):
        State(file, WitnessKey.generate("another").verifier)
    with pytest.raises(WitnessNotUsable, match="exists, and --new is for the first start alone"):
        State(file, KEY.verifier, is_new=True)
    with pytest.raises(WitnessNotUsable, match="could cosign a fork"):
        State(tmp_path / "missing.json", KEY.verifier)
    with State(file, KEY.verifier) as again:
        assert again.notes == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"format": 1}',
        b'{"format": 2, "witness": "", "heads": {}}',
        b'{"format": 1, "witness": "", "heads": {"log": "no note"}}',
        b'{"format": 1, "witness": "", "heads": []}',
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_a_damaged_state_is_not_used(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "state.json").write_bytes(content)
    with pytest.raises(WitnessNotUsable):
        State(tmp_path / "state.json", KEY.verifier)
    assert [each.name for each in tmp_path.iterdir()] == ["state.json"], "no lock is left behind"


def test_keys_are_read_back_and_hidden() -> None:
    key = WitnessKey.generate("witness.example.org/w1")
    assert WitnessKey.parse(key.to_text()) == key
    assert base64.b64encode(key.seed).decode()[:20] not in repr(key)
    text = key.to_text()
    for other in (
        "",
        text[:-4],
        text.replace("witness", "another"),
        text.removeprefix("PRIVATE+"),
        LOG.to_text(),
    ):
        with pytest.raises(WitnessNotUsable):
            WitnessKey.parse(other)
    for name in ("", "a b", "a+b", "a\nb", "a" * 201):
        with pytest.raises(WitnessNotUsable):
            WitnessKey.generate(name)


# Policies

WITNESSES = [WitnessKey(f"witness-{number}.example.org", bytes([number]) * 32) for number in range(1, 5)]
LINES = [
    f"witness w{number} {key.verifier} https://w{number}.example" for number, key in enumerate(WITNESSES, 1)
]


def cosigned_by(*numbers: int) -> str:
    note = note_of(LEAVES[:5])
    text = note.rpartition("\n\n")[0] + "\n"
    return note + "".join(WITNESSES[number - 1].cosign(text, AT) for number in numbers)


@pytest.mark.parametrize(
    ("rule", "enough", "too_few"),
    [
        ("quorum none", [(), (1,)], []),
        ("quorum w1", [(1,), (1, 2)], [(), (2, 3, 4)]),
        ("group a any w1 w2\nquorum a", [(1,), (2,)], [(), (3, 4)]),
        ("group a 2 w1 w2 w3\nquorum a", [(1, 3), (1, 2, 3)], [(1,), (1, 4)]),
        ("group a all w1 w2\nquorum a", [(1, 2)], [(1,), (2,)]),
        (
            "group a 1 w1 w2\ngroup b all w3 w4\ngroup c all a b\nquorum c",
            [(1, 3, 4), (2, 3, 4)],
            [(1, 2), (3, 4), (1, 3)],
        ),
    ],
)
def test_the_quorum_decides(rule: str, enough: list[Any], too_few: list[Any]) -> None:
    policy = Policy.parse(
        "\n".join(["# A policy", f"log\t{LOG.verifier}", *LINES, "", *rule.split("\n"), ""])
    )
    assert policy.logs == (str(LOG.verifier),)
    for numbers in enough:
        assert list(policy.check(cosigned_by(*numbers))) == [f"w{number}" for number in numbers]
    for numbers in too_few:
        with pytest.raises(ProofRefused, match="lacks cosignatures"):
            policy.check(cosigned_by(*numbers))


def test_a_cosignature_that_is_not_genuine_does_not_count() -> None:
    policy = Policy.parse(f"{LINES[0]}\nquorum w1\n")
    good = cosigned_by(1)
    policy.check(good)
    for forged in (
        good.replace("\n5\n", "\n6\n"),
        good[:-6] + ("A" if good[-6] != "A" else "B") + good[-5:],
        good.replace("witness-1.example", "witness-2.example"),
        note_of(LEAVES[:5]) + f"— {WITNESSES[0].name} AAAA\n",
    ):
        with pytest.raises(ProofRefused):
            policy.check(forged)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no line `quorum NAME`"),
        ("quorum w1", "Line 1 of the policy: No line before it defines “w1”"),
        ("quorum none\nquorum none", "Line 2 of the policy: There is a quorum already"),
        ("quorum none\r\n", "control character"),
        (f"{LINES[0]}\n{LINES[0]}\nquorum none", "The name “w1” is taken"),
        (f"{LINES[0]}\n{LINES[0].replace('w1', 'w9', 1)}\nquorum none", "The key is there twice"),
        (f"log {LOG.verifier}\nlog {LOG.verifier}\nquorum none", "The key is there twice"),
        (f"log {KEY.verifier}\nquorum none", "Line 1 of the policy: “witness.example.org+"),
        (f"log {KEY.verifier}\nquorum none", "+A…: it is one of a witness."),
        (f"witness w {LOG.verifier}\nquorum none", "+B…: it is one of a log."),
        (f"witness none {KEY.verifier}\nquorum none", "The name “none” is taken"),
        ("group g any w1\nquorum g", "No line before it defines “w1”"),
        ("group g any\nquorum none", "It is not a line of a policy"),
        (f"{LINES[0]}\ngroup g 2 w1\nquorum g", "a number from 1 to 1"),
        (f"{LINES[0]}\ngroup g 0 w1\nquorum g", "a number from 1 to 1"),
        (f"{LINES[0]}\ngroup g any w1\ngroup h any w1\nquorum g", "is a member already"),
        (f"{LINES[0]}\ngroup g any none\nquorum g", "No line before it defines “none”"),
        ("hello", "It is not a line of a policy"),
        ("#" * 1_000_001, "more than 1000000 characters"),
    ],
)
def test_a_malformed_policy_names_the_line(text: str, fault: str) -> None:
    with pytest.raises(MalformedPolicy) as raised:
        Policy.parse(text)
    assert fault in str(raised.value)


# The command


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "urnregistry", *arguments]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The command as a process, and its port."""
    assert main(["witness-key", str(tmp_path / "key"), "--name", "witness.example.org"]) == 0
    environment = os.environ | {"PYTHONPATH": str(ROOT / "clients" / "python")}
    arguments = [
        str(tmp_path / "state.json"),
        "--new",
        "--key",
        str(tmp_path / "key"),
        "--log",
        str(LOG.verifier),
    ]
    process = subprocess.Popen(
        command("witness", *arguments, "--port", "0", "--json"),
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        started = json.loads(process.stdout.readline())
        assert started["host"] == "127.0.0.1"
        yield process, started["port"]
    finally:
        process.kill()
        process.communicate(timeout=20)


def post(port: int, body: bytes, path: str = "/add-checkpoint", **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    answer = response.read().decode()
    connection.close()
    return Answer(http.HTTPStatus(response.status), answer, response.headers["Content-Type"])


@pytest.mark.processes
def test_the_command_serves_and_ends_with_a_signal(
    served: tuple[subprocess.Popen[str], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process, port = served
    assert post(port, request_for(LEAVES[:5], 0)).status == 200
    conflict = post(port, request_for(LEAVES[:9], 0))
    assert (conflict.status, conflict.body, conflict.media_type) == (409, "5\n", "text/x.tlog.size")
    assert post(port, request_for(FORK[:5], 5)).status == 409
    assert post(port, b"x", path="/other").status == 404
    assert post(port, b"x" * 70_000).status == 413
    arguments = [str(tmp_path / "state.json"), "--key", str(tmp_path / "key"), "--log", str(LOG.verifier)]
    assert main(["witness", *arguments, "--port", "0"]) == 2
    assert "Another process has the state" in capsys.readouterr().err
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 0
    (fork,) = (each for each in map(json.loads, out.splitlines()) if each["event"] == "contradiction")
    assert (fork["cosigned"], fork["refused"]) == (note_of(LEAVES[:5]), note_of(FORK[:5]))
    assert json.loads((tmp_path / "state.json").read_bytes())["heads"] == {LOG.name: note_of(LEAVES[:5])}


@pytest.mark.processes
def test_requests_of_other_forms_end_the_connection(served: tuple[subprocess.Popen[str], int]) -> None:
    _, port = served
    for sent, expected in (
        (b"nonsense\r\n\r\n", b"Bad request"),
        (b"GET /add-checkpoint HTTP/1.1\r\n\r\n", b" 405 "),
        (b"PUT /add-checkpoint HTTP/1.1\r\n\r\n", b" 501 "),
        (b"POST /add-checkpoint HTTP/1.1\r\n\r\n", b" 411 "),
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b" 411 "),
        (b"POST /add-checkpoint HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", b" 411 "),
        (b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n", b" 413 "),
    ):
        with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
            connection.sendall(sent)
            received = b""
            while block := connection.recv(4096):
                received += block
        assert expected in received, sent


def test_a_slow_request_is_left(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness_server, "WAIT", 0.3)
    monkeypatch.setattr(witness_server._Handler, "timeout", 0.3)
    own = Witness(KEY, state, [str(LOG.verifier)])
    with witness_server.Server(("127.0.0.1", 0), own, lambda *_: None) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
                connection.sendall(b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 900\r\n\r\nold")
                assert connection.recv(4096).startswith(b"HTTP/1.1 408 ")
        finally:
            server.shutdown()
            thread.join(20)


def test_a_fault_of_the_witness_is_told_and_a_client_that_left_is_not(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, told = Witness(KEY, state, [str(LOG.verifier)]), list[dict[str, Any]]()

    def fail(_: bytes) -> None:
        raise faults.pop()

    faults = [ConnectionResetError("gone"), ZeroDivisionError("a fault")]
    monkeypatch.setattr(own, "add_checkpoint", fail)
    with witness_server.Server(("127.0.0.1", 0), own, lambda members, _: told.append(members)) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            for _ in range(2):
                with socket.create_connection(("127.0.0.1", server.server_port), timeout=20) as connection:
                    connection.sendall(b"POST /add-checkpoint HTTP/1.1\r\nContent-Length: 1\r\n\r\nx")
                    assert connection.recv(4096) == b""
        finally:
            server.shutdown()
            thread.join(20)
    (fault,) = told
    assert (fault["event"], "ZeroDivisionError: a fault" in fault["traceback"]) == ("fault", True)


def test_wrong_usage_has_its_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key, log = str(tmp_path / "key"), ["--log", str(LOG.verifier)]
    assert main(["witness-key", key, "--name", "a b"]) == 2
    assert main(["witness-key", key, "--name", "witness.example.org", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verifier_key"].startswith("witness.example.org+")
    assert main(["witness-key", f"{key}-2", "--name", "witness.example.org"]) == 0
    assert parse_key(capsys.readouterr().out.removesuffix("\n"), COSIGNATURE)[0] == "witness.example.org"
    Path(f"{key}-2").unlink()
    assert stat.S_IMODE(os.stat(key).st_mode) == 0o600  # noqa: PTH116
    assert main(["witness-key", key, "--name", "witness.example.org"]) == 2
    state = str(tmp_path / "state.json")
    assert main(["witness", state, "--key", key, *log]) == 2
    assert "does not exist" in capsys.readouterr().err
    assert main(["witness", state, "--new", "--key", str(tmp_path / "missing"), *log]) == 2
    assert main(["witness", state, "--new", "--key", key, "--log", "nonsense"]) == 2
    assert [each.name for each in tmp_path.iterdir()] == ["key"]
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        capsys.readouterr()
        assert main(["witness", str(tmp_path / "c"), "--new", "--key", key, *log, f"--port={port}"]) == 2
    assert f"The witness can't listen at 127.0.0.1:{port}: " in capsys.readouterr().err
    assert main(["witness", str(tmp_path / "b"), "--new", "--key", key, *log, "--port", "99999"]) == 2
    for name in ("witness", "witness-key"):
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        assert "examples:" in capsys.readouterr().out
