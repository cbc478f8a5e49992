"""Which tables leave the registry in an escrow, and which stay, with the reason.

Every table of the registry's own leaves, also one that is added later, unless it is named here; of other
packages' tables only those leave that are named. Secrets never do.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import connection
from django.db.models import Model

OWN_APPS = "registry."
# Tables of other packages without which the registry would not be the same.
INCLUDED_PACKAGE_TABLES = {
    "account.EmailAddress": "who has shown to own an address signs in with it, and is written to",
}
EXCLUDED_TABLES = {
    "accounts.Token": "secrets of programs: their owners make new ones",
    "api.IdempotentResponse": "answers to programs' requests, kept for a day under their tokens",
    "api.RequestCounter": "how much each client asked for in the last minute",
    "namespaces.CachedLookup": "follows from namespaces and revisions: the database's triggers make it anew",
    "mail.Message": "mails about an account hold secret links, and a restored registry sends nothing twice",
    "account.EmailConfirmation": "secret links",
    "sessions.Session": "who is signed in: a secret, and of no use elsewhere",
    "admin.LogEntry": "empty: the administrators' tables are read, and nothing is written there",
    "auth.Permission": "written by `migrate`",
    "auth.Group": "not used here: roles are the registry's own",
    "auth.Group_permissions": "not used here",
    "accounts.User_groups": "not used here",
    "accounts.User_user_permissions": "not used here",
    "contenttypes.ContentType": "written by `migrate`",
    "procrastinate.ProcrastinateWorker": "processes of this installation",
    "procrastinate.ProcrastinateJob": "jobs of this installation",
    "procrastinate.ProcrastinateEvent": "jobs of this installation",
    "procrastinate.ProcrastinatePeriodicDefer": "jobs of this installation",
}
# Columns that stay, each with the SQL that makes a harmless value for a restored row.
EXCLUDED_COLUMNS: dict[str, dict[str, str]] = {
    "accounts.User": {
        # Nobody can sign in with it ("!" marks a password that is none); people set a new one by mail.
        "password": "'!' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')",
        # When somebody was last here is nobody's business.
        "last_login": "NULL",
    },
}


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """One table that leaves: its model's label, its columns in order, and what is made up on the way back."""

    label: str
    name: str
    key: str
    columns: tuple[str, ...]
    generated: tuple[tuple[str, str], ...]

    @property
    def file(self) -> str:
        return f"{self.label.lower()}.jsonl"


def all_models() -> list[type[Model]]:
    """Every model with a table, the invisible ones between two others included."""
    return [each for each in apps.get_models(include_auto_created=True) if not each._meta.proxy]


def is_exported(model: type[Model]) -> bool:
    label = model._meta.label
    return label not in EXCLUDED_TABLES and (
        model._meta.app_config.name.startswith(OWN_APPS) or label in INCLUDED_PACKAGE_TABLES
    )


def exported_tables() -> list[ExportedTable]:
    """The tables that leave, those that others refer to before those that refer to them, where that can be.

    The database asks at a transaction's end alone whether what is referred to is there, so a circle of two
    tables does no harm.
    """
    return [_table(model) for model in _in_order([each for each in all_models() if is_exported(each)])]


def _in_order(models: list[type[Model]]) -> list[type[Model]]:
    ordered: dict[type[Model], None] = {}

    def place(model: type[Model], waiting: frozenset[type[Model]]) -> None:
        for other in _referred(model):
            if other in models and other not in waiting and other not in ordered:
                place(other, waiting | {model})
        ordered.setdefault(model)

    for model in models:
        place(model, frozenset({model}))
    return list(ordered)


def _referred(model: type[Model]) -> Iterator[type[Model]]:
    for field in model._meta.local_concrete_fields:
        if isinstance(field.related_model, type):
            yield field.related_model


def _table(model: type[Model]) -> ExportedTable:
    meta = model._meta
    stays = EXCLUDED_COLUMNS.get(meta.label, {})
    fields = [each for each in meta.local_concrete_fields if not each.generated]
    return ExportedTable(
        label=meta.label,
        name=connection.ops.quote_name(meta.db_table),
        key=str(meta.pk.column),
        columns=tuple(str(each.column) for each in fields if each.column not in stays),
        generated=tuple(stays.items()),
    )
