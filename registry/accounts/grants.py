"""Pending grants: what a person grants or asks for, and what takes effect later.

A grant is made and used under the lock of its grantor's account, which is taken before all other locks. When it is used,
`lapse_of` compares it with the present authority of its grantor, and with the token with which it was made. When that authority
ends, `withdraw_lapsed_grants` withdraws it, under the same lock. A person withdraws a grant under the lock of its case,
namespace or organisation, which is also held when it is made and used.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.db import models, transaction
from django.utils import timezone

from registry.accounts.erasure import lock_ending_account
from registry.accounts.locks import lock_accounts, lock_open_account
from registry.accounts.models import PendingGrant, Token, User
from registry.core.exceptions import NotPermitted


@dataclass(frozen=True)
class GrantType:
    """A type of pending grants, as its app declares it.

    `pending` are those that can still take effect. `missing_authority` says, in a sentence, what the grantor lacks to make
    the grant now, or nothing. `withdraw` ends a grant with an event, if such grants have events, and a mail.
    """

    model: type[PendingGrant]
    pending: Callable[[], models.QuerySet[Any]]
    missing_authority: Callable[[User, Any], str]
    withdraw: Callable[..., None]


GRANT_TYPES: dict[type[PendingGrant], GrantType] = {}


def declare(grant_type: GrantType) -> None:
    GRANT_TYPES[grant_type.model] = grant_type


def lock_grantor(by: User) -> Token | None:
    """Lock the account of a person who makes a grant. Returns the token with which they act, for `made_with`.

    Raises NotPermitted if the account was closed or the token revoked before the lock.
    """
    lock_open_account(by)
    if by.acting_with is None:
        return None
    token = Token.objects.get(pk=by.acting_with.pk)
    if not token.is_valid:
        raise NotPermitted("The token of this request was revoked, or has expired.")
    return token


def lock_parties(*grants: PendingGrant, by: User, others: Iterable[int] = ()) -> None:
    """Lock the accounts of the grantors, of `others` and of the person who uses the grants.

    Raises NotPermitted if that one was closed.
    """
    lock_accounts(by.pk, *(each.grantor_id for each in grants if each.grantor_id), *others)
    lock_open_account(by)


def lapse_of(grant: PendingGrant) -> str:
    """Why a grant can no longer take effect, in a sentence; "" if it can. Call it under the locks of the grant."""
    grantor = User.objects.filter(pk=grant.grantor_id or 0, is_active=True).first()
    if grantor is None:
        return "The account of the person who made it was closed."
    token = Token.objects.filter(pk=grant.made_with_id).first() if grant.made_with_id else None
    if token is not None and not token.is_valid:
        return "The token with which it was made was revoked, or has expired."
    return GRANT_TYPES[type(grant)].missing_authority(grantor, grant)


def withdraw_lapsed_grants(grantor: User) -> int:
    """Withdraw the grants of an account that can no longer take effect, and return their number.

    The caller has locked the account with `lock_ending_account`, before it wrote an event.
    """
    withdrawn = 0
    for each in GRANT_TYPES.values():
        for grant in each.pending().filter(**{each.model.GRANTOR: grantor}).order_by("pk"):
            if reason := lapse_of(grant):
                each.withdraw(grant, reason=reason)
                withdrawn += 1
    return withdrawn


def withdraw_grants_of_ended_tokens() -> None:
    """Withdraw what was granted with tokens that have expired since, or that a process of an earlier version revoked."""
    ended = models.Q(made_with__expires_at__lte=timezone.now()) | models.Q(
        made_with__revoked_at__isnull=False
    )
    for each in GRANT_TYPES.values():
        grantors = each.pending().filter(ended).order_by().values_list(each.model.GRANTOR, flat=True)
        for grantor in User.objects.filter(pk__in=list(grantors)).order_by("pk"):
            with transaction.atomic():
                lock_ending_account(grantor)
                withdraw_lapsed_grants(grantor)
