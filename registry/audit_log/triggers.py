"""Triggers that reject changes of immutable rows and removal of permanent rows."""

import pgtrigger

CHANGES = pgtrigger.Update | pgtrigger.Delete | pgtrigger.Truncate
REMOVALS = pgtrigger.Delete | pgtrigger.Truncate


def refuses(operation: pgtrigger.Operation, *, name: str, because: str) -> pgtrigger.Trigger:
    """Return a statement trigger that raises an integrity error with the name of the table."""
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
    """Return a trigger for rows that never change and are never removed."""
    return refuses(CHANGES, name="immutable", because="written once and never changed")


def kept_for_ever() -> pgtrigger.Trigger:
    """Return a trigger for rows that may change but are never removed."""
    return refuses(REMOVALS, name="kept_for_ever", because="kept for ever")
