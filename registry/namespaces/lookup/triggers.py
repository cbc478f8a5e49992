"""Triggers that invalidate stored lookups, in the transaction that changes a namespace.

They run once for each statement, so that COPY stays fast. `migrations/lookup.sql` contains the functions they call.
"""

import pgtrigger

# Rows are locked in one order: first the namespace, then its lookup. Whoever inserts a revision does not hold the
# lock of the namespace yet.
_LOCK = "PERFORM namespaces_lock(ARRAY(SELECT {ids} FROM changed)); "
_INVALIDATE = "PERFORM namespaces_invalidate_lookups(ARRAY(SELECT {ids} FROM changed)); RETURN NULL;"


def invalidate_namespaces() -> list[pgtrigger.Trigger]:
    """Triggers for the table of the namespaces. (PostgreSQL allows a transition table for one event only.)"""
    func = _INVALIDATE.format(ids="id")
    return [
        _invalidation("invalidate_lookup_on_insert", pgtrigger.Insert, func),
        _invalidation("invalidate_lookup_on_update", pgtrigger.Update, func),
    ]


def invalidate_revised_namespaces() -> pgtrigger.Trigger:
    """The trigger for the table of the revisions, whose rows never change."""
    func = (_LOCK + _INVALIDATE).format(ids="namespace_id")
    return _invalidation("invalidate_lookup_on_revision", pgtrigger.Insert, func)


def written_by_lookup_functions() -> pgtrigger.Trigger:
    """Refuses writes to the stored lookups by anything but the functions in `lookup.sql`."""
    return pgtrigger.Trigger(
        name="written_by_lookup_functions",
        level=pgtrigger.Statement,
        when=pgtrigger.Before,
        operation=pgtrigger.Insert | pgtrigger.Update,
        func="""
            IF current_setting('namespaces.writes_lookups', true) IS DISTINCT FROM 'on' THEN
                RAISE EXCEPTION '% refused: rows of % are written by the namespaces_*_lookup functions',
                TG_OP, TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
            END IF;
            RETURN NULL;
        """,
    )


def _invalidation(name: str, operation: pgtrigger.Operation, func: str) -> pgtrigger.Trigger:
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Statement,
        when=pgtrigger.After,
        operation=operation,
        referencing=pgtrigger.Referencing(new="changed"),  # type: ignore[no-untyped-call]
        func=func,
    )
