"""The API's answer to the lookup of a namespace, made by the database when what it says changes.

Triggers make it in the writing transaction, whoever writes and however: a move, an import, COPY, a console. So
a reader sees the old answer until the commit and the new one from then on, and needs one row of one table.

The text is JSON, octet for octet what `registry.api.namespaces.serializers.NamespaceDetailSerializer` makes, but for
the public origin, which is not the database's to know: U+0001 stands for it, raw, as it does nowhere else in
JSON. The digest is over this text, so it changes when the answer does, and only then.
"""

import hashlib

import pgtrigger
from django.conf import settings

ORIGIN_PLACEHOLDER = "\x01"

# Who writes a namespace has locked it. Who adds a revision locks it, too: of two transactions that change one
# answer, the second has to see what the first wrote.
_HOLD = "PERFORM namespaces_hold(ARRAY(SELECT {ids} FROM changed)); "
_RENEW = "PERFORM namespaces_renew_answers(ARRAY(SELECT {ids} FROM changed)); RETURN NULL;"


def namespace_triggers() -> list[pgtrigger.Trigger]:
    """What keeps the answers when namespaces are written."""
    return [
        _refresh_trigger("refresh_lookup_on_insert", pgtrigger.Insert, _RENEW.format(ids="id")),
        _refresh_trigger("refresh_lookup_on_update", pgtrigger.Update, _RENEW.format(ids="id")),
    ]


def revision_trigger() -> pgtrigger.Trigger:
    """What keeps the answers when revisions are: written once, they never change afterwards."""
    hold_and_renew = (_HOLD + _RENEW).format(ids="namespace_id")
    return _refresh_trigger("refresh_lookup_on_revision", pgtrigger.Insert, hold_and_renew)


def only_by_triggers() -> pgtrigger.Trigger:
    """Refuses answers that anybody else writes."""
    return pgtrigger.Trigger(
        name="only_by_triggers",
        level=pgtrigger.Statement,
        when=pgtrigger.Before,
        operation=pgtrigger.Insert | pgtrigger.Update,
        func="""
            IF pg_trigger_depth() < 2 THEN
                RAISE EXCEPTION '% refused: rows of % follow from namespaces and revisions', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        """,
    )


def _refresh_trigger(name: str, operation: pgtrigger.Operation, func: str) -> pgtrigger.Trigger:
    """Once a statement, for all its rows: those that come by COPY cost little more than without."""
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        referencing=pgtrigger.Referencing(new="changed"),  # type: ignore[no-untyped-call]
        func=func,
    )


def etag(digest: str) -> str:
    """The ETag of the answer with this digest, sent from this deployment's origin."""
    return f'"{digest}-{origin_tag()}"'


def origin_tag() -> str:
    return hashlib.sha256(settings.PUBLIC_ORIGIN.encode()).hexdigest()[:8]
