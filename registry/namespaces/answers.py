"""The API's answer to the lookup of a namespace, made by the database when what it says changes.

Triggers make it in the writing transaction, whoever writes and however: a move, an import, COPY, a console. So
a reader sees the old answer until the commit and the new one from then on, and needs one row of one table.

The text is JSON, octet for octet what `registry.api.namespaces.NamespaceDetailSerializer` makes, but for
the public origin, which is not the database's to know: U+0001 stands for it, raw, as it does nowhere else in
JSON. The digest is over this text, so it changes when the answer does, and only then.
"""

import hashlib

import pgtrigger
from django.conf import settings

ORIGIN = "\x01"

# Once a statement, for all its rows: those that come by COPY cost little more than without. An array, so
# that the plan looks each row up, however many there were when it was made.
_RENEW = """
    INSERT INTO namespaces_answer AS known (namespace_id, nid, body, digest, last_modified)
    SELECT
        id, nid, body, left(encode(sha256(convert_to(body, 'UTF8')), 'hex'), 32),
        to_char(changed_at AT TIME ZONE 'UTC', 'Dy, DD Mon YYYY HH24:MI:SS "GMT"')
    FROM (
        SELECT id, nid, changed_at, namespaces_body_of(each) AS body
        FROM namespaces_namespace AS each WHERE id = ANY (ARRAY(SELECT {id} FROM changed)) OFFSET 0
    ) AS made
    ON CONFLICT (namespace_id) DO UPDATE
    SET body = EXCLUDED.body, digest = EXCLUDED.digest, last_modified = EXCLUDED.last_modified
    WHERE (known.digest, known.last_modified) IS DISTINCT FROM (EXCLUDED.digest, EXCLUDED.last_modified);
    RETURN NULL;
"""
# Who writes a namespace has locked it. Who adds a revision locks it, too: of two transactions that change one
# answer, the second has to see what the first wrote.
_LOCK = """
    PERFORM FROM namespaces_namespace WHERE id = ANY (ARRAY(SELECT namespace_id FROM changed))
    ORDER BY id FOR NO KEY UPDATE;
"""


def of_namespaces() -> list[pgtrigger.Trigger]:
    """What keeps the answers when namespaces are written."""
    return [
        _renewing("answer_when_registered", pgtrigger.Insert, _RENEW.format(id="id")),
        _renewing("answer_when_changed", pgtrigger.Update, _RENEW.format(id="id")),
    ]


def of_revisions() -> pgtrigger.Trigger:
    """What keeps the answers when revisions are: written once, they never change afterwards."""
    return _renewing("answer_when_revised", pgtrigger.Insert, _LOCK + _RENEW.format(id="namespace_id"))


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


def _renewing(name: str, operation: pgtrigger.Operation, func: str) -> pgtrigger.Trigger:
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
