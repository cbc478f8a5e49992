"""Attacks by a stranger who connects to the database as the web processes do, or as a report does."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection

from registry.accounts.models import RoleName
from registry.audit_log import log, privileges
from registry.audit_log.models import ChainHead, Event
from registry.core.database.connections import APPLICATION_ROLE, READ_ONLY_ROLE
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Namespace
from tests.support.databases import a_filled_database, in_sql, rolled_back_in
from tests.support.factories import a_namespace, a_person, a_profile

ROLES = {"web": APPLICATION_ROLE, "report": READ_ONLY_ROLE}


def fill() -> None:
    """A namespace with a profile, the privileges of a database that `migrate` made."""
    people = {
        name: a_person(email=f"{name}@example.org", roles=roles)
        for name, roles in (
            ("registrant", ()),
            ("expert", (RoleName.EXPERT,)),
            ("administrator", (RoleName.ADMINISTRATOR,)),
        )
    }
    namespace = a_namespace(
        by=people["registrant"], expert=people["expert"], administrator=people["administrator"]
    )
    set_profile(namespace, by=people["administrator"], profile=a_profile(), basis="Syntax.", replaces=0)
    privileges.grant_privileges()  # a copy of a database has no privileges of the database itself


@pytest.fixture(scope="module")
def filled(the_test_database: None, django_db_blocker: Any) -> Iterator[str]:
    with django_db_blocker.unblock(), a_filled_database(fill) as database:
        yield database


@pytest.fixture(scope="module")
def sessions(filled: str) -> Iterator[dict[str, psycopg.Connection[Any]]]:
    parameters = connection.settings_dict | {"NAME": filled}
    place = {"host": "HOST", "port": "PORT", "user": "USER", "password": "PASSWORD", "dbname": "NAME"}
    where: dict[str, Any] = {name: parameters[key] or None for name, key in place.items()}
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(psycopg.connect(**where, options=f"-c role={role}"))
            for name, role in ROLES.items()
        }


def attempt(session: psycopg.Connection[Any], *statements: str) -> str | None:
    """The refusal, None if everything is done. Nothing of it stays."""
    try:
        for each in statements:
            session.execute(each)
        session.execute("SET CONSTRAINTS ALL IMMEDIATE")
    except psycopg.Error as refusal:
        return str(refusal).partition("\n")[0]
    finally:
        session.rollback()
    return None


OBJECTS = [
    "CREATE TABLE mine (id int)",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA mine",
    "CREATE EXTENSION dblink",
    "CREATE PUBLICATION mine FOR ALL TABLES",
    "CREATE TRIGGER mine BEFORE INSERT ON audit_log_event EXECUTE FUNCTION refuse_statement()",
    "CREATE RULE mine AS ON INSERT TO audit_log_event DO INSTEAD NOTHING",
    "CREATE OR REPLACE FUNCTION audit_log_check_head() RETURNS trigger LANGUAGE sql AS ''",
    "ALTER FUNCTION audit_log_check_head SET search_path = pg_temp, public",
    "ALTER TABLE audit_log_event DISABLE TRIGGER event_continues_the_chain",
    "COMMENT ON TABLE django_migrations IS '[]'",
    "CALL make_immutable('accounts_user', 'mine')",
    "SELECT setval('accounts_user_id_seq', 1)",
    "ALTER SEQUENCE accounts_user_id_seq RESTART",
    "SET session_replication_role = replica",
    "SET ROLE postgres",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/mine')",
    "COPY (SELECT 1) TO '/tmp/mine'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT * FROM pg_authid",
    "SELECT pg_reload_conf()",
    "SELECT pg_create_physical_replication_slot('mine')",
    "LOCK TABLE audit_log_event IN ACCESS EXCLUSIVE MODE",
    "TRUNCATE audit_log_event CASCADE",
]


@pytest.mark.parametrize("statement", OBJECTS)
@pytest.mark.parametrize("role", ROLES)
def test_no_role_makes_objects_or_reaches_the_server(
    role: str, statement: str, sessions: dict[str, psycopg.Connection[Any]]
) -> None:
    refusal = attempt(sessions[role], statement) or "done"
    assert "permission denied" in refusal or "must be owner" in refusal, refusal


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TEMPORARY TABLE mine AS SELECT generate_series(1, 10)",
        "SELECT nextval('accounts_user_id_seq')",
        "SELECT namespaces_learn(ARRAY['forged'])",
        "SELECT namespaces_lock(ARRAY[1])",
        "SELECT namespaces_store_lookup(1, 1, '', '', '')",
        "SELECT * FROM mfa_authenticator",
        "SELECT * FROM core_cache",
        "SELECT password FROM accounts_user",
    ],
)
def test_a_report_writes_nothing_and_reads_no_secrets(
    statement: str, sessions: dict[str, psycopg.Connection[Any]]
) -> None:
    assert "permission denied" in (attempt(sessions["report"], statement) or "done")


EVENT = """
INSERT INTO audit_log_event (number, at, verb, nid, from_state, to_state, reason, text_digest, details, identities, previous, digest)
SELECT number + {ahead}, now(), 'assign', 'example-forged', '', '', '', '', '{{}}', '{{}}', {previous}, repeat('f', 64)
FROM audit_log_chainhead
"""
FORGED = {
    "an event after a gap": [EVENT.format(ahead=1000, previous="digest")],
    "an event that continues another chain": [EVENT.format(ahead=1, previous="repeat('e', 64)")],
    "a head without an event": ["UPDATE audit_log_chainhead SET number = number + 1000"],
    "a head with another digest": [
        EVENT.format(ahead=1, previous="digest"),
        "UPDATE audit_log_chainhead SET number = number + 1, digest = repeat('0', 64)",
    ],
    "a head before the last event": [
        EVENT.format(ahead=1, previous="digest"),
        EVENT.format(ahead=2, previous="repeat('f', 64)").replace("repeat('f', 64)\n", "repeat('a', 64)\n"),
        "UPDATE audit_log_chainhead SET number = number + 1, digest = repeat('f', 64)",
    ],
    "an informal number again": ["UPDATE namespaces_informalcounter SET last = last - 1"],
    "an imported file": ["UPDATE publication_originaltext SET text = ''"],
    "no imported file": ["DELETE FROM publication_originaltext"],
}


@pytest.mark.parametrize("statements", FORGED.values(), ids=FORGED.keys())
def test_the_application_forges_no_chain(
    statements: list[str], sessions: dict[str, psycopg.Connection[Any]]
) -> None:
    before = ["UPDATE namespaces_informalcounter SET last = last + 1"]
    refusal = attempt(sessions["web"], *before, *statements) or "done"
    assert "refused: " in refusal or "permission denied" in refusal, refusal


def test_a_temporary_trigger_does_not_replace_the_current_profile(
    sessions: dict[str, psycopg.Connection[Any]],
) -> None:
    refusal = attempt(
        sessions["web"],
        "CREATE TEMPORARY TABLE mine (id int)",
        "CREATE FUNCTION pg_temp.write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "UPDATE namespaces_namespace SET profile_id = NULL, has_grammar = false; RETURN NULL; END $$",
        "CREATE TRIGGER mine AFTER INSERT ON mine EXECUTE FUNCTION pg_temp.write()",
        "INSERT INTO mine VALUES (1)",
    )
    assert "follows from its versions" in (refusal or "done")


def test_a_temporary_table_hides_no_table_from_a_trigger(
    sessions: dict[str, psycopg.Connection[Any]],
) -> None:
    refusal = attempt(
        sessions["web"],
        "CREATE TEMPORARY TABLE audit_log_event AS SELECT number, digest FROM public.audit_log_event",
        "UPDATE pg_temp.audit_log_event SET number = number + 1",
        "UPDATE audit_log_chainhead SET number = number + 1",
    )
    assert "is its last event" in (refusal or "done")


def test_every_trigger_reads_the_tables_of_the_schema(filled: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock(), rolled_back_in(filled), connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc JOIN pg_trigger ON tgfoid = pg_proc.oid "
            "WHERE pronamespace = 'public'::regnamespace "
            "AND NOT coalesce('search_path=public, pg_temp' = ANY (proconfig), false)"
        )
        assert cursor.fetchall() == []


def test_events_that_continue_the_chain_are_written(filled: str, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock(), rolled_back_in(filled):
        for nid in ("one", "two"):
            log.append("import", by=None, nid=nid)
        log.append_all([Event(verb="import", nid=nid) for nid in ("three", "four")])
        assert len(list(log.verified())) == ChainHead.objects.get().number
        Namespace.objects.update(holder="Another")
        with pytest.raises(DatabaseError, match="follows from its versions"):
            in_sql("UPDATE namespaces_namespace SET profile_id = NULL, has_grammar = false")
