"""Attacks on the audit log by the owner of its tables, who can compute a new chain, against signed heads."""

import base64
import json
import signal
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from registry.accounts.models import RoleName
from registry.audit_log import log
from registry.audit_log.heads import publish_head
from registry.audit_log.models import BrokenAuditLog, Event, SignedHead
from registry.audit_log.signed_notes import KEY_ID_LENGTH, Checkpoint, SigningKey, text_of
from registry.audit_log.signing_keys import trusted_keys
from registry.audit_log.tasks import publish_hourly_head
from registry.audit_log.verification import verify
from registry.cases.models import State
from registry.mail.models import Message
from tests.support.factories import a_person, an_approved_case
from tests.support.processes import assign_and_die, ended, publish_head_and_die, start
from tests.support.signing_key import KEY
from tests.support.tampering import as_owner, rewrite_log

# Of the attacker: the same name, but not the same key.
FORGER = SigningKey(KEY.name, bytes(32))
REWRITE = "UPDATE audit_log_event SET reason = 'another' WHERE number = 2"
FORGET_NEWEST = "DELETE FROM audit_log_event WHERE number > 3"
FORGET_HEADS = "DELETE FROM audit_log_signedhead"


def write_events(number: int) -> None:
    with transaction.atomic():
        for count in range(number):
            log.append("import", by=None, nid=f"example-{count}")


@pytest.fixture
def held(db: None, tmp_path: Path) -> Path:
    """A signed head of five events that an outsider keeps; two more events follow, with another head."""
    write_events(5)
    path = tmp_path / "head.txt"
    path.write_text(_published(), encoding="utf-8")
    write_events(2)
    _published()
    return path


def _published() -> str:
    head = publish_head()
    assert head is not None
    return head.note


def run(*arguments: object) -> tuple[int, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("verify_audit_log", *map(str, arguments), stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue() + err.getvalue()
    return 0, out.getvalue()


def refused(*arguments: object) -> str:
    """Return the message of a usage error."""
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert refusal.value.returncode == 2
    return str(refusal.value)


# A rewritten log contradicts a head that is kept


def test_the_kept_head_of_an_untouched_log_agrees(held: Path) -> None:
    head = Event.objects.get(number=7).digest
    valid = f"The audit log is valid: 7 events, head {head}.\nIt contains what 2 published heads commit to.\n"
    assert run("--head", held) == (0, valid)
    stated = json.loads(run("--json", "--head", held, "--vkey", KEY.verifier)[1])
    assert (stated["valid"], stated["published_heads"], stated["signatures_checked"]) == (True, 2, True)
    assert stated["root"] == SignedHead.objects.get(size=7).checkpoint.encoded_root


def test_a_rewritten_event_contradicts_published_heads_that_the_attacker_left(held: Path) -> None:
    rewrite_log(REWRITE)
    status, said = run()
    assert status == 1
    for size in (5, 7):
        assert f"The events up to {size} do not have the root hash" in said
    assert "(published head): the log was rewritten before or at this event." in said


def test_a_rewritten_event_contradicts_the_kept_head_when_the_published_are_removed(held: Path) -> None:
    rewrite_log(REWRITE)
    as_owner(FORGET_HEADS)
    assert run()[0] == 0, "without a head that is kept outside, nothing is noticed"
    status, said = run("--head", held)
    assert status == 1
    assert (
        f"The events up to 5 do not have the root hash {Checkpoint.of_note(held.read_text()).encoded_root}"
        in said
    )
    assert str(held) in said


def test_a_log_without_its_newest_events_contradicts_the_kept_head(held: Path) -> None:
    rewrite_log(FORGET_NEWEST)
    status, said = run()
    assert (status, "Event 5 is missing (published head)" in said) == (1, True)
    as_owner(FORGET_HEADS)
    assert run()[0] == 0
    status, said = run("--json", "--head", held)
    assert status == 1
    (fault,) = json.loads(said)["faults"]
    assert fault.startswith(f"Event 5 is missing ({held}): the log ends at event 3")


@pytest.mark.exhaustive
def test_events_that_replace_the_removed_ones_contradict_the_kept_head(held: Path) -> None:
    rewrite_log(FORGET_NEWEST)
    as_owner(FORGET_HEADS)
    write_events(6)
    _published()
    assert run()[0] == 0
    assert run("--head", held)[0] == 1


def test_an_older_and_a_newer_head_are_compared_each_with_its_events(held: Path, tmp_path: Path) -> None:
    newer = tmp_path / "newer.txt"
    newer.write_text(SignedHead.objects.get(size=7).note)
    rewrite_log("UPDATE audit_log_event SET reason = 'another' WHERE number = 6")
    as_owner(FORGET_HEADS)
    assert run("--head", held)[0] == 0
    status, said = run("--head", held, "--head", newer)
    assert (status, str(newer) in said, str(held) in said) == (1, True, False)


@pytest.mark.exhaustive
def test_many_contradicted_heads_are_summed_up(db: None) -> None:
    for _ in range(14):
        write_events(2)
        _published()
    rewrite_log(REWRITE)
    faults = verify(keys=trusted_keys()).faults
    assert len(faults) == 11
    assert faults[-1] == "4 more heads differ."


# Forged heads


def replace_heads(note: Callable[[SignedHead], str]) -> None:
    """Store other heads, as the owner of the tables."""
    heads = [
        SignedHead(size=each.size, frontier=each.frontier, leaf_format=each.leaf_format, note=note(each))
        for each in SignedHead.objects.all()
    ]
    as_owner(FORGET_HEADS)
    SignedHead.objects.bulk_create(heads)


def test_heads_that_the_attacker_signed_are_not_genuine(held: Path) -> None:
    replace_heads(lambda head: head.checkpoint.signed(FORGER))
    status, said = run()
    assert status == 1
    assert "The published head of 5 events is not genuine. The note is signed by localhost" in said


def test_a_head_that_was_changed_is_not_genuine(held: Path) -> None:
    replace_heads(lambda head: head.note.replace(f"\n{head.size}\n", f"\n{head.size + 1}\n"))
    status, said = run()
    assert (status, "The published head of 5 events is not genuine. The signature of" in said) == (1, True)


def test_the_note_of_another_head_does_not_fit(held: Path) -> None:
    note = SignedHead.objects.get(size=5).note
    replace_heads(lambda _: note)
    status, said = run()
    assert (status, "The published head of 7 events was changed: its note says otherwise." in said) == (
        1,
        True,
    )


def test_a_forged_frontier_is_noticed(held: Path) -> None:
    as_owner("UPDATE audit_log_signedhead SET frontier = array[repeat('0', 64)] WHERE size = 7")
    status, said = run()
    assert (status, "The published head of 7 events was changed" in said) == (1, True)


def test_a_head_that_is_not_a_note_is_noticed(held: Path) -> None:
    as_owner("UPDATE audit_log_signedhead SET note = 'nothing'")
    status, said = run()
    assert (status, "A signed note is a text" in said) == (1, True)


def test_a_contradicting_head_is_never_signed(held: Path) -> None:
    """With a forged frontier, the next head would continue the rewritten log."""
    rewrite_log(REWRITE)
    as_owner("UPDATE audit_log_signedhead SET frontier = '{}'")
    write_events(1)
    with pytest.raises(BrokenAuditLog, match="contradicts its published head of 7 events"):
        publish_head()
    assert SignedHead.objects.count() == 2


def test_the_next_head_continues_the_signed_log_and_not_the_rewritten_one(held: Path) -> None:
    rewrite_log(REWRITE)
    write_events(1)
    _published()
    as_owner("DELETE FROM audit_log_signedhead WHERE size < 8")
    status, said = run()
    assert (status, "The events up to 8 do not have the root hash" in said) == (1, True)


# A file that proves nothing


def with_id(note: str, key: SigningKey) -> str:
    """Return the note with the key ID of `key` in its last signature."""
    rest, encoded = note.rstrip("\n").rsplit(" ", 1)
    signature = key.verifier.key_id + base64.b64decode(encoded)[KEY_ID_LENGTH:]
    return f"{rest} {base64.b64encode(signature).decode()}\n"


WRONG_ORIGIN = "example.org/another-log"
FORGERIES: dict[str, tuple[Callable[[str], str], str]] = {
    "another root": (lambda note: note.replace(note.split("\n")[2], "A" * 43 + "="), "is wrong"),
    "another size": (lambda note: note.replace("\n5\n", "\n4\n"), "is wrong"),
    "another key": (lambda note: FORGER.sign(text_of(note)), "not a key that you trust"),
    "another key with the ID of the right one": (
        lambda note: with_id(FORGER.sign(text_of(note)), KEY),
        "is wrong",
    ),
    "another log, with the right key": (
        lambda note: KEY.sign(text_of(note).replace(KEY.name, WRONG_ORIGIN)),
        f"about the log “{WRONG_ORIGIN}”",
    ),
    "another log, with its own key": (
        lambda note: SigningKey(WRONG_ORIGIN, bytes(32)).sign(text_of(note).replace(KEY.name, WRONG_ORIGIN)),
        "not a key that you trust",
    ),
    "a text that is not a checkpoint": (lambda _: KEY.sign("urn-registry escrow\n"), "is not a checkpoint"),
    "no signature": (text_of, "A signed note is a text"),
    "an empty file": (lambda _: "", "A signed note is a text"),
}


@pytest.mark.parametrize(("forge", "reason"), FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forged_head_proves_nothing(forge: Callable[[str], str], reason: str, held: Path) -> None:
    held.write_text(forge(held.read_text()))
    said = refused("--head", held)
    assert reason in said
    assert said.startswith(f"{held} proves nothing. ")
    assert said.endswith("The log was not compared with it.")


def test_a_foreign_signature_beside_the_right_one_is_ignored(held: Path) -> None:
    note = held.read_text()
    held.write_text(note + FORGER.sign(text_of(note)).splitlines(keepends=True)[-1])
    assert run("--head", held)[0] == 0


def test_line_breaks_and_empty_lines_of_a_mail_program_do_not_matter(held: Path) -> None:
    held.write_bytes(b"\r\n" + held.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\r\n")
    assert run("--head", held)[0] == 0


def test_only_the_given_verifier_key_is_trusted(held: Path) -> None:
    assert "not a key that you trust" in refused("--head", held, "--vkey", FORGER.verifier)
    assert run("--vkey", FORGER.verifier)[0] == 1
    assert "The text is not a verifier key" in refused("--vkey", "example.org")


@pytest.mark.exhaustive
def test_without_a_verifier_key_it_is_said_what_was_not_checked(held: Path, settings: Any) -> None:
    settings.LOG_SIGNING_KEY = ""
    assert "can't be checked without a verifier key" in refused("--head", held)
    status, said = run()
    assert (status, "The signatures of these heads were not checked" in said) == (0, True)
    assert json.loads(run("--json")[1])["signatures_checked"] is False
    replace_heads(lambda head: Checkpoint(KEY.name, head.size, bytes(32)).signed(FORGER))
    assert run()[0] == 1


@pytest.mark.parametrize(("content", "why"), [(None, "can't be read"), (b"\xff", "is not a text in UTF-8")])
def test_a_file_that_can_not_be_read_is_a_usage_error(
    content: bytes | None, why: str, db: None, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "head").write_bytes(content)
    assert why in refused("--head", tmp_path / "head")


# Processes that are killed


@pytest.fixture
def an_hour_of_events(real_database: None, settings: Any) -> Iterator[None]:
    settings.LOG_HEAD_RECIPIENTS = ["archive@example.org"]
    write_events(4)
    yield
    publish_hourly_head(timestamp=0)
    assert [head.size for head in SignedHead.objects.all()] == [4]
    assert [mail.name for mail in Message.objects.all()] == ["signed_head"]
    assert verify(keys=trusted_keys()).faults == []


def test_a_killed_worker_publishes_nothing_and_the_next_one_does(an_hour_of_events: None) -> None:
    assert ended(start(publish_head_and_die, "registry.mail.outbox.post")) == -signal.SIGKILL
    assert not SignedHead.objects.exists()
    assert not Message.objects.exists()


def test_a_registration_that_is_killed_after_signing_leaves_no_head(real_database: None) -> None:
    registrant, expert, administrator = (
        a_person(email=f"{name}@example.org", roles=roles)
        for name, roles in (
            ("registrant", ()),
            ("expert", (RoleName.EXPERT,)),
            ("administrator", (RoleName.ADMINISTRATOR,)),
        )
    )
    case = an_approved_case(by=registrant, expert=expert)
    assert (
        ended(start(assign_and_die, "registry.mail.outbox.post_all", case.pk, administrator.pk))
        == -signal.SIGKILL
    )
    case.refresh_from_db()
    assert case.state == State.APPROVED
    assert not SignedHead.objects.exists()
