"""Export of a person's data: every row that names the account, without secrets."""

from collections.abc import Iterator
from typing import Any

from allauth.account.models import EmailAddress
from django.apps import apps
from django.db.models import Field, Model, Q
from django.db.models.functions import Lower

from registry.accounts.models import User
from registry.mail.models import BouncedAddress, Message

# Passwords, secrets, digests and salts of them, and the content of security keys, by the name of the column.
SECRET_COLUMNS = frozenset(
    {"password", "digest", "salt", "previous_salt", "session_key", "key", "data", "token", "token_secret"}
)
# Columns that compute or link events, which are public.
SKIPPED_COLUMNS = frozenset({"identities", "previous", "text_digest"})


def data_about(account: User) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every table that names the account, by the name of the table."""
    found = {"accounts.User": _rows(User, Q(pk=account.pk))}
    for model, references in tables_about_people():
        condition = Q(*((name, account) for name in references), _connector=Q.OR)
        if rows := _rows(model, condition):
            found[model._meta.label] = rows
    addresses = EmailAddress.objects.filter(user=account, verified=True).values("email")
    found["mail.Message"] = _rows(Message, Q(to__in=addresses), leave_out={"body"})
    found["mail.BouncedAddress"] = _rows(
        BouncedAddress, Q(address__in=addresses.values(lower=Lower("email")))
    )
    return found


def tables_about_people() -> Iterator[tuple[type[Model], list[str]]]:
    """The tables with references to accounts, and these columns, also those of other packages and of later versions.

    A table with texts that not everyone it names may read declares in `DATA_OF` whose they are.
    """
    for model in apps.get_models(include_auto_created=True):
        references = getattr(model, "DATA_OF", None) or [
            field.name for field in model._meta.local_fields if field.related_model is User
        ]
        if references:
            yield model, references


def exported_columns(model: type[Model]) -> list[str]:
    """The columns of a table that the person may read."""
    left_out = SECRET_COLUMNS | SKIPPED_COLUMNS
    fields: list[Field[Any, Any]] = list(model._meta.concrete_fields)
    return [field.attname for field in fields if field.name not in left_out]


def _rows(
    model: type[Model], condition: Q, leave_out: frozenset[str] | set[str] = frozenset()
) -> list[dict[str, Any]]:
    columns = [column for column in exported_columns(model) if column not in leave_out]
    return list(model._base_manager.filter(condition).order_by("pk").values(*columns))
