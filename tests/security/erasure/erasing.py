"""Erasing the person who left, and looking for traces of them."""

import json
from io import StringIO

from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.db import connection

from registry.accounts.erasure import Erasure, erase_person
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.audit_log.models import Event
from tests.security.erasure.leaver import ADDRESS, TRACES

REASON = "Request of 2026-11-01."


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


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("erase_person", *arguments, stdout=out)
    return out.getvalue()
