"""What the database itself refuses, whoever asks: changing what is final, removing what is kept for ever."""

import pgtrigger

CHANGES = pgtrigger.Update | pgtrigger.Delete | pgtrigger.Truncate
REMOVALS = pgtrigger.Delete | pgtrigger.Truncate


def refuses(operation: pgtrigger.Operation, *, name: str, because: str) -> pgtrigger.Trigger:
    """A trigger that raises an integrity error, naming the table, before any row is touched."""
    return pgtrigger.Trigger(
        name=name,
        level=pgtrigger.Statement,
        when=pgtrigger.Before,
        operation=operation,
        func=(
            f"RAISE EXCEPTION '% refused: rows of % are {because}', TG_OP, TG_TABLE_NAME "
            "USING ERRCODE = 'integrity_constraint_violation';"
        ),
    )


def immutable() -> pgtrigger.Trigger:
    """Rows are written once."""
    return refuses(CHANGES, name="immutable", because="written once and never changed")


def kept_for_ever() -> pgtrigger.Trigger:
    """Rows may change, and are never removed."""
    return refuses(REMOVALS, name="kept_for_ever", because="kept for ever")
