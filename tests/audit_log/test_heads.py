"""Published heads: what is signed and when, the pages, the mails, and the keys."""

import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client

from registry.accounts.models import User
from registry.audit_log import heads, log
from registry.audit_log.heads import publish_head
from registry.audit_log.leaves import FORMAT_2
from registry.audit_log.merkle import Frontier
from registry.audit_log.models import BrokenAuditLog, Event, LogPosition, SignedHead
from registry.audit_log.signed_notes import Checkpoint, SigningKey
from registry.audit_log.signing_keys import check_signing_key, signing_key, trusted_keys, write_key
from registry.audit_log.tasks import publish_hourly_head
from registry.audit_log.verification import verify
from registry.cases.workflow import functions
from registry.mail.models import Message
from tests.mail.messages import check_plain
from tests.support.databases import at_once, refusals
from tests.support.factories import a_namespace, a_person, an_approved_case
from tests.support.signing_key import KEY
from tests.support.tampering import as_owner

FORMER = SigningKey("localhost:8000/audit-log", bytes(32))


def write_events(number: int) -> None:
    with transaction.atomic():
        for count in range(number):
            log.append("import", by=None, nid=f"example-{count}")


def root_of_log(size: int) -> bytes:
    events = Event.objects.filter(number__lte=size).order_by("number")
    return Frontier().extended(event.leaf for event in events).root


@pytest.fixture
def former_key(settings: Any, tmp_path: Path) -> None:
    """Sign with another key, until the test changes the setting."""
    write_key(FORMER, tmp_path / "former")
    settings.LOG_SIGNING_KEY = str(tmp_path / "former")


# What is signed


def test_a_head_commits_to_every_event(db: None) -> None:
    write_events(5)
    head = publish_head()
    assert head is not None
    checkpoint = Checkpoint.verified(head.note, [KEY.verifier])
    assert checkpoint == Checkpoint("localhost:8000/audit-log", 5, root_of_log(5))
    assert (head.size, len(head.frontier)) == (5, 2)


def test_a_later_head_costs_only_the_new_events(db: None) -> None:
    write_events(20)
    publish_head()
    write_events(3)
    expected = root_of_log(23)
    as_owner("UPDATE audit_log_event SET digest = repeat('0', 64) WHERE number <= 20")  # not read again
    head = publish_head()
    assert head is not None
    assert head.checkpoint.root == expected


def test_an_empty_log_and_an_unchanged_log_have_no_new_head(db: None) -> None:
    assert publish_head() is None
    write_events(1)
    assert publish_head() is not None
    assert publish_head() is None
    assert SignedHead.objects.count() == 1


def test_nothing_is_signed_without_a_key(db: None, settings: Any) -> None:
    settings.LOG_SIGNING_KEY = ""
    write_events(1)
    assert publish_head() is None
    assert not SignedHead.objects.exists()
    assert verify(keys=trusted_keys()).faults == []


def test_a_registration_is_signed_in_its_transaction_and_mailed(
    registrant: User, expert: User, administrator: User
) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    assert not SignedHead.objects.exists()
    functions.assign(case, by=administrator)
    head = SignedHead.objects.get()
    assert head.size == Event.objects.get(verb="assign").number
    for mail in Message.objects.filter(name="assign"):
        assert f"\n\n{head.note}\n" in mail.body
        check_plain(mail)
    assert Message.objects.filter(name="assign").exists()


def test_a_registration_without_a_key_says_nothing_of_heads(
    registrant: User, expert: User, administrator: User, settings: Any
) -> None:
    settings.LOG_SIGNING_KEY = ""
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    mail = Message.objects.filter(name="assign").first()
    assert mail is not None
    assert "head" not in mail.body
    check_plain(mail)


def test_a_registration_that_is_rolled_back_leaves_no_head(
    registrant: User, expert: User, administrator: User
) -> None:
    case = an_approved_case(by=registrant, expert=expert)
    before = transaction.savepoint()
    functions.assign(case, by=administrator)
    transaction.savepoint_rollback(before)
    assert not SignedHead.objects.exists()


# Code before format 2


@pytest.mark.django_db
def test_code_before_format_2_signs_no_head_of_a_log_with_events_of_format_2() -> None:
    """It does not state `leaf_format`."""
    note, frontier = "A note with a wrong root.", ["0" * 64]
    with transaction.atomic():
        SignedHead.objects.create(size=1, note=note, frontier=frontier)
        transaction.set_rollback(True)
    write_events(1)
    with pytest.raises(IntegrityError, match="signed by code that knows the format"), transaction.atomic():
        SignedHead.objects.create(size=1, note=note, frontier=frontier)
    assert publish_head() is not None


# Every hour


def test_the_hourly_job_publishes_and_mails_each_head_once(db: None, settings: Any) -> None:
    settings.LOG_HEAD_RECIPIENTS = ["archive@example.org", "auditor@example.org"]
    write_events(2)
    for _ in range(2):
        publish_hourly_head(timestamp=0)
    head = SignedHead.objects.get()
    mails = Message.objects.filter(name="signed_head")
    assert [each.to for each in mails] == settings.LOG_HEAD_RECIPIENTS
    for mail in mails:
        assert mail.subject == "Audit log: signed head of 2 events"
        assert f"\n\n{head.note}\n" in mail.body
        check_plain(mail)


def test_the_hourly_job_needs_no_recipients(db: None) -> None:
    write_events(1)
    publish_hourly_head(timestamp=0)
    assert SignedHead.objects.count() == 1
    assert not Message.objects.exists()


# Several at once


def test_heads_are_committed_in_the_order_of_their_sizes(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that read the position of the log, and waited for another one, publishes no smaller head after it."""
    write_events(5)
    publish_head()
    earlier = SignedHead.objects.get()
    write_events(5)
    position = LogPosition.current()
    write_events(5)
    publish_head()
    known = iter([earlier, SignedHead.objects.last()])
    monkeypatch.setattr(LogPosition, "current", lambda: position)
    monkeypatch.setattr(heads, "_last_head", lambda: next(known))
    assert publish_head() is None
    assert list(SignedHead.objects.values_list("size", flat=True)) == [5, 15]


def test_two_processes_publish_one_head_once(real_database: None) -> None:
    write_events(50)
    made = at_once([publish_head] * 6)
    assert refusals(made) == []
    assert len([head for head in made if head]) == SignedHead.objects.count() == 1


def test_heads_that_are_made_during_writes_are_all_right(real_database: None) -> None:
    def write_and_publish() -> None:
        for _ in range(8):
            with transaction.atomic():
                log.append("import", by=None, nid="example")
                publish_head()

    def publish() -> None:
        for _ in range(16):
            publish_head()

    assert (
        refusals(at_once([write_and_publish, write_and_publish, write_and_publish, publish, publish])) == []
    )
    result = verify(keys=trusted_keys())
    assert result.faults == []
    assert result.published_heads == SignedHead.objects.count() >= 24


# Keys


def test_a_replaced_key_continues_the_log(db: None, former_key: None, settings: Any) -> None:
    write_events(3)
    publish_head()
    settings.LOG_SIGNING_KEY = _file_of(KEY, settings)
    settings.LOG_VERIFIER_KEYS = [str(FORMER.verifier)]
    write_events(2)
    publish_head()
    assert trusted_keys() == (KEY.verifier, FORMER.verifier)
    assert verify(keys=trusted_keys()).faults == []
    heads = SignedHead.objects.all()
    assert [Checkpoint.verified(head.note, trusted_keys()).root for head in heads] == [
        root_of_log(3),
        root_of_log(5),
    ]


def test_a_forgotten_key_does_not_stop_the_log_but_is_reported(
    db: None, former_key: None, settings: Any
) -> None:
    write_events(3)
    publish_head()
    settings.LOG_SIGNING_KEY = _file_of(KEY, settings)
    write_events(2)
    head = publish_head()
    assert head is not None
    assert head.checkpoint.root == root_of_log(5)
    (fault,) = verify(keys=trusted_keys()).faults
    assert fault.startswith("The published head of 3 events is not genuine. The note is signed by localhost")


def _file_of(key: SigningKey, settings: Any) -> str:
    path = Path(settings.LOG_SIGNING_KEY).with_name("key")
    write_key(key, path)
    return str(path)


@pytest.mark.parametrize("content", [None, b"", b"PRIVATE+KEY+", b"\xff", str(KEY.verifier).encode()])
def test_a_key_that_can_not_be_read_is_a_configuration_error(
    content: bytes | None, settings: Any, tmp_path: Path
) -> None:
    settings.LOG_SIGNING_KEY, settings.IS_DEMONSTRATION = str(tmp_path / "key"), False
    if content is not None:
        (tmp_path / "key").write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match=r"^LOG_SIGNING_KEY: .*key"):
        signing_key()
    (message,) = check_signing_key()
    assert message.id == "audit_log.E001"


def test_the_demonstration_has_no_key_before_its_data(settings: Any, tmp_path: Path) -> None:
    settings.LOG_SIGNING_KEY, settings.IS_DEMONSTRATION = str(tmp_path / "key"), True
    assert signing_key() is None


def test_a_malformed_verifier_key_is_a_configuration_error(settings: Any) -> None:
    settings.LOG_VERIFIER_KEYS = ["example.org"]
    with pytest.raises(ImproperlyConfigured, match=r"^LOG_VERIFIER_KEYS: "):
        trusted_keys()


def test_the_deployment_check_reports_a_missing_key(settings: Any) -> None:
    assert check_signing_key() == []
    settings.LOG_SIGNING_KEY = ""
    (message,) = check_signing_key()
    assert "not signed" in message.msg
    with pytest.raises(CommandError, match=r"audit_log\.W001"):
        call_command("check", "--deploy", "--fail-level", "WARNING", "--tag", "security", stderr=StringIO())


@pytest.mark.parametrize(
    ("origin", "hosts", "expected"),
    [
        ("http://localhost:8000", [], []),
        ("https://registry.example.org", ["registry.example.org", "localhost"], ["audit_log.W004"]),
        ("https://registry.example.org", ["registry.example.org", "localhost:8000"], []),
    ],
    ids=["same host", "made before PUBLIC_ORIGIN was set", "moved"],
)
def test_the_deployment_check_compares_the_name_of_the_key(
    settings: Any, origin: str, hosts: list[str], expected: list[str]
) -> None:
    settings.PUBLIC_ORIGIN, settings.ALLOWED_HOSTS = origin, hosts
    found = check_signing_key()
    assert [each.id for each in found] == expected
    for each in found:
        assert (
            "named “localhost:8000/audit-log”, but PUBLIC_ORIGIN is https://registry.example.org" in each.msg
        )
        assert "“registry.example.org/audit-log”" in (each.hint or "")


def make_key(*arguments: object) -> str:
    out = StringIO()
    call_command("make_signing_key", *map(str, arguments), stdout=out)
    return out.getvalue()


@pytest.fixture
def public_origin(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PUBLIC_ORIGIN = "https://registry.example.org"
    monkeypatch.setenv("PUBLIC_ORIGIN", settings.PUBLIC_ORIGIN)


def test_the_command_refuses_to_name_a_log_after_the_default_origin(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"^PUBLIC_ORIGIN is not set.* --name") as refusal:
        make_key(tmp_path / "key")
    assert refusal.value.returncode == 2
    assert not (tmp_path / "key").exists()
    assert "registry.example.org/audit-log+" in make_key("--name", "registry.example.org/audit-log")


@pytest.mark.usefixtures("public_origin")
def test_the_command_writes_a_key_that_only_its_owner_can_read(settings: Any, tmp_path: Path) -> None:
    said = make_key(tmp_path / "key")
    settings.LOG_SIGNING_KEY = str(tmp_path / "key")
    key = signing_key()
    assert key is not None
    assert said == f"Verifier key: {key.verifier}\n"
    assert key.name == "registry.example.org/audit-log"
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600


@pytest.mark.usefixtures("public_origin")
def test_the_command_prints_both_keys_without_a_file() -> None:
    made = json.loads(make_key("--json", "--name", "example.org/log"))
    assert str(SigningKey.parse(made["private_key"]).verifier) == made["verifier_key"]
    assert make_key().startswith("Private key: PRIVATE+KEY+")


@pytest.mark.usefixtures("public_origin")
@pytest.mark.parametrize(("name", "code"), [("key", 1), ("nowhere/key", 1)])
def test_the_command_never_overwrites_a_key(name: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("a key")
    with pytest.raises(CommandError) as refusal:
        make_key(tmp_path / name)
    assert refusal.value.returncode == code
    assert (tmp_path / "key").read_text() == "a key"


def test_a_name_with_a_space_is_a_usage_error() -> None:
    with pytest.raises(CommandError, match="can't be the name") as refusal:
        make_key("--name", "a b")
    assert refusal.value.returncode == 2


# Pages


def test_the_page_shows_the_heads_and_the_verifier_key(client: Client, db: None) -> None:
    for _ in range(3):
        write_events(2)
        publish_head()
    page = client.get("/audit-log/").content.decode()
    newest = SignedHead.objects.get(size=6)
    assert str(KEY.verifier) in page
    assert newest.note in page
    for head in SignedHead.objects.all():
        assert head.checkpoint.encoded_root in page
    response = client.get("/audit-log/checkpoint.txt")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode() == newest.note


def test_old_heads_are_on_the_next_page(client: Client, db: None) -> None:
    write_events(60)
    for size in range(1, 61):
        note = FORMER.sign(f"log\n{size}\n{'A' * 43}=\n")
        SignedHead.objects.create(size=size, note=note, frontier=[], leaf_format=FORMAT_2)
    response = client.get("/audit-log/")
    assert response.context["page"].after == "11"
    assert [head.size for head in client.get("/audit-log/?after=11").context["page"].rows] == [
        *range(10, 0, -1)
    ]
    assert client.get("/audit-log/?after=x%00").status_code == 200


def test_without_heads_there_is_a_page_and_no_checkpoint(client: Client, db: None, settings: Any) -> None:
    assert b"No signed heads yet" in client.get("/audit-log/").content
    assert client.get("/audit-log/checkpoint.txt").status_code == 404
    settings.LOG_SIGNING_KEY = ""
    assert b"This registry has no signing key." in client.get("/audit-log/").content


def test_the_demonstration_has_genuine_heads(demonstration_database: None) -> None:
    assert SignedHead.objects.count() > Event.objects.filter(verb="assign").count() > 0
    assert Event.objects.with_proofs().filter(is_proven=False).count() == 0
    assert verify(keys=trusted_keys()).faults == []


def test_a_missing_event_is_not_signed(db: None) -> None:
    write_events(3)
    as_owner("DELETE FROM audit_log_event WHERE number = 2")
    with pytest.raises(BrokenAuditLog, match="Event 2 is missing"):
        publish_head()


def test_a_person_without_a_role_reads_the_page(client: Client, db: None) -> None:
    client.force_login(a_person(email="participant@example.org"))
    assert client.get("/audit-log/").status_code == 200
