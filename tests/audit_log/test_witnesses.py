"""Witnesses: what the registry asks, keeps and publishes, and what happens when a witness or the registry is not honest.

The witness is that of the client for Python. `cosigned` is written from the text of https://c2sp.org/tlog-cosignature alone.
"""

import base64
import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from procrastinate import JobContext, jobs
from procrastinate.contrib.django import app
from procrastinate.job_context import AbortReason
from urnregistry import Policy, ProofRefused
from urnregistry.proofs import verify_proof
from urnregistry.witness import State
from urnregistry.witness import Witness as OwnWitness
from urnregistry.witness import WitnessKey as PrivateKey

from registry.audit_log import attestations, log, tasks, witnesses
from registry.audit_log.attestations import MAX_HEADS, ask_each
from registry.audit_log.checks import PATIENCE, check_witnesses
from registry.audit_log.cosignatures import WitnessKey, cosignature_of
from registry.audit_log.heads import publish_head
from registry.audit_log.models import Cosignature, Event, SignedHead
from registry.audit_log.signed_notes import MalformedNote
from registry.core.jobs import OUTGOING
from registry.core.outgoing.https_requests import RequestLimits, request
from registry.publication.snapshot.publisher import publish
from tests.audit_log.test_tiles import write_events
from tests.support.databases import in_sql
from tests.support.https_servers import (
    LOOPBACK,
    Authority,
    Exchange,
    FakeDNS,
    Respond,
    Server,
    authority,
    dns,
    https_server,
)
from tests.support.signing_key import KEY
from tests.support.tampering import as_owner

__all__ = ["authority", "dns"]

HOST, OTHER_HOST = "witness.example", "another-witness.example"
FORGET_EVERYTHING = (
    "DELETE FROM audit_log_cosignature; DELETE FROM audit_log_signedhead; DELETE FROM audit_log_tilehash; "
    "DELETE FROM audit_log_event; UPDATE audit_log_chainhead SET number = 0, digest = repeat('0', 64), last_in_format_2 = 0"
)


def cosigned(note: str, key: str) -> list[int]:
    """The times at which the witness of a verifier key cosigned a checkpoint. Raises InvalidSignature."""
    name, key_id, encoded = key.split("+", 2)
    public = base64.b64decode(encoded)
    assert public[:1] == b"\x04"
    expected = hashlib.sha256(name.encode() + b"\n" + public).digest()[:4]
    assert expected.hex() == key_id
    text, lines = note.split("\n\n")
    times = []
    for line in lines.splitlines():
        dash, signer, signature = line.split(" ")
        octets = base64.b64decode(signature)
        assert dash == "—"
        if signer == name and octets[:4] == expected:
            at = int.from_bytes(octets[4:12], "big")
            message = f"cosignature/v1\ntime {at}\n{text}\n".encode()
            Ed25519PublicKey.from_public_bytes(public[1:]).verify(octets[12:], message)
            times.append(at)
    return times


class Running:
    """A witness of the project at an address, which can be made to answer differently."""

    def __init__(self, folder: Path, name: str) -> None:
        self.key = PrivateKey.generate(name)
        self.contradictions: list[tuple[str, str, str]] = []
        self.state = State(folder / f"{name}.json", self.key.verifier, is_new=True)
        self.own = OwnWitness(
            self.key,
            self.state,
            [str(KEY.verifier)],
            on_contradiction=lambda *each: self.contradictions.append(each),
        )
        self.respond: Respond = self.answer
        self.server: Server

    def take(self, exchange: Exchange) -> None:
        self.respond(exchange)

    def answer(self, exchange: Exchange) -> None:
        answer = self.own.add_checkpoint(exchange.body)
        status = f"{answer.status.value} {answer.status.phrase}"
        exchange.reply(status, answer.body.encode(), Content_Type=answer.media_type)

    @property
    def setting(self) -> list[str]:
        return [self.key.verifier, f"https://{self.key.name}:{self.server.port}/"]

    @property
    def asked(self) -> list[str]:
        """The first lines of the requests."""
        return [each.body.decode().partition("\n")[0] for each in self.server.received]


@pytest.fixture
def run(
    authority: Authority, dns: FakeDNS, settings: Any, tmp_path: Path
) -> Iterator[Callable[[str], Running]]:
    """Start a witness of a name, and configure it. Its host is in a private network, which the operator allowed by naming it."""
    settings.LOG_WITNESSES = []
    with ExitStack() as running:

        def start(name: str) -> Running:
            dns[name] = LOOPBACK
            made = Running(tmp_path, name)
            running.enter_context(made.state)
            made.server = running.enter_context(https_server(authority.certificate(name), made.take))
            settings.LOG_WITNESSES = [*settings.LOG_WITNESSES, *made.setting]
            return made

        yield start


@pytest.fixture
def witness(db: None, run: Callable[[str], Running]) -> Running:
    return run(HOST)


def a_head(events: int) -> SignedHead:
    """Publish a head after so many more events."""
    write_events(events)
    head = publish_head()
    assert head is not None
    return head


def ask_witnesses(**options: Any) -> int:
    return ask_each(witnesses.witnesses(), **options)


def sizes(witness: Running) -> list[int]:
    """The sizes of the heads whose cosignature by this witness was kept."""
    found = Cosignature.objects.filter(key=witness.key.verifier).order_by("head")
    return list(found.values_list("head", flat=True))


# What is asked, kept and published


def test_the_published_head_has_the_cosignature(client: Client, witness: Running) -> None:
    before = int(timezone.now().timestamp())
    head = a_head(3)
    assert client.get("/audit-log/checkpoint").content.decode() == head.note, (
        "it is published without waiting"
    )
    assert ask_witnesses() == 1
    for place in ("/audit-log/checkpoint", "/audit-log/checkpoint.txt"):
        note = client.get(place).content.decode()
        assert note.startswith(head.note)
        (at,) = cosigned(note, witness.key.verifier)
        assert before <= at <= int(timezone.now().timestamp())
    assert Cosignature.objects.get().at.timestamp() == at
    with pytest.raises(InvalidSignature):
        cosigned(note.replace("\n3\n", "\n4\n"), witness.key.verifier)
    page = client.get("/audit-log/").content.decode()
    assert "1 witness saw this head" in page
    assert witness.key.verifier in page


def test_each_head_is_asked_for_once_with_the_proof_that_it_continues(witness: Running) -> None:
    for events in (3, 4, 300):
        a_head(events)
        assert ask_witnesses() == 1
    assert ask_witnesses() == 0
    assert witness.asked == ["old 0", "old 3", "old 7"]
    assert sizes(witness) == [3, 7, 307]
    assert {(each.method, each.path) for each in witness.server.received} == {("POST", "/add-checkpoint")}


def test_missed_heads_are_asked_for_oldest_first_up_to_a_limit(witness: Running, monkeypatch: Any) -> None:
    witness.respond = lambda exchange: exchange.reply("503 Service Unavailable")
    heads = [a_head(1).size for _ in range(6)]
    assert ask_witnesses() == 0
    witness.respond = witness.answer
    monkeypatch.setattr(attestations, "MAX_HEADS", 4)
    assert MAX_HEADS > 4
    assert ask_witnesses() == 4
    assert sizes(witness) == heads[2:]


def test_a_job_that_is_stopped_ends_between_two_requests(witness: Running) -> None:
    for _ in range(3):
        a_head(1)
    answers = iter([False, True])
    assert ask_witnesses(should_stop=lambda: next(answers)) == 1
    assert sizes(witness) == [1]


def test_without_witnesses_or_a_key_nothing_is_asked(witness: Running, settings: Any) -> None:
    a_head(1)
    settings.LOG_SIGNING_KEY, key = "", settings.LOG_SIGNING_KEY
    assert ask_witnesses() == 0
    settings.LOG_SIGNING_KEY, settings.LOG_WITNESSES = key, []
    assert ask_witnesses() == 0
    assert witness.asked == []


def test_a_cosignature_is_never_changed(witness: Running) -> None:
    a_head(1)
    ask_witnesses()
    for statement in (
        "UPDATE audit_log_cosignature SET line = '— another A='",
        "DELETE FROM audit_log_cosignature",
        "TRUNCATE audit_log_cosignature",
    ):
        with pytest.raises((IntegrityError, DatabaseError), match="refused: rows of"), transaction.atomic():
            in_sql(statement)


def test_the_snapshot_gets_cosignatures_without_a_new_event(
    real_database: Any, run: Callable[[str], Running], tmp_path: Path
) -> None:
    witness = run(HOST)
    head = a_head(2)
    folder = tmp_path / "snapshot"
    publish(folder)
    file = folder / "current" / "audit-log" / "checkpoint"
    assert file.read_text(encoding="utf-8") == head.note
    assert not publish(folder).has_changes
    ask_witnesses()
    assert publish(folder).has_changes
    assert len(cosigned(file.read_text(encoding="utf-8"), witness.key.verifier)) == 1
    assert not publish(folder).has_changes


def run_job(reason: AbortReason | None = None) -> None:
    job = jobs.Job(id=1, queue="outgoing", lock=None, queueing_lock=None, task_name="ask")
    context = JobContext(app=app, job=job, start_timestamp=0.0, abort_reason=lambda: reason)
    tasks.ask_witnesses(context, timestamp=0)


def test_the_job_comes_every_five_minutes_and_takes_no_place_from_mail(witness: Running) -> None:
    (periodic,) = [
        each for each in app.periodic_registry.periodic_tasks.values() if each.task is tasks.ask_witnesses
    ]
    assert (periodic.cron, periodic.task.queue) == ("*/5 * * * *", OUTGOING)
    a_head(1)
    run_job(AbortReason.SHUTDOWN)
    assert witness.asked == []
    run_job()
    assert sizes(witness) == [1]


# Proofs and policies


def policy_of(*running: Running, needed: str = "all") -> Policy:
    lines = [f"log {KEY.verifier}"]
    lines += [f"witness w{number} {each.key.verifier}" for number, each in enumerate(running)]
    members = " ".join(f"w{number}" for number in range(len(running)))
    return Policy.parse("\n".join([*lines, f"group witnesses {needed} {members}", "quorum witnesses", ""]))


def proof_in(client: Client, number: int) -> str:
    return str(client.get(f"/audit-log/proofs/{number}.tlog-proof").content.decode())


def test_a_policy_says_how_many_witnesses_make_a_proof_trusted(
    client: Client, witness: Running, run: Callable[[str], Running]
) -> None:
    other = run(OTHER_HOST)
    other.respond = lambda exchange: exchange.reply("500 Internal Server Error")
    a_head(3)
    with pytest.raises(ProofRefused, match="lacks cosignatures: the policy asks for “witnesses”"):
        verify_proof(proof_in(client, 2), [], policy_of(witness))
    assert ask_witnesses() == 1
    proof = proof_in(client, 2)
    assert list(verify_proof(proof, [], policy_of(witness)).cosigners) == ["w0"]
    assert list(verify_proof(proof, [], policy_of(witness, other, needed="1")).cosigners) == ["w0"]
    with pytest.raises(ProofRefused, match="of its witnesses w0 cosigned"):
        verify_proof(proof, [], policy_of(witness, other))
    other.respond = other.answer
    assert ask_witnesses() == 1
    assert len(verify_proof(proof_in(client, 2), [], policy_of(witness, other)).cosigners) == 2


def test_a_proof_is_about_the_first_head_with_a_cosignature(client: Client, witness: Running) -> None:
    """An event of the time before there were witnesses is proven by a head that has them."""
    first, second = a_head(3), a_head(2)
    Cosignature.objects.create(head=second, key="w+00000000+B", line="— w AAAAAAA=", at=timezone.now())
    assert f"\n{second.size}\n" in proof_in(client, 1)
    third = a_head(1)
    assert f"\n{second.size}\n" in proof_in(client, second.size)
    assert f"\n{third.size}\n" in proof_in(client, third.size)
    assert first.size == 3


def test_a_proof_is_about_the_head_with_the_most_cosignatures(
    client: Client, witness: Running, run: Callable[[str], Running]
) -> None:
    """A witness that came later, or was away for long, never cosigns the first heads."""
    first = a_head(3)
    assert ask_witnesses() == 1
    other = run(OTHER_HOST)
    other.respond = lambda exchange: exchange.reply("503 Service Unavailable")
    policy = policy_of(witness, other)
    second = a_head(2)
    assert ask_witnesses() == 1
    assert f"\n{first.size}\n" in proof_in(client, 1), "no head has more"
    other.respond = other.answer
    third = a_head(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(attestations, "MAX_HEADS", 1)
        assert ask_witnesses() == 2
    assert sizes(other) == [third.size]
    assert second.size not in sizes(other)
    assert len(verify_proof(proof_in(client, 1), [], policy).cosigners) == 2


def test_a_process_that_got_further_is_no_fault(witness: Running) -> None:
    """Two jobs can overlap: a witness may be slow."""
    head, later = a_head(3), a_head(4)
    (asked,) = witnesses.witnesses()
    assert asked.ask(later)
    assert not asked.ask(head)
    assert not asked.ask(later)
    assert sizes(witness) == [7]


# Witnesses that fail, or lie


def garbage(exchange: Exchange) -> None:
    exchange.reply("200 OK", b"\xff\xfe garbage")


def another_key(exchange: Exchange) -> None:
    """The line of another witness: a statement, but not of this one."""
    text = exchange.body.decode().partition("\n\n")[2].rpartition("\n\n")[0] + "\n"
    exchange.reply("200 OK", PrivateKey.generate(HOST).cosign(text, 1).encode())


def another_text(exchange: Exchange) -> None:
    exchange.reply("200 OK", b"\xe2\x80\x94 " + HOST.encode() + b" " + base64.b64encode(bytes(76)) + b"\n")


FAILURES: dict[str, Respond] = {
    "an error": lambda exchange: exchange.reply("500 Internal Server Error", b"<h1>\x1b[31m" + b"x" * 9_000),
    "a log that it does not know": lambda exchange: exchange.reply("404 Not Found"),
    "a key that it does not know": lambda exchange: exchange.reply("403 Forbidden"),
    "a redirect": lambda exchange: exchange.redirect("https://127.0.0.1/"),
    "nothing": lambda exchange: exchange.reply("200 OK"),
    "garbage": garbage,
    "another key": another_key,
    "another text": another_text,
    "a long answer": lambda exchange: exchange.reply("200 OK", b"\xe2\x80\x94 a b\n" * 50_000),
    "no answer": lambda exchange: None,
    "a size that never fits": lambda exchange: exchange.reply("409 Conflict", b"1\n"),
    "another refusal of a size": lambda exchange: exchange.reply("409 Conflict", b"3"),
    "a size that is none": lambda exchange: exchange.reply("409 Conflict", b"9" * 30 + b"\n"),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES.keys())
def test_a_witness_that_fails_holds_nothing_back(
    failure: Respond, client: Client, witness: Running, run: Callable[[str], Running], caplog: Any
) -> None:
    other = run(OTHER_HOST)
    head = a_head(3)
    witness.respond = failure
    with caplog.at_level(logging.WARNING):
        assert ask_witnesses() == 1
    (line,) = (each.getMessage() for each in caplog.records if HOST in each.getMessage())
    assert line.startswith(f"The witness {HOST} did not cosign. ")
    assert "\x1b" not in line
    assert len(line) < 1_500
    assert (sizes(witness), sizes(other)) == ([], [3])
    note = client.get("/audit-log/checkpoint").content.decode()
    assert note.startswith(head.note)
    witness.respond = witness.answer
    assert ask_witnesses() == 1
    assert sizes(witness) == [3]


@pytest.mark.parametrize("before", ["\n", "junk\n\n", "— evil.example AAAAAAAA\n\n"])
def test_a_line_is_not_paired_with_the_signature_of_another(before: str, db: None) -> None:
    head, key = a_head(1), PrivateKey(HOST, bytes(32))
    line = key.cosign(head.note.rpartition("\n\n")[0] + "\n", 1)
    assert f"{cosignature_of(head.note, line, WitnessKey.parse(key.verifier)).text}\n" == line
    with pytest.raises(MalformedNote, match="empty line"):
        cosignature_of(head.note, before + line, WitnessKey.parse(key.verifier))


def test_a_witness_that_is_slow_is_left(witness: Running, monkeypatch: Any) -> None:
    monkeypatch.setattr(attestations, "LIMITS", RequestLimits(connect=1, wait=1, total=0.5, body=1024))
    witness.respond = lambda exchange: exchange.trickle(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000)
    a_head(1)
    assert ask_witnesses() == 0
    assert sizes(witness) == []


def test_lines_of_other_keys_beside_the_cosignature_are_left_out(client: Client, witness: Running) -> None:
    def with_more(exchange: Exchange) -> None:
        own = witness.own.add_checkpoint(exchange.body).body.encode()
        exchange.reply("200 OK", b"\xe2\x80\x94 other QUJDREVGRw==\n" + own)

    witness.respond = with_more
    head = a_head(1)
    assert ask_witnesses() == 1
    note = client.get("/audit-log/checkpoint").content.decode()
    assert "other" not in note.removeprefix(head.note)
    assert len(cosigned(note, witness.key.verifier)) == 1


# A process that ends at any step


class Killed(Exception):
    """The process ended here."""


def killed(*_arguments: Any, **_options: Any) -> Any:
    raise Killed


def killed_after(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **options: Any) -> Any:
        function(*arguments, **options)
        raise Killed

    return run


STEPS: dict[str, tuple[Any, str, Any]] = {
    "before the head is read": (attestations, "missing_heads", killed),
    "before the request": (attestations, "request", killed),
    "after the witness cosigned": (attestations, "request", killed_after(request)),
    "before the cosignature is checked": (witnesses, "cosignature_of", killed),
    "before the row": (Cosignature.objects, "get_or_create", killed),
    "after the row": (Cosignature.objects, "get_or_create", killed_after(Cosignature.objects.get_or_create)),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS.keys())
def test_a_process_that_ends_at_any_step_is_continued(
    step: tuple[Any, str, Any], client: Client, witness: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is published is always valid, and the next run has each cosignature once."""
    a_head(300)
    ask_witnesses()
    a_head(20)
    a_head(30)
    with monkeypatch.context() as patch:
        patch.setattr(*step)
        with pytest.raises(Killed):
            ask_witnesses()
    note = client.get("/audit-log/checkpoint").content.decode()
    assert cosigned(note, witness.key.verifier) == []
    assert sizes(witness) in ([300], [300, 320])
    ask_witnesses()
    assert sizes(witness) == [300, 320, 350]
    assert len(cosigned(client.get("/audit-log/checkpoint").content.decode(), witness.key.verifier)) == 1
    assert witness.contradictions == []


def test_a_witness_that_is_ahead_is_asked_for_the_head_that_it_has(witness: Running) -> None:
    """Its answers about two heads were lost: the older one stays without, and nothing is suspected."""
    a_head(3)
    a_head(4)
    assert ask_witnesses() == 2
    as_owner("DELETE FROM audit_log_cosignature")
    assert ask_witnesses() == 1
    assert sizes(witness) == [7]


# Two views of the log


def fork(first: str, events: int) -> SignedHead:
    """Replace the log by another one, which begins with another event, and publish its head with the same key."""
    as_owner(FORGET_EVERYTHING)
    with transaction.atomic():
        log.append_all([Event(verb="import", nid=first)])
    return a_head(events - 1)


@pytest.mark.parametrize(
    ("events", "status"), [(6, "status 409"), (9, "status 422")], ids=["equal", "larger"]
)
def test_of_two_registries_that_fork_one_is_cosigned(
    events: int, status: str, client: Client, witness: Running, caplog: Any
) -> None:
    kept = a_head(6)
    assert ask_witnesses() == 1
    other = fork("another", events)
    with caplog.at_level(logging.WARNING):
        assert ask_witnesses() == 0
    (line,) = (each.getMessage() for each in caplog.records if HOST in each.getMessage())
    assert "Another view of the log" in line
    assert status in line
    assert f"which the head of {events} events does not continue" in line or "another head" in line
    if events == kept.size:
        ((_, before, refused),) = witness.contradictions
        assert (before, refused) == (kept.note, other.note), "the witness has both signed heads as evidence"
    else:
        assert witness.contradictions == []
    with pytest.raises(ProofRefused, match="Others may see another log"):
        policy_of(witness).check(client.get("/audit-log/checkpoint").content.decode())
    as_owner(
        f"UPDATE audit_log_signedhead SET published_at = now() - interval '{2 * PATIENCE.seconds} seconds'"
    )
    (finding,) = check_witnesses()
    assert (finding.id, HOST in finding.msg) == ("audit_log.W005", True)


def test_a_registry_that_goes_back_is_noticed(witness: Running, caplog: Any) -> None:
    a_head(6)
    ask_witnesses()
    fork("example-0", 4)
    with caplog.at_level(logging.WARNING):
        assert ask_witnesses() == 0
    (line,) = (each.getMessage() for each in caplog.records if HOST in each.getMessage())
    assert "It has cosigned a head of 6 events, but the last published head has 4" in line


# Settings and checks


def test_the_deployment_is_told_of_a_witness_that_stays_away(witness: Running) -> None:
    assert check_witnesses() == []
    a_head(1)
    assert check_witnesses() == [], "it has some time"
    as_owner(
        f"UPDATE audit_log_signedhead SET published_at = now() - interval '{2 * PATIENCE.seconds} seconds'"
    )
    (finding,) = check_witnesses()
    assert f"The witness {HOST} has not cosigned the head of 1 events" in finding.msg
    ask_witnesses()
    assert check_witnesses() == []
