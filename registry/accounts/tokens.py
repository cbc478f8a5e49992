"""API tokens: creation, rotation, revocation and look-up. All but the look-up are events in the audit log."""

import hashlib
import secrets
from collections.abc import Collection
from datetime import timedelta
from http import HTTPStatus

from django.conf import settings
from django.db import InternalError, transaction
from django.db.models import Q, Value
from django.db.models.functions import Lower
from django.utils import timezone

from registry.accounts.erasure import lock_ending_account
from registry.accounts.grants import withdraw_lapsed_grants
from registry.accounts.locks import lock_account
from registry.accounts.models import Scope, Token, User, addresses
from registry.audit_log import log
from registry.core.database.errors import is_read_only
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.names import check_name
from registry.core.new_secrets import WithSecret
from registry.core.validators import MAX_TOKEN_NAME_LENGTH
from registry.mail import outbox

# A prefix that lets people and secret scanners recognise a leaked secret.
PREFIX = "urnreg_"
SECRET_LENGTH = len(PREFIX) + 64
DEFAULT_DAYS = 90
MOST_DAYS = 366
MOST_TOKENS = 50
# The time of the last use is written at most this often, so that reads rarely cause writes.
USE_NOTED_EVERY = timedelta(minutes=1)


class TokenNameTaken(RegistryError):
    """The owner already has a token with this name."""

    title = "A token has this name already"


class TooManyTokens(RegistryError):
    """The owner has the maximum number of tokens."""

    title = "Too many tokens"


class TokenEnded(RegistryError):
    """The token was revoked or has expired, so its secret can't be replaced."""

    title = "The token is no longer valid"


class InvalidTokenSettings(RegistryError):
    """The token has no scope, or an invalid lifetime or quota."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "This token can't be created"


def digest_of(secret: str) -> str:
    """Return the stored digest of a secret. It has 256 random bits, so one round of SHA-256 is enough."""
    return hashlib.sha256(secret.encode("utf-8", "backslashreplace")).hexdigest()


@transaction.atomic
def make_token(
    *,
    by: User,
    name: str,
    scopes: Collection[str],
    days: int = DEFAULT_DAYS,
    requests_an_hour: int | None = None,
) -> WithSecret[Token]:
    """Create a token for `by`; return it and its secret, which is not stored.

    `requests_an_hour` is a quota of the token, below the limits for all clients.
    """
    # Serializes concurrent requests, for the count and the unique name.
    User.objects.select_for_update().get(pk=by.pk)
    name = check_name(name, "the name of the token", longest=MAX_TOKEN_NAME_LENGTH)
    _check_fits(scopes, days, requests_an_hour)
    mine = Token.objects.filter(owner=by, revoked_at=None)
    if mine.alias(lowered=Lower("name")).filter(lowered=Lower(Value(name))).exists():
        raise TokenNameTaken(
            f"You already have a token named “{name}”. Choose another name, or revoke that one."
        )
    if mine.count() >= MOST_TOKENS:
        raise TooManyTokens(f"You have {MOST_TOKENS} tokens. Revoke those that nothing uses.")
    made = _with_new_secret(
        Token(
            owner=by,
            name=name,
            scopes=[scope.value for scope in Scope if scope in scopes],
            requests_an_hour=requests_an_hour,
            expires_at=timezone.now() + timedelta(days=days),
        )
    )
    token = made.record
    token.save(force_insert=True)
    log.append("make_token", by=by, token=token.pk, scopes=token.scopes)
    _mail_owner(token, by, "created")
    return made


def _with_new_secret(token: Token) -> WithSecret[Token]:
    """Give a token another secret. Its callers hold the secret only in what is returned."""
    made = WithSecret(token, PREFIX + secrets.token_hex(32))
    token.digest = digest_of(made.secret)
    return made


def most_requests() -> int:
    """The requests an hour that the limits for all clients allow; a higher quota would have no effect."""
    return (settings.API_READS_A_MINUTE + settings.API_WRITES_A_MINUTE) * 60


def _check_fits(scopes: Collection[str], days: int, requests_an_hour: int | None) -> None:
    if not scopes or not set(scopes) <= set(Scope.values):
        raise InvalidTokenSettings(f"Choose at least one scope: {', '.join(Scope.values)}.")
    if not 1 <= days <= MOST_DAYS:
        raise InvalidTokenSettings(f"The lifetime of a token is 1 to {MOST_DAYS} days.")
    if requests_an_hour is not None and not 1 <= requests_an_hour <= most_requests():
        raise InvalidTokenSettings(f"The quota of a token is 1 to {most_requests():,} requests an hour.")


@transaction.atomic
def revoke_token(token: Token, *, by: User) -> Token:
    """Revoke a token permanently, and withdraw what was granted with it. Revoking it again has no effect."""
    lock_ending_account(by)
    token = _locked(token, by)
    if token.revoked_at is None:
        token.revoked_at = timezone.now()
        token.save(update_fields=["revoked_at"])
        log.append("revoke_token", by=by, token=token.pk)
        withdraw_lapsed_grants(by)
        _mail_owner(token, by, "revoked")
    return token


@transaction.atomic
def rotate_token(token: Token, *, by: User) -> WithSecret[Token]:
    """Replace the secret of a token; return the token and its new secret, which is not stored.

    Name, scopes, quota and expiry stay. The old secret stops working at once, because it may have leaked; two tokens can
    overlap.
    """
    lock_account(by)  # first, as a grant that is made with the token does
    token = _locked(token, by)
    if token.revoked_at or token.is_expired:
        reason = "was revoked" if token.revoked_at else "has expired"
        raise TokenEnded(f"The token “{token}” {reason}. Create another one.")
    made = _with_new_secret(token)
    token.save(update_fields=["digest"])
    log.append("rotate_token", by=by, token=token.pk)
    _mail_owner(token, by, "rotated")
    return made


def _mail_owner(token: Token, owner: User, change: str) -> None:
    outbox.post("token_changed", to=addresses([owner]), context={"token": token, "change": change})


def _locked(token: Token, by: User) -> Token:
    token = Token.objects.select_for_update().get(pk=token.pk)
    if token.owner_id != by.pk:
        raise NotPermitted("There is no such token.")
    return token


@transaction.atomic
def revoke_all_tokens(owner: User, *, by: User | None, reason: str) -> None:
    """Revoke all tokens of an account, because its password changed or the account is closed, and withdraw what was
    granted with them.
    """
    lock_ending_account(owner)
    tokens = Token.objects.select_for_update().filter(owner=owner, revoked_at=None).order_by("pk")
    numbers = list(tokens.values_list("pk", flat=True))
    Token.objects.filter(pk__in=numbers).update(revoked_at=timezone.now())
    for number in numbers:
        log.append("revoke_token", by=by, reason=reason, token=number)
    withdraw_lapsed_grants(owner)


def token_with(secret: str) -> Token | None:
    """Return the token with this secret, usable or not, with its owner; None if there is no such token."""
    if len(secret) != SECRET_LENGTH or not secret.startswith(PREFIX):
        return None
    return Token.objects.select_related("owner").filter(digest=digest_of(secret)).first()


def note_use(token: Token) -> None:
    """Record the time of use, at most once per interval. A standby records nothing."""
    now = timezone.now()
    unnoted = Q(last_used_at=None) | Q(last_used_at__lt=now - USE_NOTED_EVERY)
    if token.last_used_at is None or token.last_used_at < now - USE_NOTED_EVERY:
        try:
            Token.objects.filter(unnoted, pk=token.pk).update(last_used_at=now)
        except InternalError as error:
            if not is_read_only(error):
                raise
