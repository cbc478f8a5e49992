"""Closing an account: its roles, sessions and tokens end. What the person did stays in the audit log."""

from http import HTTPStatus

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction

from registry.accounts.erasure import end_with_account, left_to_do, lock_ending_account
from registry.accounts.models import RoleName, User, addresses
from registry.accounts.roles import withdraw_role
from registry.accounts.tokens import revoke_all_tokens
from registry.audit_log import log
from registry.core.exceptions import RegistryError
from registry.mail import outbox


class SomethingLeftToDo(RegistryError):
    """The account owns something that needs a successor, such as a namespace."""

    title = "Something is left to do"


class AlreadyClosed(RegistryError):
    """The account is already closed."""

    status = HTTPStatus.CONFLICT
    title = "Already closed"


@transaction.atomic
def close_own_account(account: User) -> None:
    """Close an account for its owner, who first transfers or ends what needs a successor."""
    lock_ending_account(account)
    if left := left_to_do(account):
        raise SomethingLeftToDo(" ".join(left))
    close_account(account, by=account, reason="The owner closed the account.")


@transaction.atomic
def close_account(account: User, *, by: User | None, reason: str) -> None:
    """Close an account. Raises LastAdministrator for the only administrator.

    Locks are taken in the order account, cases, namespaces, organisations, roles, log. Django's sessions contain a digest of
    the password, so they end with it, even if the account is opened again.
    """
    if not lock_ending_account(account):
        raise AlreadyClosed(f"The account of {account} is already closed.")
    # Only administrators withdraw roles. For owners, the registry does it.
    withdrawn_by = None if by == account else by
    for role in sorted(account.held_roles):
        withdraw_role(account, RoleName(role), by=withdrawn_by, reason=reason)
    account = User.objects.get(pk=account.pk)
    account.is_active = False
    account.set_unusable_password()
    account.save(update_fields=["is_active", "password"])
    Authenticator.objects.filter(user=account).delete()
    SocialAccount.objects.filter(user=account).delete()
    revoke_all_tokens(account, by=by, reason="The account was closed.")
    end_with_account(account)
    log.append("close_account", by=by, reason=reason, person=account.pk)
    context = {"by_owner": by == account, "reason": reason}
    outbox.post("account_closed", to=addresses([account]), context=context)
