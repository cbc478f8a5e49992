"""Changes of the audit log by the owner of its tables, who can disable triggers."""

from django.db import connection, transaction

from registry.audit_log.models import ChainHead, Event, LogPosition
from tests.support.databases import in_sql


def as_owner(statement: str) -> None:
    """Run a statement without triggers."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # a table with pending checks can't be altered
        cursor.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
        for (table,) in cursor.fetchall():
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    in_sql(statement)


def rewrite_log(statement: str) -> None:
    """Run a statement without triggers, then compute every digest anew, so that the chain is intact."""
    as_owner(statement)
    last = LogPosition()
    for event in Event.objects.order_by("number"):
        event.previous = last.digest
        event.digest = event.computed_digest()
        event.save(update_fields=["previous", "digest"])
        last = event.position
    ChainHead.objects.update(number=last.number, digest=last.digest, last_in_format_2=last.number)


def as_the_previous_release() -> None:
    """Give every event the format 1, as the release before format 2 wrote it."""
    rewrite_log("UPDATE audit_log_event SET salts = NULL")
    ChainHead.objects.update(last_in_format_2=0)
