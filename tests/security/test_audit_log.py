"""Attacks on the audit log and on the texts that it records, by a person who can write to the database."""

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from registry.accounts.models import RoleName, User
from registry.audit_log import log, privileges
from registry.audit_log.models import ChainHead, LogPosition
from registry.audit_log.verification import verify
from registry.cases import comments
from registry.cases.drafts.drafts import save_draft
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.cases.workflow.functions.people import dismiss_finding, remove_co_editor
from registry.core.database.connections import APPLICATION_ROLE, READ_ONLY_ROLE
from registry.namespaces.actions.deprecation import deprecate
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from registry.publication.iana.importing.template_import import import_templates, read_templates
from registry.registration_template.formatting import format_template
from tests.support.databases import a_filled_database, in_sql, rolled_back_in
from tests.support.factories import (
    a_case_in_review,
    a_draft,
    a_namespace,
    a_person,
    a_profile,
    a_template,
    add_co_editor,
    all_done,
)
from tests.support.tampering import as_owner

# The setting that switched off the triggers of an earlier version, for all triggers of the database.
IGNORE_ALL = "SELECT set_config('pgtrigger.ignore', array_agg(tgname)::text, true) FROM pg_trigger"


def fill(folder: Path) -> None:
    """Write at least one row of each text that an event records."""
    registrant = a_person(email="registrant@example.org")
    expert = a_person(email="expert@example.org", roles=(RoleName.EXPERT,))
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    set_profile(namespace, by=administrator, profile=a_profile(), basis="Syntax.", replaces=0)
    deprecate(namespace, by=administrator, statement="Replaced by a catalogue.")
    case = a_case_in_review(by=registrant, namespace_identifier="example-oaks", resolution="It is a TODO.")
    comments.comment(case, by=expert, round_number=1, section="purpose", text="And elms?")
    dismiss_finding(
        case, by=expert, round_number=1, section="resolution", code="placeholder", reason="A name."
    )
    people.recuse(case, by=administrator, reason="A friend's case.")
    case = functions.request_changes(
        case, by=expert, round_number=1, rationale="Nearly.", action_points=[("purpose", "Say who benefits.")]
    )
    case = all_done(case)
    functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)
    fill_with_former_co_editors(registrant, expert)
    imported = Namespace.objects.create(nid="example-old", kind="formal", origin="iana")
    (folder / "example-old.8141.txt").write_text(
        format_template(a_template(namespace_identifier=imported.nid)), encoding="utf-8"
    )
    assert [each.is_written for each in import_templates(read_templates(folder))] == [True]


def fill_with_former_co_editors(registrant: User, expert: User) -> None:
    """People who left a draft, the submitted case, or first the draft and then the case: each is recused once."""
    case = a_draft(by=registrant, namespace_identifier="example-mosses")
    case = edited_and_left(case, by=registrant, user=a_person(email="third-expert@example.org"))
    for _ in range(2):
        case = edited_and_left(case, by=registrant, user=expert)
        case = all_submitted(case)
    edited_and_left(case, by=registrant, user=a_person(email="second-expert@example.org"))


def edited_and_left(case: Case, *, by: User, user: User) -> Case:
    case = add_co_editor(case, by=by, user=user)
    template = replace(case.draft_template, purpose=f"{case.draft_template.purpose}\nMore.")
    case = save_draft(case, template, by=user, stamp=case.draft_stamp)
    return remove_co_editor(case, by=by, email=user.email)


def all_submitted(case: Case) -> Case:
    return functions.submit(case, by=case.registrant, draft_stamp=case.draft_stamp)


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any, tmp_path_factory: Any) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("templates")
    with django_db_blocker.unblock(), a_filled_database(lambda: fill(folder)) as database:
        yield database


@pytest.fixture
def registry(filled: str, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock(), rolled_back_in(filled):
        yield


CHANGES = [
    "UPDATE audit_log_event SET reason = 'another'",
    "DELETE FROM audit_log_event WHERE number > 1",
    "TRUNCATE audit_log_event CASCADE",
    "UPDATE audit_log_chainhead SET number = 1",
    "UPDATE audit_log_chainhead SET digest = repeat('0', 64)",
    "UPDATE audit_log_signedhead SET note = 'another'",
    "DELETE FROM audit_log_signedhead",
    "UPDATE namespaces_revision SET text = 'another'",
    "DELETE FROM namespaces_profileversion",
    "UPDATE namespaces_namespace SET nid = 'example-stolen' WHERE nid = 'example-trees'",
    "UPDATE cases_round SET text = 'another'",
    "UPDATE cases_review SET rationale = 'another'",
]


@pytest.mark.parametrize("change", CHANGES)
def test_no_setting_of_a_session_switches_a_trigger_off(change: str, registry: None) -> None:
    in_sql(IGNORE_ALL)
    with pytest.raises(DatabaseError, match="refused: rows of"):
        in_sql(change)


def test_every_refusal_also_holds_for_replicated_changes(registry: None) -> None:
    """`session_replication_role = replica` skips triggers that are not enabled with ALWAYS."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgname || tgrelid, tgenabled FROM pg_trigger "
            "WHERE tgfoid IN ('refuse_statement'::regproc, 'refuse_unless_erased'::regproc)"
        )
        found = dict(cursor.fetchall())
    assert len(found) > 15
    assert set(found.values()) == {"A"}


# What the owner of the tables can change, and the text that is named.
REWRITTEN_TEXTS = {
    "a revision": ("namespaces_revision SET text = replace(text, 'trees', 'weeds')", "version 1 of “example"),
    "the content of a revision": ("namespaces_revision SET content = content || '{\"purpose\": \"No.\"}'", "version 1"),
    "the digest of a revision": ("namespaces_revision SET digest = repeat('f', 64)", "version 1 of “example"),
    "a profile": ("namespaces_profileversion SET content = content || '{\"title\": \"Weeds\"}'", "version 1 of the profile"),
    "the digest of a profile": ("namespaces_profileversion SET digest = repeat('f', 64)", "version 1 of the profile"),
    "the basis of a profile": ("namespaces_profileversion SET basis = 'None.'", "version 1 of the profile"),
    "who set a profile": ("namespaces_profileversion SET set_by_id = NULL", "version 1 of the profile"),
    "a deprecation": ("namespaces_namespace SET deprecation_statement = 'No.' WHERE deprecated_at IS NOT NULL", "the dep"),
    "a copied purpose": ("namespaces_namespace SET purpose = 'No.' WHERE latest_id IS NOT NULL", "the summary of"),
    "a round": ("cases_round SET text = replace(text, 'oaks', 'weeds')", "the text of round"),
    "a proposed profile": ("cases_round SET profile = '{\"title\": \"Weeds\"}'", "the text of round"),
    "the submitter of a round": (
        "cases_round SET submitted_by_id = (SELECT id FROM accounts_user WHERE email LIKE 'expert@%')", "the text of",
    ),
    "a rationale": ("cases_review SET rationale = 'Bad.'", "a review of round 1"),
    "a verdict": ("cases_review SET verdict = 'decline' WHERE verdict = 'approve'", "a review of round 1 of case"),
    "an action point": ("cases_actionpoint SET text = 'Nothing.'", "a review of round 1"),
    "an answer": ("cases_reply SET outcome = 'not_done', text = 'No.'", "the text of round 2"),
    "a dismissed finding": ("cases_dismissal SET message = 'Harmless.'", "a dismissal in round 1"),
    "the reason of a dismissal": ("cases_dismissal SET reason = 'None.'", "a dismissal in round 1"),
    "a comment": ("cases_comment SET text = 'And weeds?'", "comment "),
    "the section of a comment": ("cases_comment SET section = ''", "comment "),
    "the author of a comment": (
        "cases_comment SET author_id = (SELECT id FROM accounts_user WHERE email LIKE 'registrant@%')", "comment ",
    ),
    "the reason of a recusal": ("cases_recusal SET reason = 'None.' WHERE reason LIKE 'A friend%'", "the recusal of account"),
    "the person of a recusal": (
        "cases_recusal SET user_id = submitted_by_id FROM cases_round WHERE reason LIKE 'A friend%'", "the recusal of",
    ),
    "an imported file": ("publication_originaltext SET text = 'Nothing.'", "the imported text of version 1"),
}  # fmt: skip


def test_an_untouched_registry_is_valid(registry: None) -> None:
    assert verify().faults == []


@pytest.mark.sampled(12)
@pytest.mark.parametrize(("change", "named"), REWRITTEN_TEXTS.values(), ids=REWRITTEN_TEXTS.keys())
def test_a_rewritten_text_is_named(change: str, named: str, registry: None) -> None:
    as_owner(f"UPDATE {change}")
    result = verify()
    assert result.is_chain_valid
    assert any(f"differs from the audit log in {named}" in fault for fault in result.faults), result.faults


@pytest.mark.parametrize(
    ("removed", "named"),
    [
        ("cases_reply", "the text of round 2"),
        ("cases_comment", "comment "),
        ("cases_dismissal", "a dismissal in round 1"),
        ("cases_recusal WHERE reason LIKE 'A friend%'", "the recusal of account"),
        (
            "cases_recusal WHERE user_id = (SELECT id FROM accounts_user WHERE email LIKE 'expert@%')",
            "the recusal of",
        ),
        (
            "cases_recusal WHERE user_id = (SELECT id FROM accounts_user WHERE email LIKE 'third%')",
            "the recusal of",
        ),
        (
            "cases_recusal WHERE user_id = (SELECT id FROM accounts_user WHERE email LIKE 'second%')",
            "the recusal of",
        ),
    ],
)
def test_a_text_that_was_removed_is_named(removed: str, named: str, registry: None) -> None:
    as_owner(f"DELETE FROM {removed}")
    assert [fault for fault in verify().faults if named in fault]


def test_an_added_comment_is_named(registry: None) -> None:
    as_owner(
        "INSERT INTO cases_comment (round_id, author_id, section, text, at) "
        "SELECT round_id, author_id, section, 'I agree.', at FROM cases_comment"
    )
    assert any("in comment" in fault for fault in verify().faults)


def forget_newest_events() -> None:
    """Remove the newest event and reset the head to the event before it, so that the chain is intact."""
    as_owner("DELETE FROM audit_log_event WHERE number = (SELECT max(number) FROM audit_log_event)")
    in_sql(
        "UPDATE audit_log_chainhead SET (number, digest, last_in_format_2) = "
        "(SELECT number, digest, number FROM audit_log_event ORDER BY number DESC LIMIT 1)"
    )


def run(*arguments: str) -> tuple[int, str]:
    out, err = StringIO(), StringIO()
    try:
        call_command("verify_audit_log", *arguments, stdout=out, stderr=err)
    except SystemExit as end:
        return int(end.code or 0), out.getvalue() + err.getvalue()
    return 0, out.getvalue()


def test_a_noted_position_contradicts_a_log_whose_newest_events_were_removed(registry: None) -> None:
    noted = LogPosition.current()
    text = f"{noted.number}:{noted.digest}"
    assert run("--since", text)[0] == 0
    forget_newest_events()
    assert verify().is_chain_valid
    status, said = run("--since", text)
    assert (status, f"Event {noted.number} is missing" in said) == (1, True)


def test_a_noted_position_contradicts_a_log_that_was_rewritten(registry: None) -> None:
    noted = LogPosition.current()
    forget_newest_events()
    with transaction.atomic():
        log.append("import", by=None, nid="another")
    assert ChainHead.objects.get().number == noted.number
    status, said = run("--json", "--since", f"{noted.number}:{noted.digest}")
    stated = json.loads(said)
    assert (status, stated["valid"]) == (1, False)
    assert f"Event {noted.number} does not have the digest {noted.digest}" in stated["faults"][0]


@pytest.mark.parametrize("text", ["", "1", "1:abc", "x:" + "0" * 64, "1:" + "F" * 64, "1.0:" + "0" * 64])
def test_a_malformed_position_is_a_usage_error(text: str, db: None) -> None:
    with pytest.raises(CommandError, match="The form is NUMBER:DIGEST") as refusal:
        call_command("verify_audit_log", "--since", text)
    assert refusal.value.returncode == 2


# The application role


@pytest.fixture
def as_application(registry: None) -> Iterator[None]:
    """Act as the role of the web and worker processes."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {APPLICATION_ROLE}")
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


IMMUTABLE_TABLES = [
    "audit_log_event",
    "audit_log_signedhead",
    "audit_log_cosignature",
    "audit_log_timestamp",
    "audit_log_tilehash",
    "namespaces_revision",
    "namespaces_profileversion",
    "cases_round",
    "cases_review",
    "cases_actionpoint",
    "cases_reply",
    "cases_dismissal",
    "cases_comment",
    "cases_recusal",
]
REFUSED_TO_APPLICATION = [
    *(f"DELETE FROM {table}" for table in [*IMMUTABLE_TABLES, "audit_log_chainhead", "cases_case"]),
    *(f"TRUNCATE {table} CASCADE" for table in [*IMMUTABLE_TABLES, "accounts_user", "django_session"]),
    "UPDATE audit_log_event SET reason = 'another'",
    "UPDATE audit_log_signedhead SET note = 'another'",
    "UPDATE namespaces_revision SET text = 'another'",
    "UPDATE cases_round SET text = 'another'",
    "DELETE FROM audit_log_personaldata",
    "UPDATE audit_log_personaldata SET value = '{}'",
    "ALTER TABLE audit_log_event DISABLE TRIGGER USER",
    "ALTER TABLE audit_log_event DISABLE TRIGGER event_is_immutable",
    "DROP TRIGGER event_is_immutable ON audit_log_event",
    "DROP TABLE audit_log_event CASCADE",
    "CREATE TABLE mine (id int)",
    "CREATE OR REPLACE FUNCTION refuse_statement() RETURNS trigger LANGUAGE sql AS ''",
    "DELETE FROM django_migrations",
    "SET session_replication_role = replica",
]


@pytest.mark.parametrize("statement", REFUSED_TO_APPLICATION)
def test_the_application_may_not_run(statement: str, as_application: None) -> None:
    with pytest.raises(DatabaseError, match=r"permission denied|must be owner"), transaction.atomic():
        in_sql(statement)


def test_the_application_can_not_set_the_head_back(as_application: None) -> None:
    with pytest.raises(DatabaseError, match="refused: rows of audit_log_chainhead only advance"):
        in_sql("UPDATE audit_log_chainhead SET number = number - 1")


@pytest.mark.exhaustive
def test_the_application_can_do_what_the_registry_does(real_database: None, tmp_path: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {APPLICATION_ROLE}")
    fill(tmp_path)
    assert verify().faults == []


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT password FROM accounts_user",
        "SELECT * FROM accounts_token",
        "SELECT * FROM mail_message",
        "SELECT * FROM django_session",
        "SELECT * FROM account_emailconfirmation",
        "INSERT INTO accounts_role (user_id, name, granted_at) SELECT id, 'leader', now() FROM accounts_user",
        "UPDATE audit_log_chainhead SET number = number + 1",
    ],
)
def test_the_read_only_role_reads_no_secrets_and_writes_nothing(statement: str, registry: None) -> None:
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        in_sql(f"SET LOCAL ROLE {READ_ONLY_ROLE}; {statement}")


def test_the_read_only_role_can_verify_the_audit_log(registry: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {READ_ONLY_ROLE}")
    assert verify().faults == []


def test_an_owner_without_createrole_gets_the_commands_to_run(
    registry: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(privileges, "GROUP_ROLES", ("urn_registry_missing",))
    privileges.grant_privileges()
    assert "CREATE ROLE urn_registry_missing NOLOGIN;" in capsys.readouterr().err
