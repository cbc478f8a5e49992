"""Restoring an escrow: a new escrow is identical byte by byte, and damaged escrows are rejected."""

import hashlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection
from django.test import Client

from registry.accounts.models import User
from registry.audit_log.models import BrokenAuditLog, ChainHead, Event
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.devserver import demonstration
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.actions.transfers import offer_transfer
from registry.namespaces.models import InformalCounter, Namespace, Transfer
from registry.publication.escrow import restorer
from registry.publication.escrow.restorer import (
    DamagedEscrow,
    DatabaseNotEmpty,
    EscrowNotFound,
    EscrowRejected,
    IncompatibleEscrow,
    restore,
)
from registry.publication.escrow.writer import MANIFEST, write_escrow
from tests.publication.escrow.escrow_files import Change, files, in_manifest, rewrite
from tests.security.test_pending_grants import (
    a_claim,
    a_scene,
    act_with_a_token,
    an_invitation_to_edit,
    an_invitation_to_join,
    an_offer,
    open_grants,
)
from tests.support.databases import a_filled_database, a_fresh_database, in_sql
from tests.support.factories import a_person, a_template

# There and back


@pytest.fixture(scope="module")
def a_restored_database(
    a_full_escrow: Path, the_test_database: None, django_db_blocker: Any
) -> Iterator[str]:
    """The name of a database in which an escrow was restored once."""
    with django_db_blocker.unblock(), a_filled_database(partial(restore, a_full_escrow)) as database:
        yield database


@pytest.fixture
def restored(a_restored_database: str, django_db_blocker: Any) -> Iterator[None]:
    """A copy: in the database itself, a rolled back test would leave its sequences behind, which an escrow contains."""
    with django_db_blocker.unblock(), a_fresh_database(a_restored_database):
        yield


def test_an_escrow_restored_and_written_again_is_the_same(
    a_full_escrow: Path, restored: None, tmp_path: Path
) -> None:
    write_escrow(tmp_path / "again")
    assert files(tmp_path / "again") == files(a_full_escrow)


@pytest.mark.exhaustive
def test_derived_data_is_rebuilt_and_equal(demonstration_database: None, tmp_path: Path) -> None:
    before = what_follows()
    write_escrow(tmp_path / "full")
    with a_fresh_database():
        restore(tmp_path / "full")
        assert what_follows() == before
    assert len(before) == Namespace.objects.count() > 100


def what_follows() -> list[tuple[Any, ...]]:
    """Return the derived data of each namespace: the words of the search and the cached lookup."""
    for nid in Namespace.objects.values_list("nid", flat=True):
        assert Client().get(f"/api/v1/namespaces/{nid}/").status_code == 200
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT n.nid, n.words, a.body, a.digest, a.last_modified "
            "FROM namespaces_namespace n JOIN namespaces_cachedlookup a ON a.namespace_id = n.id "
            "WHERE a.body IS NOT NULL ORDER BY n.nid"
        )
        return cursor.fetchall()


def test_strange_texts_come_back(real_database: None, tmp_path: Path) -> None:
    strange = 'quote " back\\slash \\. \n\r\t comma, ünïcode   😀 \\u0041 \x01\x02\x7f'
    a_person(email="strange@example.org", name=strange)
    write_escrow(tmp_path / "one")
    with a_fresh_database():
        restore(tmp_path / "one")
        assert User.objects.get(email="strange@example.org").name == strange
        write_escrow(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_registry_works_after_a_restore(restored: None) -> None:
    known = Case.objects.order_by("-pk").values_list("pk", flat=True)[0]
    registrant = User.objects.get(email="registrant@example.org")
    begun = drafts.create_case(
        by=registrant, kind="formal", body=None, template=Case.objects.first().draft_template
    )
    assert begun.pk > known
    assert ChainHead.objects.get().number == Event.objects.count() > 100
    assert InformalCounter.objects.count() == 1
    with pytest.raises(IntegrityError, match="written once"):
        in_sql("UPDATE audit_log_event SET reason = 'another'")


def test_old_passwords_are_invalid_and_a_new_one_is_set_by_mail(restored: None) -> None:
    registrant = User.objects.get(email="registrant@example.org")
    assert not registrant.has_usable_password()
    client = Client()
    answer = client.post("/accounts/login/", {"login": registrant.email, "password": demonstration.PASSWORD})
    assert answer.status_code == 422
    client.post("/accounts/password/reset/", {"email": registrant.email})
    assert "/accounts/password/reset/key/" in Message.objects.get(to=registrant.email).body


def test_what_was_granted_with_a_token_ends_with_it(real_database: None, tmp_path: Path) -> None:
    """Tokens are not exported: an offer that was accepted comes back, but no grant that can still take effect."""
    scene = a_scene()
    an_invitation_to_edit(scene)
    act_with_a_token(scene.grantor)
    an_offer(scene)()
    birds = register_formal(
        a_template(namespace_identifier="example-birds"), registrant=scene.organisation
    ).namespace
    offer_transfer(birds, by=scene.grantor, to=scene.outsider.email)
    for make in (an_invitation_to_join, a_claim, an_invitation_to_edit):
        make(scene)
    assert len(open_grants()) == 5
    write_escrow(tmp_path / "one")
    with a_fresh_database():
        restore(tmp_path / "one")
        (without_token,) = open_grants()
        assert without_token.grantor == scene.grantor
        assert Transfer.objects.get().is_accepted
        write_escrow(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


# What is refused


@pytest.fixture(scope="class")
def empty_database(a_full_escrow: Path, the_test_database: None, django_db_blocker: Any) -> Any:
    with django_db_blocker.unblock(), a_fresh_database():
        yield


class TestARestoreThatIsRefused:
    """Each rejected restore leaves the database empty, so all of them share one."""

    @pytest.fixture(autouse=True)
    def nothing_is_changed(self, empty_database: None) -> Any:
        yield
        assert not Event.objects.exists()
        assert not Namespace.objects.exists()

    def test_a_byte_is_another(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "accounts.User", lambda row: row.update(name="Another name"), with_digest=False)
        with pytest.raises(DamagedEscrow, match=r"accounts\.user\.jsonl differs from the manifest"):
            restore(an_escrow)

    def test_a_file_is_missing(self, an_escrow: Path) -> None:
        (an_escrow / "audit_log.event.jsonl").unlink()
        with pytest.raises(
            DamagedEscrow, match=r"is missing or not a file; it contains the rows of audit_log\.Event"
        ):
            restore(an_escrow)

    def test_a_line_is_too_many(self, an_escrow: Path) -> None:
        with (an_escrow / "audit_log.event.jsonl").open("a") as file:
            file.write("\n")
        with pytest.raises(DamagedEscrow, match="differs from the manifest"):
            restore(an_escrow)

    def test_an_event_is_changed_and_the_digests_of_the_files_agree(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "audit_log.Event", lambda row: row.update(reason="another"))
        with pytest.raises(BrokenAuditLog, match="Event 1 was changed"):
            restore(an_escrow)

    @pytest.mark.exhaustive
    def test_the_log_ends_at_another_event(self, an_escrow: Path) -> None:
        in_manifest(an_escrow, lambda manifest: manifest["head"].update(number=1))
        with pytest.raises(DamagedEscrow, match="the manifest says 1"):
            restore(an_escrow)

    def test_a_row_breaks_a_constraint(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "namespaces.Namespace", lambda row: row.update(nid="UPPER"))
        with pytest.raises(EscrowRejected, match="nid_is_well_formed"):
            restore(an_escrow)

    @pytest.mark.sampled(5)
    @pytest.mark.parametrize("line", [b'{"id": "\xff"}\n', b'{"id": "\x00"}\n', b"{\n", b"[]\n", b"\\.\n"])
    def test_a_line_is_not_a_row(self, an_escrow: Path, line: bytes) -> None:
        path = an_escrow / "accounts.role.jsonl"
        path.write_bytes(line)
        said = {"sha256": hashlib.sha256(line).hexdigest(), "rows": 1}
        in_manifest(an_escrow, lambda manifest: manifest["tables"]["accounts.Role"].update(said))
        with pytest.raises(EscrowRejected, match=r"accounts\.role\.jsonl: "):
            restore(an_escrow)

    @pytest.mark.exhaustive
    def test_a_row_refers_to_what_is_not_there(self, an_escrow: Path) -> None:
        rewrite(an_escrow, "accounts.Role", lambda row: row.update(user_id=4711))
        with pytest.raises(EscrowRejected, match="violates foreign key"):
            restore(an_escrow)

    @pytest.mark.sampled(5)
    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            (lambda manifest: manifest.update(format=2), IncompatibleEscrow),
            (lambda manifest: manifest.pop("format"), IncompatibleEscrow),
            (lambda manifest: manifest.pop("head"), DamagedEscrow),
            (lambda manifest: manifest.update(tables=[]), DamagedEscrow),
            (lambda manifest: manifest["tables"]["audit_log.ChainHead"].pop("sha256"), DamagedEscrow),
            (lambda manifest: manifest["tables"].pop("audit_log.ChainHead"), IncompatibleEscrow),
            (lambda manifest: manifest["migrations"]["audit_log"].append("0003_later"), IncompatibleEscrow),
            (lambda manifest: manifest["migrations"]["audit_log"].pop(), IncompatibleEscrow),
            (
                lambda manifest: manifest["tables"]["audit_log.ChainHead"].update(file="../nowhere"),
                DamagedEscrow,
            ),
            (
                lambda manifest: manifest["tables"]["audit_log.ChainHead"].update(file="../../etc/passwd"),
                DamagedEscrow,
            ),
            (lambda manifest: manifest["tables"]["audit_log.ChainHead"].update(file=""), DamagedEscrow),
            (lambda manifest: manifest["tables"]["audit_log.ChainHead"].update(file=7), DamagedEscrow),
            (lambda manifest: manifest["tables"]["audit_log.ChainHead"].update(rows="1"), DamagedEscrow),
            (lambda manifest: manifest["tables"]["audit_log.Event"].update(last_key="1"), DamagedEscrow),
            (lambda manifest: manifest["tables"]["audit_log.ChainHead"].update(sha256=None), DamagedEscrow),
        ],
    )
    def test_a_manifest_is_changed(self, an_escrow: Path, change: Change, reason: type[Exception]) -> None:
        in_manifest(an_escrow, change)
        with pytest.raises(reason):
            restore(an_escrow)

    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("text", ["", "{", "[]", "null", "\n", "\xff"])
    def test_a_manifest_is_malformed(self, an_escrow: Path, text: str) -> None:
        (an_escrow / MANIFEST).write_bytes(text.encode("latin-1"))
        with pytest.raises((DamagedEscrow, IncompatibleEscrow)):
            restore(an_escrow)

    def test_a_file_changes_after_its_digest_was_compared(
        self, an_escrow: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = an_escrow / "accounts.user.jsonl"
        compared = restorer.check_files

        def then_change(escrow: Any) -> None:
            compared(escrow)
            path.write_text(path.read_text().replace("registrant@example.org", "attacker@example.org"))

        monkeypatch.setattr(restorer, "check_files", then_change)
        with pytest.raises(DamagedEscrow, match=r"accounts\.user\.jsonl was changed while it was read"):
            restore(an_escrow)

    def test_there_is_no_escrow(self, tmp_path: Path) -> None:
        for directory in (tmp_path, tmp_path / "nowhere"):
            with pytest.raises(EscrowNotFound):
                restore(directory)


def test_a_database_that_is_not_empty_is_not_changed(a_full_escrow: Path, real_database: None) -> None:
    a_person(email="somebody@example.org")
    with pytest.raises(DatabaseNotEmpty, match="This database contains users"):
        restore(a_full_escrow)
    assert User.objects.count() == 1


def test_a_database_that_has_given_a_number_is_not_empty(a_full_escrow: Path, real_database: None) -> None:
    InformalCounter.objects.update(last=1)
    with pytest.raises(DatabaseNotEmpty):
        restore(a_full_escrow)
