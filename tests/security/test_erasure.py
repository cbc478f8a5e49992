"""Erasure of personal data: nothing of a person is left, and the audit log is as credible as before."""

import base64
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import StringIO
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client

from registry.accounts.models import Recognition, Role, Token, User
from registry.accounts.personal_data import OnlyRepresentative, find_person
from registry.accounts.services.erasure import (
    Erasure,
    OwnerRequired,
    ReasonNamesPerson,
    erase_person,
    preview,
)
from registry.accounts.services.roles import LastAdministrator
from registry.audit_log import log
from registry.audit_log.models import Event, PersonalData
from registry.audit_log.personal_data import ERASURE
from registry.audit_log.verification import verify
from registry.cases.discussion import comments
from registry.cases.drafts.drafts import start_revision
from registry.cases.models import Case, Invitation, Round
from registry.core.database.roles import APPLICATION_ROLE
from registry.core.digests import salted_digest
from registry.mail.models import Message
from registry.namespaces.models import Namespace, Revision
from registry.namespaces.services.transfers import offer_transfer
from registry.publication.escrow.restorer import restore
from registry.publication.escrow.writer import write_escrow
from registry.publication.formats.export_formats import FILES
from registry.publication.iana.importing.importer import import_versions
from registry.publication.models import IanaRecord
from registry.publication.snapshot.publisher import publish
from registry.review_desk.experts.report import draft_report
from registry.review_desk.experts.review import workspace_for
from tests.publication.iana.samples import a_version, an_informal_record, an_xml
from tests.security import leaver
from tests.security.leaver import ADDRESS, NAME, TRACES, person
from tests.support.databases import (
    a_copy_of_the_test_database,
    a_filled_database,
    an_empty_database,
    in_sql,
    rolled_back_in,
)
from tests.support.factories import PASSWORD, a_body, a_namespace, a_person

REASON = "Request of 2026-11-01."


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(leaver.fill) as database:
        yield database


@pytest.fixture
def registry(filled: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(filled):
        yield


@pytest.fixture
def committed_registry(filled: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), a_copy_of_the_test_database(filled):
        yield


def erase(*, with_texts: bool = True) -> Erasure:
    return erase_person(find_person(ADDRESS), by=None, reason=REASON, with_texts=with_texts)


def account() -> User:
    return Event.objects.get(verb="submit", nid="example-mosses").actor  # type: ignore[return-value]


def rows() -> dict[str, list[str]]:
    """Return every row of every table as text, with the content of sessions and stored lookups."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        tables = [name for (name,) in cursor.fetchall()]
        found = {}
        for table in tables:
            cursor.execute(f"SELECT to_jsonb(t)::text FROM {table} t ORDER BY 1")
            found[table] = [text for (text,) in cursor.fetchall()]
        cursor.execute("SELECT encode(body, 'escape') FROM namespaces_cachedlookup WHERE body IS NOT NULL")
        found["bodies of lookups"] = [text for (text,) in cursor.fetchall()]
    found["content of sessions"] = [json.dumps(each.get_decoded()) for each in Session.objects.all()]
    return found


def traces_in(texts: list[str]) -> list[str]:
    return [text for text in texts if any(trace in text.lower() for trace in TRACES)]


def tables_with_traces() -> set[str]:
    return {table for table, texts in rows().items() if traces_in(texts)}


def test_the_person_is_in_every_place_before(registry: None) -> None:
    assert tables_with_traces() == {
        "account_emailaddress",
        "accounts_user",
        "audit_log_personaldata",
        "cases_case",
        "cases_invitation",
        "cases_round",
        "mail_message",
        "namespaces_revision",
        "namespaces_namespace",
        "namespaces_transfer",
        "publication_originaltext",
    } | (tables_with_traces() & {"api_idempotentresponse", "content of sessions", "bodies of lookups"})


def test_nothing_is_left_in_any_table(registry: None) -> None:
    erasure = erase()
    assert erasure.remains == []
    assert {table: traces_in(texts) for table, texts in rows().items() if traces_in(texts)} == {}


def test_the_log_is_valid_and_says_what_was_erased(registry: None) -> None:
    before = list(Event.objects.order_by("number").values())
    key = account().pk
    erase()
    event = Event.objects.get(verb=ERASURE)
    assert (event.actor, event.reason, event.details["person"]) == (None, REASON, key)
    result = verify()
    assert result.faults == []
    count = len(event.details["digests"])
    assert result.erased == [
        f"{count} values of account {key}: erased on {event.at:%Y-%m-%d}, by event {event.number}."
    ]
    assert list(Event.objects.order_by("number").values())[: len(before)] == before


def test_a_second_erasure_finds_nothing_and_writes_no_event(registry: None) -> None:
    stale = find_person(ADDRESS)
    erase()
    events = Event.objects.count()
    assert erase().erased == []
    assert erase_person(stale, by=None, reason=REASON, with_texts=True).erased == []
    assert Event.objects.count() == events


def test_a_preview_says_the_same_and_changes_nothing(registry: None) -> None:
    before = rows()
    planned = preview(find_person(ADDRESS), by=None, reason=REASON, with_texts=True)
    assert rows() == before
    assert planned.erased == erase().erased != []


def test_the_account_ends_with_all_its_duties(registry: None) -> None:
    token, client = Token.objects.get(owner=account()), Client()
    client.force_login(account())
    assert client.get("/mine/").status_code == 200
    erase(with_texts=False)
    assert client.get("/mine/").status_code == 302
    token.refresh_from_db()
    assert token.revoked_at
    assert not Role.objects.filter(user=account()).exists()
    assert not EmailAddress.objects.filter(user=account()).exists()
    answer = Client().post("/accounts/login/", {"login": ADDRESS, "password": PASSWORD})
    assert answer.status_code == 200
    assert str(account()) == f"erased account {account().pk}"


def test_open_cases_are_withdrawn_and_namespaces_can_be_offered_by_an_administrator(registry: None) -> None:
    erase(with_texts=False)
    assert set(Case.objects.filter(registrant=account()).values_list("state", flat=True)) == {
        "draft", "withdrawn", "declined", "registered",
    }  # fmt: skip
    assert not Case.objects.filter(registrant=account()).exclude(draft={}).exists()
    namespace = Namespace.objects.get(nid="example-trees")
    assert namespace.registrant is None
    assert "Left without a registrant" in Client().get("/namespaces/example-trees/").content.decode()
    offer_transfer(namespace, by=person("administrator"), to="registrant@example.org")


def test_public_pages_name_the_number_of_the_account(registry: None) -> None:
    case = Case.objects.get(requested_nid="example-mosses")
    assert NAME in Client().get(case.get_absolute_url()).content.decode()
    erase()
    page = Client().get(case.get_absolute_url()).content.decode()
    assert not traces_in([page])
    assert f"erased account {account().pk}" in page
    assert "[erased]" in page
    assert "Example Arboretum" in page


def test_texts_stay_unless_their_erasure_is_requested_and_are_listed(registry: None) -> None:
    erasure = erase(with_texts=False)
    assert tables_with_traces() == {
        "cases_case", "cases_round", "namespaces_revision", "namespaces_namespace", "publication_originaltext",
    }  # fmt: skip
    assert [each.partition(":")[0] for each in erasure.remains] == [
        "registered versions", "rounds", "drafts of cases", "imported files",
    ]  # fmt: skip
    assert verify().faults == []


def test_the_contact_of_an_open_case_stays_and_is_listed(registry: None) -> None:
    case = leaver.an_open_case_with_this_contact()
    leaver.send_mails()
    erasure = erase()
    round_ = case.rounds.get()
    assert erasure.remains == [f"rounds: {round_.pk}"]
    assert round_.template.registrant == leaver.CONTACT


def test_a_contact_without_an_account_is_erased_by_address(registry: None) -> None:
    User.objects.filter(email=ADDRESS).update(email="another@example.org", name="Another")
    EmailAddress.objects.all().delete()
    erasure = erase()
    assert "contact details in version 1 of “example-oaks”" in erasure.erased
    assert "person" not in Event.objects.get(verb=ERASURE).details
    assert verify().faults == []
    assert "a person without an account" in verify().erased[0]


@pytest.mark.parametrize("by_name", [False, True])
def test_a_contact_with_the_same_name_is_erased_only_on_request(by_name: bool, registry: None) -> None:
    people = {"expert": person("expert"), "administrator": person("administrator")}
    namesake = replace(leaver.CONTACT, email="another@example.com")
    a_namespace(by=person("registrant"), **people, registrant=namesake, namespace_identifier="example-same")
    leaver.send_mails()
    row = Revision.objects.get(namespace__nid="example-same")
    erasure = erase_person(
        find_person(ADDRESS, [NAME] if by_name else []), by=None, reason=REASON, with_texts=True
    )
    listed = f"registered versions: {row.pk}" in erasure.remains
    erased = Revision.objects.get(pk=row.pk).template.registrant.contact_person == "[erased]"
    assert (listed, erased) == (not by_name, by_name)


@pytest.mark.parametrize(
    ("text", "is_named"),
    [
        (ADDRESS, True),
        (f"Write to <{ADDRESS.upper()}>.", True),
        ("Example\n  Leaver", True),
        (f"not-{ADDRESS}", False),
        (f"not.{ADDRESS}", False),
        (f"{ADDRESS}.example.com", False),
        (f"{NAME}-Example", False),
        (f"{NAME}s", False),
    ],
)
def test_part_of_another_name_or_address_is_not_the_person(text: str, is_named: bool, registry: None) -> None:
    assert find_person(ADDRESS).is_named_in(text) == is_named


def test_an_unconfirmed_address_belongs_to_no_one(registry: None) -> None:
    """Anyone can add the address of another person to an account."""
    EmailAddress.objects.create(user=person("expert"), email=ADDRESS, verified=False)
    EmailAddress.objects.create(user=account(), email="registrant@example.org", verified=False)
    assert find_person(ADDRESS).account == account()
    assert "registrant@example.org" not in find_person(ADDRESS).addresses
    erase()
    assert person("expert").is_active
    assert Invitation.objects.filter(email="co-editor@example.org").exists() is False
    assert EmailAddress.objects.filter(email="registrant@example.org").count() == 1
    assert not EmailAddress.objects.filter(email=ADDRESS).exists()


def test_an_address_that_only_a_stranger_claims_finds_no_account(registry: None) -> None:
    EmailAddress.objects.create(user=person("expert"), email="contact@example.org", verified=False)
    assert find_person("contact@example.org").account is None


def test_a_revision_of_an_erased_text_starts_without_a_contact(registry: None) -> None:
    erase()
    draft = start_revision(Namespace.objects.get(nid="example-oaks"), by=person("registrant")).draft_template
    assert (draft.registrant.contact_person, draft.registrant.email) == ("", "")
    assert draft.registrant.organization == "Example Arboretum"


def test_the_digests_of_a_text_and_its_version_stay(registry: None) -> None:
    before = list(Revision.objects.order_by("pk").values_list("digest", flat=True))
    erase()
    assert list(Revision.objects.order_by("pk").values_list("digest", flat=True)) == before
    submitted = Event.objects.get(verb="submit", nid="example-oaks")
    assert submitted.text_digest == Revision.objects.get(namespace__nid="example-oaks").digest


def test_unsent_mails_to_others_are_listed(registry: None) -> None:
    case = Case.objects.get(requested_nid="example-herbs")
    comments.comment(case, by=account(), round_number=1, text="Which herbs?")
    mail = Message.objects.get(to="registrant@example.org", sent_at=None)
    assert erase().remains == [f"unsent mails to others: {mail.pk}"]
    leaver.send_mails()
    assert erase_person(find_person(ADDRESS, [NAME]), by=None, reason=REASON).remains == []
    assert not traces_in(rows()["mail_message"])


# What is published, and copies


def test_exports_contain_nothing_of_the_person(registry: None) -> None:
    def written() -> list[str]:
        return [b"".join(file.write()).decode() for file in FILES.values()]

    assert traces_in(written())
    erase()
    assert not traces_in(written())


def test_a_snapshot_contains_nothing_of_the_person(registry: None, tmp_path: Path) -> None:
    def files() -> list[str]:
        return [file.read_bytes().decode(errors="replace") for file in tmp_path.rglob("*") if file.is_file()]

    publish(tmp_path)
    assert traces_in(files())
    erase()
    publish(tmp_path)
    assert not traces_in(files())


def test_an_escrow_contains_nothing_of_the_person(registry: None, tmp_path: Path) -> None:
    def written(name: str) -> list[str]:
        folder = write_escrow(tmp_path / name).folder
        return [file.read_text(encoding="utf-8") for file in folder.iterdir()]

    assert traces_in(written("before"))
    erase()
    assert not traces_in(written("after"))


def test_an_escrow_of_an_erased_person_is_restored_and_valid(
    committed_registry: None, tmp_path: Path
) -> None:
    erase()
    write_escrow(tmp_path)
    erased = verify().erased
    with an_empty_database():
        restore(tmp_path)
        assert (verify().faults, verify().erased) == ([], erased)


def test_an_older_escrow_is_erased_again_from_the_list(committed_registry: None, tmp_path: Path) -> None:
    listed = tmp_path / "erased"
    write_escrow(tmp_path / "older")
    run(ADDRESS, "--reason", REASON, "--with-texts", "--no-input", "--list", str(listed))
    assert not traces_in([listed.read_text()])
    assert listed.stat().st_mode & 0o777 == 0o600
    with an_empty_database():
        restore(tmp_path / "older")
        # The accounts have other numbers in another copy, and others have joined.
        a_person(email="leaver@example.com")
        said = json.loads(run("--again", str(listed), "--json"))
        assert [each["address"] for each in said["people"]] == [ADDRESS]
        assert not tables_with_traces() - {"accounts_user", "account_emailaddress"}
        assert User.objects.filter(email="leaver@example.com").exists()
        assert verify().faults == []
        assert json.loads(run("--again", str(listed), "--json")) == {"people": []}


# What is refused


def check_refused(refusal: type[Exception]) -> None:
    before = rows()
    with pytest.raises(refusal), transaction.atomic():
        erase()
    assert rows() == before


def test_the_last_administrator_is_not_erased(registry: None) -> None:
    Role.objects.filter(name="administrator").exclude(user=account()).delete()
    check_refused(LastAdministrator)


def test_the_only_representative_of_a_recognised_body_is_not_erased(registry: None) -> None:
    body = a_body(recognition=Recognition.RECOGNISED)
    body.representatives.add(account())
    check_refused(OnlyRepresentative)
    body.representatives.add(person("registrant"))
    erase()
    assert list(body.representatives.all()) == [person("registrant")]


@pytest.mark.parametrize(
    "reason", [f"{NAME} left.", f"Request of {ADDRESS.upper()}.", "Example\nleaver left."]
)
def test_a_reason_that_names_the_person_is_refused(reason: str, registry: None) -> None:
    with pytest.raises(ReasonNamesPerson):
        erase_person(find_person(ADDRESS), by=None, reason=reason)


def test_the_role_of_the_web_processes_may_not_erase(registry: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {APPLICATION_ROLE}")
        with pytest.raises(OwnerRequired, match="as the owner of the tables"), transaction.atomic():
            erase()
        cursor.execute("RESET ROLE")
    assert account().name == NAME


def test_an_action_during_the_erasure_does_not_bring_the_name_back(committed_registry: None) -> None:
    key = account().pk
    # No event contains this name yet, so that the action has to store it.
    User.objects.filter(pk=key).update(name=f"{NAME} Again")
    leaving = find_person(ADDRESS)
    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            erase_person(leaving, by=None, reason=REASON, with_texts=True)
            action = pool.submit(act_as, key)
            wait_until_a_transaction_waits()
        action.result()
    assert Event.objects.latest("number").verb == "example"
    assert not traces_in(rows()["audit_log_personaldata"])
    assert verify().faults == []


def act_as(key: int) -> None:
    try:
        with transaction.atomic():
            log.append("example", by=User.objects.get(pk=key))
    finally:
        connection.close()


def wait_until_a_transaction_waits() -> None:
    with connection.cursor() as cursor:
        for _ in range(200):
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
            sleep(0.05)
    raise AssertionError("no transaction waits")


# What the database refuses, and what the verification notices


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM audit_log_personaldata",
        "UPDATE audit_log_personaldata SET value = '{}'",
        "TRUNCATE audit_log_personaldata",
        "UPDATE cases_round SET text = ''",
        "UPDATE cases_round SET commitments = '{}'",
        "UPDATE namespaces_revision SET content = content || '{\"registrant\": {}}'",
        "UPDATE namespaces_revision SET commitments = jsonb_set(commitments, '{email,salt}', 'null')",
    ],
)
def test_nothing_is_erased_without_an_event(statement: str, registry: None) -> None:
    with pytest.raises(DatabaseError, match="refused: rows of"):
        in_sql(statement)


def an_event_that_erases(*digests: str) -> None:
    with transaction.atomic():
        log.append(ERASURE, by=None, reason=REASON, digests=list(digests))


def erased_in(column: str, value: str) -> str:
    salt = f"jsonb_set(commitments, '{{{column},salt}}', 'null')"
    content = f"jsonb_set(content, '{{registrant,{column}}}', '\"{value}\"')"
    return f"UPDATE cases_round SET commitments = {salt}, content = {content}"


@pytest.mark.parametrize(
    ("change", "is_refused"),
    [
        (erased_in("email", "[erased]"), False),
        (erased_in("email", "[erased]") + ", text = ''", False),
        (erased_in("email", "other@example.org"), True),
        (erased_in("phone", "[erased]"), True),
        (erased_in("email", "[erased]") + ", digest = repeat('0', 64)", True),
        (erased_in("email", "[erased]") + ", number = 7", True),
        (erased_in("email", "[erased]") + """ || '{"purpose": ""}'""", True),
        (erased_in("email", "[erased]").replace(", content", " - 'phone', content"), True),
    ],
)
def test_an_event_permits_the_erasure_of_its_values_alone(
    change: str, is_refused: bool, registry: None
) -> None:
    row = Round.objects.get(case__requested_nid="example-mosses")
    an_event_that_erases(row.commitments["email"]["digest"])
    if is_refused:
        with pytest.raises(DatabaseError, match="refused: rows of"):
            in_sql(f"{change} WHERE id = {row.pk}")
    else:
        in_sql(f"{change} WHERE id = {row.pk}")


def test_an_earlier_event_permits_nothing(registry: None) -> None:
    digest = PersonalData.objects.filter(account=account()).values_list("pk", flat=True)[0]
    an_event_that_erases(digest)
    an_event_that_erases("0" * 64)
    with pytest.raises(DatabaseError, match="refused: rows of"):
        in_sql(f"DELETE FROM audit_log_personaldata WHERE digest = '{digest}'")


def as_owner(statement: str) -> None:
    """Run a statement as the owner of the tables, who can disable triggers."""
    with connection.cursor() as cursor:
        for table in ("audit_log_personaldata", "cases_round", "namespaces_revision"):
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    in_sql(statement)


WITH_PHONE = "WHERE content #>> '{registrant,phone}' = '+1 555 0100'"
OTHER_PHONE = (
    "content = jsonb_set(content, '{registrant,phone}', '\"+1 555 0199\"'), "
    "text = replace(text, '+1 555 0100', '+1 555 0199')"
)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("DELETE FROM audit_log_personaldata", "it is missing, and no event erased it"),
        ('UPDATE audit_log_personaldata SET value = \'{"name": "Another"}\'', "the personal data of account"),
        ("UPDATE audit_log_personaldata SET salt = repeat('0', 32)", "the personal data of account"),
        (
            "UPDATE audit_log_personaldata SET account_id = (SELECT min(id) FROM accounts_user)",
            "which no event records",
        ),
        (erased_in("email", "[erased]"), "the text of round 1 of case"),
        ("UPDATE cases_round SET commitments = commitments - 'email'", "the text of round 1 of case"),
        (
            f"{erased_in('phone', '[erased]')}, text = replace(text, '+1 555 0100', '[erased]') {WITH_PHONE}",
            "the text of round 1 of case",
        ),
        (
            f"UPDATE namespaces_revision SET {OTHER_PHONE} {WITH_PHONE}",
            "version 1 of “example",
        ),
    ],
)
def test_a_value_that_was_changed_or_erased_without_an_event_is_named(
    statement: str, named: str, registry: None
) -> None:
    as_owner(statement)
    assert any(named in fault for fault in verify().faults), verify().faults


def test_a_value_that_is_back_after_its_erasure_is_named(registry: None) -> None:
    row = PersonalData.objects.filter(account=account()).values("digest", "salt", "value", "account")[0]
    erase()
    PersonalData.objects.create(
        digest=row["digest"], salt=row["salt"], value=row["value"], account_id=row["account"]
    )
    assert any("the personal data of account" in fault for fault in verify().faults)


def test_an_event_contains_digests_of_the_names_and_not_the_names(registry: None) -> None:
    event = Event.objects.get(verb="submit", nid="example-mosses")
    row = PersonalData.objects.get(pk=event.identities["actor"])
    assert row.value == {"name": NAME, "address": ADDRESS}
    assert row.digest == salted_digest(row.salt, row.value)
    assert event.digest == event.computed_digest()
    assert not traces_in(rows()["audit_log_event"])


def test_the_events_of_an_import_contain_no_names_of_people(registry: None) -> None:
    import_versions([a_version(an_xml(informal=an_informal_record("urn-7")))])
    assert "Example_Person" in str(IanaRecord.objects.get(nid="urn-7").contact)
    event = Event.objects.get(verb="import", nid="urn-7")
    assert event.details["changes"]["contact"] == ["", "person"]


def test_a_report_refers_to_the_round_for_the_contact(registry: None) -> None:
    case = leaver.an_open_case_with_this_contact()
    report = draft_report(case, workspace_for(case, person("expert")))
    assert "Example Arboretum" in report
    assert not traces_in([report])
    assert f"http://localhost:8000/cases/{case.pk}/rounds/1/template.txt" in report


# The command


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("erase_person", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_shows_what_it_will_erase_and_asks(
    registry: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []

    def answer(said: str) -> Any:
        return lambda: asked.append(None) or said

    monkeypatch.setattr("builtins.input", answer("someone@example.org"))
    with pytest.raises(CommandError, match="Nothing was erased"):
        run(ADDRESS, "--reason", REASON)
    assert account().name == NAME
    monkeypatch.setattr("builtins.input", answer(ADDRESS))
    shown = run(ADDRESS, "--reason", REASON)
    assert "open case" in shown
    assert "These texts still name the person:\n  registered versions: " in shown
    assert account().name == ""
    assert run(ADDRESS, "--reason", REASON).startswith(f"Nothing is left of {ADDRESS} to erase.\n")
    assert len(asked) == 2


def test_a_dry_run_changes_nothing(registry: None) -> None:
    before = rows()
    said = json.loads(run(ADDRESS, "--reason", REASON, "--dry-run", "--json"))
    (told,) = said["people"]
    assert (told["address"], told["account"], told["done"]) == (ADDRESS, account().pk, False)
    assert told["erased"]
    assert rows() == before


def test_an_address_that_is_not_primary_finds_the_account(registry: None) -> None:
    (told,) = json.loads(run(leaver.OTHER_ADDRESS, "--reason", REASON, "--json"))["people"]
    assert (told["account"], told["done"]) == (account().pk, True)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 2),
        ([ADDRESS, "--again", "list"], 2),
        (["--again", "/nowhere/list"], 2),
        ([ADDRESS], 1),
        ([ADDRESS, "--reason", f"{NAME} left."], 1),
    ],
)
def test_exit_status_of_misuse(arguments: list[str], status: int, registry: None) -> None:
    with pytest.raises(CommandError) as refusal:
        run(*arguments)
    assert refusal.value.returncode == status


def test_a_list_of_another_form_is_a_usage_error(registry: None, tmp_path: Path) -> None:
    (tmp_path / "list").write_text(base64.b64encode(b"?").decode())
    with pytest.raises(CommandError, match="Line 1") as refusal:
        run("--again", str(tmp_path / "list"))
    assert refusal.value.returncode == 2
