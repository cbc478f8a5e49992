"""The tables that an escrow contains, and those that it leaves out, with the reason.

Every table of the registry is exported, including tables added later, unless it is excluded here. Tables of
other packages are exported only if they are listed. Secrets are never exported.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.apps import apps
from django.db import connection
from django.db.models import Model

OWN_APPS = "registry."
# Tables of other packages that belong to the state of the registry.
INCLUDED_PACKAGE_TABLES = {
    "account.EmailAddress": "verified addresses, used to sign in and to send mail",
}
EXCLUDED_TABLES = {
    "accounts.Token": "secrets of programs: their owners make new ones",
    "api.IdempotentResponse": "responses to API requests, kept for a day for each token",
    "cases.DraftVersion": "earlier texts of drafts, which are private and not needed to continue a case",
    "core.ChangeToken": "random values, replaced by each change",
    "core.Counter": "counts of the rate limits, for a day at most",
    "core.ServedDatabase": "the identity of this database",
    "namespaces.CachedLookup": "derived from namespaces and revisions: stored again by the first request",
    "namespaces.SearchWord": "derived from namespaces and profiles: written again by triggers",
    "publication.FileDigest": "derived from the registry: written by the worker and by downloads",
    "publication.HubPosition": "the last event of which this installation notified its WebSub hub",
    "resolution.ListedService": "a view of profiles and the health of their services",
    "mail.BouncedAddress": "hints of mail servers to this installation",
    "mail.HeldMail": "mails for the next digests: as sent mails",
    "mail.Message": "mails about accounts contain secret links, and a restored registry must not send mails again",
    "webhooks.Webhook": "secrets depend on SECRET_KEY, and a restored registry must not send events again",
    "webhooks.Delivery": "the log of what this installation sent",
    "account.EmailConfirmation": "secret links",
    "sessions.Session": "sessions are secrets and useless elsewhere",
    "usersessions.UserSession": "devices and places of sessions, which are not exported",
    "mfa.Authenticator": "secrets of passkeys, apps and recovery codes: people add new ones",
    "socialaccount.SocialAccount": "identities at sign-in providers: people connect theirs again",
    "socialaccount.SocialApp": "not used: providers are in a file",
    "socialaccount.SocialToken": "not used: tokens of providers are not stored",
    "admin.LogEntry": "empty: the admin site is read-only",
    "auth.Permission": "written by `migrate`",
    "auth.Group": "not used: the registry has its own roles",
    "auth.Group_permissions": "not used here",
    "accounts.User_groups": "not used here",
    "accounts.User_user_permissions": "not used here",
    "contenttypes.ContentType": "written by `migrate`",
    "procrastinate.ProcrastinateWorker": "processes of this installation",
    "procrastinate.ProcrastinateJob": "jobs of this installation",
    "procrastinate.ProcrastinateEvent": "jobs of this installation",
    "procrastinate.ProcrastinatePeriodicDefer": "jobs of this installation",
}
# Rows that are not exported, as a condition in SQL. A token is a secret, and what was granted with one ends with it: without
# the token, a pending grant would come back as one that nothing ends.
EXCLUDED_ROWS = {
    "cases.Invitation": "made_with_id IS NOT NULL",
    "custody.NamespaceClaim": "made_with_id IS NOT NULL AND ended_at IS NULL",
    "namespaces.Transfer": "made_with_id IS NOT NULL AND ended_at IS NULL",
    "organisations.MembershipInvitation": "made_with_id IS NOT NULL",
    "registers.EntryOffer": "made_with_id IS NOT NULL AND ended_at IS NULL",
}
# Columns that are not exported, each with SQL for a harmless value in a restored row.
EXCLUDED_COLUMNS: dict[str, dict[str, str]] = {
    "accounts.User": {
        # An unusable password ("!" is Django's marker); people set a new one by mail.
        "password": "'!' || replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')",  # nosec B105  # SQL
        # The time of the last sign-in is private.
        "last_login": "NULL",
    },
    # Tokens are not exported.
    **{label: {"made_with_id": "NULL"} for label in EXCLUDED_ROWS},
}


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """An exported table: label of its model, columns in order, SQL for columns that are not exported, and the condition of
    rows that are not.
    """

    label: str
    name: str
    key: str
    columns: tuple[str, ...]
    generated: tuple[tuple[str, str], ...]
    left_out: str

    @property
    def file(self) -> str:
        return f"{self.label.lower()}.jsonl"


def all_models() -> list[type[Model]]:
    """Return every model with a table, including automatic many-to-many models."""
    return [each for each in apps.get_models(include_auto_created=True) if not each._meta.proxy]


def is_exported(model: type[Model]) -> bool:
    label = model._meta.label
    return label not in EXCLUDED_TABLES and (
        model._meta.app_config.name.startswith(OWN_APPS) or label in INCLUDED_PACKAGE_TABLES
    )


def exported_tables() -> list[ExportedTable]:
    """Return the exported tables; where possible, a table comes after the tables that it references.

    Foreign keys are checked at the end of the transaction, so circular references are allowed.
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
        left_out=EXCLUDED_ROWS.get(meta.label, "FALSE"),
    )
