"""Time stamps of heads: what the registry asks, keeps and publishes, and which replies it refuses."""

import base64
import hashlib
import logging
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, IntegrityError, transaction
from django.test import Client
from rfc3161_client import VerificationError, VerifierBuilder, decode_timestamp_response

from registry.audit_log import attestations, timestamps
from registry.audit_log.attestations import ask_each
from registry.audit_log.checks import PATIENCE, check_settings_of_parties, check_timestamps
from registry.audit_log.models import SignedHead, Timestamp
from registry.audit_log.timestamps import NotStamped, authorities
from registry.core.outgoing.https_requests import Reply, RequestLimits
from registry.environment import SETTINGS
from registry.publication.snapshot.publisher import publish
from tests.audit_log.test_witnesses import FAILURES, Running, a_head, run, run_job
from tests.publication.snapshot.registries import files
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
from tests.support.tampering import as_owner
from tests.support.timestamp_authorities import TimestampAuthority

__all__ = ["authority", "dns", "run"]

HOST = "timestamp.example"
GUIDE = Path(__file__).parents[2] / "docs" / "audit-log.md"


class Stamping(TimestampAuthority):
    """An authority at an address, which can be made to answer differently."""

    server: Server
    respond: Respond

    def take(self, exchange: Exchange) -> None:
        self.respond(exchange)

    @property
    def setting(self) -> list[str]:
        return [f"https://{HOST}:{self.server.port}/tsr", str(self.root.ca)]


@pytest.fixture
def stamping(authority: Authority, dns: FakeDNS, settings: Any) -> Iterator[Stamping]:
    """A configured authority. Its host is in a private network, which the operator allowed by naming it."""
    dns[HOST] = LOOPBACK
    made = Stamping(authority)
    made.respond = made.answer
    with https_server(authority.certificate(HOST), made.take) as made.server:
        settings.LOG_TIMESTAMP_AUTHORITIES = made.setting
        yield made


def ask() -> int:
    return ask_each(authorities())


def stamped() -> list[int]:
    """The sizes of the heads that have a time stamp."""
    return list(Timestamp.objects.order_by("head").values_list("head", flat=True))


def is_verified(reply: bytes, note: bytes, root: Path, folder: Path) -> bool:
    """Run the command of the guide in a folder with these files, if this machine has the program."""
    if shutil.which("openssl") is None:
        with suppress(VerificationError):
            roots = x509.load_pem_x509_certificates(root.read_bytes())
            return VerifierBuilder(roots=roots).build().verify_message(decode_timestamp_response(reply), note)
        return False
    (command,) = (line for line in GUIDE.read_text().splitlines() if line.startswith("openssl ts -verify"))
    (folder / "timestamp.example.org.tsr").write_bytes(reply)
    (folder / "note.txt").write_bytes(note)
    (folder / "root.pem").write_bytes(root.read_bytes())
    done = subprocess.run(
        shlex.split(command), cwd=folder, capture_output=True, text=True, check=False, timeout=60
    )
    assert ("Verification: OK" in done.stdout) == (done.returncode == 0), done.stderr
    return done.returncode == 0


# What is asked, kept and published


def test_a_stranger_verifies_the_time_stamp_with_the_command_of_the_guide(
    client: Client, db: None, stamping: Stamping, authority: Authority, tmp_path: Path
) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    head = a_head(3)
    assert client.get("/audit-log/checkpoint").content.decode() == head.note, (
        "it is published without waiting"
    )
    run_job()
    reply = client.get(f"/audit-log/heads/3/{HOST}.tsr")
    assert reply["Content-Type"] == "application/timestamp-reply"
    assert "immutable" in reply["Cache-Control"]
    note = client.get("/audit-log/heads/3/note.txt").content
    assert note == head.note.encode()
    assert is_verified(reply.content, note, authority.ca, tmp_path)
    assert not is_verified(reply.content, note.replace(b"\n3\n", b"\n4\n"), authority.ca, tmp_path)
    other = Authority(tmp_path, "another")
    assert not is_verified(reply.content, note, other.ca, tmp_path)
    kept = Timestamp.objects.get()
    assert (base64.b64decode(kept.reply), kept.authority) == (reply.content, HOST)
    assert before <= kept.at <= datetime.now(UTC)
    assert f'href="/audit-log/heads/3/{HOST}.tsr"' in client.get("/audit-log/").content.decode()


def test_the_api_names_the_time_stamps_of_each_head(client: Client, db: None, stamping: Stamping) -> None:
    a_head(3)
    address = "/api/v1/audit-log/heads/"
    assert client.get(f"{address}3/").json()["timestamps"] == []
    ask()
    (found,) = client.get(address).json()["results"]
    assert found == client.get(f"{address}3/").json()
    (only,) = found["timestamps"]
    assert only["authority"] == HOST
    assert only["url"].endswith(f"/audit-log/heads/3/{HOST}.tsr")
    assert datetime.fromisoformat(only["at"]) == Timestamp.objects.get().at
    assert client.get(only["url"]).status_code == 200


@pytest.mark.parametrize("path", ["4/note.txt", "4/timestamp.example.tsr", "3/another.example.tsr"])
def test_what_does_not_exist_is_not_found(path: str, client: Client, db: None, stamping: Stamping) -> None:
    a_head(3)
    ask()
    assert client.get(f"/audit-log/heads/{path}").status_code == 404


def test_each_head_is_asked_for_once(db: None, stamping: Stamping) -> None:
    heads = [a_head(1), a_head(2)]
    assert (ask(), ask()) == (2, 0)
    assert stamped() == [1, 3]
    for head, exchange in zip(heads, stamping.server.received, strict=True):
        assert (exchange.method, exchange.path) == ("POST", "/tsr")
        assert exchange.headers["Content-Type"] == "application/timestamp-query"
        assert hashlib.sha256(head.note.encode()).digest() in exchange.body


def test_witnesses_and_authorities_do_not_wait_for_each_other(
    db: None, run: Callable[[str], Running], stamping: Stamping
) -> None:
    witness = run("witness.example")
    witness.respond = FAILURES["an error"]
    a_head(1)
    run_job()
    assert stamped() == [1]
    witness.respond, stamping.respond = witness.answer, FAILURES["an error"]
    a_head(1)
    run_job()
    assert (witness.asked, stamped()) == (["old 0", "old 0", "old 1"], [1])


def test_a_time_stamp_is_never_changed(db: None, stamping: Stamping) -> None:
    a_head(1)
    ask()
    for statement in (
        "UPDATE audit_log_timestamp SET reply = 'MA=='",
        "DELETE FROM audit_log_timestamp",
        "TRUNCATE audit_log_timestamp",
    ):
        with pytest.raises((IntegrityError, DatabaseError), match="refused: rows of"), transaction.atomic():
            in_sql(statement)


def test_the_snapshot_gets_time_stamps_without_a_new_event(
    real_database: Any, stamping: Stamping, tmp_path: Path
) -> None:
    folder, whole = tmp_path / "snapshot", tmp_path / "whole"
    head = a_head(2)
    publish(folder)
    assert not (folder / "current" / "audit-log" / "heads").exists()
    ask()
    assert publish(folder).has_changes
    a_head(1)
    assert publish(folder).has_changes
    assert not publish(folder).has_changes
    ask()
    publish(folder)
    found = folder / "current" / "audit-log" / "heads"
    assert (found / "2" / "note.txt").read_bytes() == head.note.encode()
    kept = Timestamp.objects.get(head=2)
    assert (found / "2" / f"{HOST}.tsr").read_bytes() == base64.b64decode(kept.reply)
    assert (found / "3" / f"{HOST}.tsr").exists()
    publish(whole)
    assert files(folder) == files(whole)


# Authorities that fail, or lie


def another_root(stamping: Stamping) -> None:
    other = TimestampAuthority(Authority(stamping.root.folder, "another"))
    stamping.answer_with(certificate=other.certificate, key=other.key)


def another_use(stamping: Stamping) -> None:
    certificate, key = stamping.root.time_stamping(ExtendedKeyUsageOID.SERVER_AUTH)
    stamping.answer_with(certificate=certificate, key=key)


def another_certificate(stamping: Stamping) -> None:
    """A signature by another key than that of the certificate."""
    stamping.answer_with(key=stamping.root.time_stamping(ExtendedKeyUsageOID.TIME_STAMPING)[1])


def an_earlier_reply(stamping: Stamping) -> None:
    """That of the request before: its nonce is another one."""
    before = SignedHead.objects.last()
    assert before is not None
    (authority,) = authorities()
    kept: list[bytes] = []

    def keep(exchange: Exchange) -> None:
        kept.append(stamping.stamp(exchange.body))
        exchange.reply("503 Service Unavailable")

    stamping.respond = keep
    with pytest.raises(NotStamped):
        authority.ask(before)
    stamping.respond = lambda exchange: exchange.reply(body=kept[0])


LIES: dict[str, Callable[[Stamping], None]] = {
    "another nonce": lambda stamping: stamping.answer_with(nonce=1),
    "another digest": lambda stamping: stamping.answer_with(digest=bytes(32)),
    "a time at which the certificate was not valid": lambda stamping: stamping.answer_with(
        at=datetime.now(UTC) - timedelta(days=400)
    ),
    "a rejection": lambda stamping: stamping.answer_with(status=2),
    "another root": another_root,
    "a certificate for another use": another_use,
    "another key": another_certificate,
    "an earlier reply": an_earlier_reply,
}
# Those of servers that do not answer at all, which witnesses are tested with.
OF_SERVERS = ("an error", "a redirect", "nothing", "garbage", "a long answer", "no answer")


def check_that_the_reply_is_refused(client: Client, stamping: Stamping, caplog: Any) -> None:
    with caplog.at_level(logging.WARNING):
        assert ask() == 0
    (line,) = (each.getMessage() for each in caplog.records if HOST in each.getMessage())
    assert line.startswith(f"The time-stamping authority {HOST} gave no time stamp. ")
    assert "\x1b" not in line
    assert len(line) < 1_500
    assert stamped() == []
    assert HOST not in client.get("/audit-log/").content.decode()
    stamping.respond, stamping.lie = stamping.answer, lambda stamp: stamp
    assert ask() == 1


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES.keys())
def test_a_reply_that_does_not_verify_is_not_kept(
    lie: Callable[[Stamping], None], client: Client, db: None, stamping: Stamping, caplog: Any
) -> None:
    a_head(3)
    lie(stamping)
    check_that_the_reply_is_refused(client, stamping, caplog)


@pytest.mark.parametrize("failure", OF_SERVERS)
def test_an_authority_that_fails_holds_nothing_back(
    failure: str, client: Client, db: None, stamping: Stamping, caplog: Any
) -> None:
    a_head(3)
    stamping.respond = FAILURES[failure]
    check_that_the_reply_is_refused(client, stamping, caplog)


def test_an_authority_that_is_slow_is_left(db: None, stamping: Stamping, monkeypatch: Any) -> None:
    monkeypatch.setattr(attestations, "LIMITS", RequestLimits(connect=1, wait=1, total=0.5, body=1024))
    stamping.respond = lambda exchange: exchange.trickle(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1_000)
    a_head(1)
    assert ask() == 0


def test_a_changed_octet_is_refused_or_changes_nothing(
    db: None, stamping: Stamping, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No reply, however it is damaged, ends the job, or gives another time."""
    head = a_head(1)
    (authority,) = authorities()
    at = datetime.now(UTC).replace(microsecond=0)
    stamping.answer_with(at=at)
    refused, shortest = 0, len(stamping.stamp(b"\x04\x20" + bytes(32) + b"\x02\x01\x01")) - 8

    def damaged(position: int, _url: str, _media_type: str, body: bytes) -> Reply:
        reply = bytearray(stamping.stamp(body))
        reply[position] ^= 1
        return Reply(200, "", bytes(reply))

    for position in range(shortest):
        monkeypatch.setattr(timestamps, "post", partial(damaged, position))
        try:
            with transaction.atomic():
                authority.ask(head)
                assert Timestamp.objects.get().at == at
                transaction.set_rollback(True)
        except NotStamped:
            refused += 1
    assert refused > 0.9 * shortest


# Settings and checks


def test_the_deployment_is_told_of_an_authority_that_stays_away(db: None, stamping: Stamping) -> None:
    a_head(1)
    assert check_timestamps() == [], "it has some time"
    as_owner(
        f"UPDATE audit_log_signedhead SET published_at = now() - interval '{2 * PATIENCE.seconds} seconds'"
    )
    (finding,) = check_timestamps()
    assert f"The time-stamping authority {HOST} has not stamped the head of 1 events" in finding.msg
    assert finding.id == "audit_log.W006"
    ask()
    assert check_timestamps() == []


def test_a_malformed_setting_is_a_configuration_error(authority: Authority, settings: Any) -> None:
    pair = ["https://a.example/tsr", str(authority.ca)]
    for words, fault in (
        (pair[:1], "the second word of a pair is missing"),
        ([pair[0], "/nowhere.pem"], "/nowhere.pem is not a readable file"),
        ([pair[0], str(GUIDE)], "is not a readable file with certificates in PEM"),
        ([*pair, "https://a.example/other", pair[1]], "a host is there twice"),
    ):
        settings.LOG_TIMESTAMP_AUTHORITIES = words
        with pytest.raises(ImproperlyConfigured, match=f"^LOG_TIMESTAMP_AUTHORITIES: .*{fault}"):
            authorities()
        (message,) = check_settings_of_parties()
        assert (message.id, fault in message.msg) == ("audit_log.E003", True)
        assert check_timestamps() == []


def test_the_environment_has_pairs() -> None:
    setting = SETTINGS["LOG_TIMESTAMP_AUTHORITIES"]
    assert setting.parse("") == []
    pair = ["https://timestamp.example.org/tsr", "/etc/urn-registry/root.pem"]
    assert setting.parse("  ".join(pair)) == pair
    for text in (pair[0], pair[1], f"http://a.example/ {pair[1]}", " ".join(reversed(pair))):
        with pytest.raises(ImproperlyConfigured, match=r"^LOG_TIMESTAMP_AUTHORITIES is "):
            setting.parse(text)
