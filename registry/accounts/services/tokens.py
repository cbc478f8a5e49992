"""Tokens: how a program says for whom it speaks. Making and revoking one are events in the record."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta
from http import HTTPStatus

from django.db import transaction
from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.models import Scope, Token, User
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text

# So that a secret that got somewhere is known for what it is, by people and by programs that look for such.
PREFIX = "urnreg_"
SECRET_LENGTH = len(PREFIX) + 64
DEFAULT_DAYS = 90
MOST_DAYS = 366
MOST_TOKENS = 50
LONGEST_NAME = Token._meta.get_field("name").max_length or 0
# When a token was used last is written this often at most, so that reading stays reading.
USE_NOTED_EVERY = timedelta(minutes=1)


class TokenNameTaken(RegistryError):
    """Somebody's tokens have different names, so that they can be told apart."""

    title = "There is a token of this name"


class TooManyTokens(RegistryError):
    """More tokens than anybody keeps an eye on."""

    title = "These are too many tokens"


class InvalidTokenSettings(RegistryError):
    """A token says what it may be used for, and ends."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Such a token can't be made"


def digest_of(secret: str) -> str:
    """What is kept of a secret. It holds 256 random bits, so one round of SHA-256 is as good as many."""
    return hashlib.sha256(secret.encode("utf-8", "backslashreplace")).hexdigest()


@transaction.atomic
def make_token(
    *, by: User, name: str, scopes: Collection[str], days: int = DEFAULT_DAYS
) -> tuple[Token, str]:
    """A new token of `by`, and its secret, which nobody can be told again."""
    User.objects.select_for_update().get(
        pk=by.pk
    )  # two at once count, and compare names, one after the other
    name = check_text(" ".join(name.split()), "a name for the token", longest=LONGEST_NAME)
    _check_fits(scopes, days)
    mine = Token.objects.filter(owner=by, revoked_at=None)
    if mine.alias(lowered=Lower("name")).filter(lowered=Lower(Value(name))).exists():
        raise TokenNameTaken(f"You have a token “{name}” already. Choose another name, or revoke that one.")
    if mine.count() >= MOST_TOKENS:
        raise TooManyTokens(f"You have {MOST_TOKENS} tokens. Revoke those that nothing uses.")
    secret = PREFIX + secrets.token_hex(32)
    token = Token.objects.create(
        owner=by,
        name=name,
        digest=digest_of(secret),
        scopes=[scope.value for scope in Scope if scope in scopes],
        expires_at=timezone.now() + timedelta(days=days),
    )
    log.append("make_token", by=by, token=token.pk, scopes=token.scopes)
    return token, secret


def _check_fits(scopes: Collection[str], days: int) -> None:
    if not scopes or not set(scopes) <= set(Scope.values):
        raise InvalidTokenSettings(f"Choose what the token may be used for: {', '.join(Scope.values)}.")
    if not 1 <= days <= MOST_DAYS:
        raise InvalidTokenSettings(f"A token is made for 1 to {MOST_DAYS} days.")


@transaction.atomic
def revoke_token(token: Token, *, by: User) -> Token:
    """End it, at once and for ever. Revoking it again changes nothing."""
    token = Token.objects.select_for_update().get(pk=token.pk)
    if token.owner_id != by.pk:
        raise NotPermitted("There is no such token.")
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        log.append("revoke_token", by=by, token=token.pk)
    return token


def token_with(secret: str) -> Token | None:
    """The token, usable or not, with its owner as they are now; None if there is none of this secret."""
    if len(secret) != SECRET_LENGTH or not secret.startswith(PREFIX):
        return None
    return Token.objects.select_related("owner").filter(digest=digest_of(secret)).first()


def note_use(token: Token) -> None:
    """Write down that it was used, unless that was done a moment ago."""
    now = timezone.now()
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
