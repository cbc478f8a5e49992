"""What happens to a namespace after its registration: deprecation, rules, and transfer to another registrant.

Each is atomic, locks the namespace, asks who, and writes its event and its mail. (Revisions go through a case.)
"""

from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from django.db import transaction
from django.utils import timezone

from registry.accounts.models import User
from registry.accounts.services.roles import lock_roles
from registry.audit_log import log
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_optional_text, check_text
from registry.namespaces import permissions
from registry.namespaces.models import Namespace, RulesVersion, Transfer
from registry.namespaces.rules.naming_rules import Rules, parse_rules
from registry.namespaces.services.notifications import (
    notify_of_deprecation,
    notify_of_rules,
    notify_of_transfer,
)

MAX_BASIS = 5_000


class AlreadyDeprecated(RegistryError):
    """The namespace is deprecated already."""

    title = "Already deprecated"


class SuccessorUnfit(RegistryError):
    """A namespace can't be its own successor, nor can a deprecated one succeed it."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "That successor does not fit"


class RecipientUnfit(RegistryError):
    """A namespace is transferred to somebody else, who can answer."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "It can't be offered to this account"


class RulesOvertaken(RegistryError):
    """Other rules were set since these were written; `members` says which version they are."""

    title = "Other rules were set meanwhile"

    def __init__(self, namespace: Namespace, current: int) -> None:
        now = f"version {current} of its rules" if current else "no rules"
        super().__init__(f"“{namespace.nid}” has {now} now. Look at them before you set others.")
        self.current = current
        self.members = {"current": current}


class RulesUnchanged(RegistryError):
    """The same rules, on the same basis, are set already; or there are none to take back."""

    title = "These rules are set already"


class TransferNotOpen(RegistryError):
    """There is no offer to answer, or another one is waiting."""

    title = "This transfer is not open"


def check_may_deprecate(namespace: Namespace, *, by: User) -> None:
    if not permissions.is_administrator(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not its registrant can deprecate “{namespace.nid}”."
        )


def check_may_set_rules(namespace: Namespace, *, by: User) -> None:
    if not permissions.is_administrator(by, namespace):
        raise NotPermitted(
            f"Only an administrator who is not its registrant can set rules for “{namespace.nid}”."
        )


def check_may_offer_transfer(namespace: Namespace, *, by: User) -> None:
    if not permissions.may_offer_transfer(by, namespace):
        raise NotPermitted(f"“{namespace.nid}” is not yours to offer.")


def check_deprecable(namespace: Namespace) -> None:
    if namespace.is_deprecated:
        raise AlreadyDeprecated(f"“{namespace.nid}” is deprecated since {namespace.deprecated_at:%Y-%m-%d}.")


def check_not_offered(namespace: Namespace) -> None:
    if waiting := namespace.transfers.waiting().select_related("to").first():
        raise TransferNotOpen(f"“{namespace.nid}” is offered to {waiting.to} already; take that back first.")


def _locked(namespace: Namespace) -> Namespace:
    return Namespace.objects.select_for_update().get(pk=namespace.pk)


def _locked_with_successor(
    namespace: Namespace, successor: Namespace | None
) -> tuple[Namespace, Namespace | None]:
    """Both as they are now, locked in one order, so that none becomes deprecated while it is to succeed."""
    wanted = [namespace.pk] if successor is None else [namespace.pk, successor.pk]
    found = {
        each.pk: each for each in Namespace.objects.select_for_update().filter(pk__in=wanted).order_by("pk")
    }
    return found[namespace.pk], None if successor is None else found[successor.pk]


@transaction.atomic
def deprecate(
    namespace: Namespace, *, by: User, statement: str, successor: Namespace | None = None
) -> Namespace:
    """Mark a namespace deprecated. It stays registered and readable, and its NID is never assigned again."""
    namespace, successor = _locked_with_successor(namespace, successor)
    lock_roles(by)
    check_may_deprecate(namespace, by=by)
    check_deprecable(namespace)
    statement = check_text(statement, "why the namespace is deprecated, and what its users should do")
    if successor is not None and (successor.pk == namespace.pk or successor.is_deprecated):
        raise SuccessorUnfit("The successor must be another namespace that is not deprecated itself.")
    namespace.deprecated_at = namespace.changed_at = timezone.now()
    namespace.deprecation_statement = statement
    namespace.successor = successor
    namespace.save(
        update_fields=["deprecated_at", "changed_at", "deprecation_statement", "successor"],
    )
    event = log.append(
        "deprecate",
        by=by,
        nid=namespace.nid,
        reason=statement,
        successor=successor.nid if successor else "",
    )
    notify_of_deprecation(event, namespace)
    return namespace


@transaction.atomic
def set_rules(
    namespace: Namespace,
    *,
    by: User,
    basis: str,
    replaces: int,
    nss_pattern: str = "",
    ignores_case: bool = False,
    ignored_characters: str = "",
) -> RulesVersion:
    """Say for machines what the registration says of names in words; empty rules take back what was said.

    `basis` points to those words. `replaces` is the version that whoever writes has seen, 0 before the first.
    """
    namespace = _locked(namespace)
    lock_roles(by)
    check_may_set_rules(namespace, by=by)
    last = namespace.rules_versions.last()
    current = last.version if last else 0
    if replaces != current:
        raise RulesOvertaken(namespace, current)
    rules = parse_rules(
        nss_pattern=nss_pattern, ignores_case=ignores_case, ignored_characters=ignored_characters
    )
    basis = check_text(basis, "which part of the registration says so", longest=MAX_BASIS)
    _check_new(namespace, last, rules, basis)
    namespace.changed_at = timezone.now()
    namespace.save(update_fields=["changed_at"])
    made = RulesVersion.objects.create(
        namespace=namespace,
        version=current + 1,
        basis=basis,
        set_by=by,
        set_at=namespace.changed_at,
        **asdict(rules),
    )
    namespace.refresh_from_db(fields=["rules"])
    said = {"version": made.version, "outcome": "taken back" if rules.is_empty else "set", **asdict(rules)}
    event = log.append("set_rules", by=by, nid=namespace.nid, reason=basis, **said)
    notify_of_rules(event, made)
    return made


def _check_new(namespace: Namespace, last: RulesVersion | None, rules: Rules, basis: str) -> None:
    """Raise RulesUnchanged where nothing would be said that was not said before."""
    if rules.is_empty and (last is None or last.value.is_empty):
        raise RulesUnchanged(f"“{namespace.nid}” has no rules that could be taken back.")
    if last is not None and (last.value, last.basis) == (rules, basis):
        raise RulesUnchanged(f"These are the rules of “{namespace.nid}” already, version {last.version}.")


@transaction.atomic
def offer_transfer(namespace: Namespace, *, by: User, to: User, reason: str = "") -> Transfer:
    """Offer a namespace to another registrant; an administrator offers one without, such as an import."""
    namespace = _locked(namespace)
    lock_roles(by)
    check_may_offer_transfer(namespace, by=by)
    if to.pk == by.pk or not to.is_active:
        raise RecipientUnfit("A namespace is transferred to somebody else, who has an account in use.")
    check_not_offered(namespace)
    transfer = Transfer.objects.create(namespace=namespace, offered_by=by, to=to)
    _write(transfer, "offer_transfer", by=by, reason=reason)
    return transfer


@transaction.atomic
def accept_transfer(transfer: Transfer, *, by: User) -> Namespace:
    """Accept an offer: from now on `by` is the namespace's registrant."""
    transfer = _waiting(transfer)
    namespace = transfer.namespace
    _check_may_answer(transfer, by=by)
    former = namespace.registrant_id
    if former is not None and former != transfer.offered_by_id:
        raise TransferNotOpen("Whoever made this offer is not the registrant any more.")
    namespace.registrant = by
    namespace.changed_at = timezone.now()
    namespace.save(update_fields=["registrant", "changed_at"])
    _close(transfer, accepted=True)
    _write(transfer, "accept_transfer", by=by, former=former)
    return namespace


@transaction.atomic
def refuse_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Refuse an offer: the namespace stays whose it is."""
    transfer = _waiting(transfer)
    _check_may_answer(transfer, by=by)
    _close(transfer, accepted=False)
    _write(transfer, "refuse_transfer", by=by, reason=reason)
    return transfer


@transaction.atomic
def take_back_transfer(transfer: Transfer, *, by: User, reason: str = "") -> Transfer:
    """Take an offer back, before it is answered."""
    transfer = _waiting(transfer)
    lock_roles(by)
    if not permissions.may_take_back_transfer(by, transfer):
        raise NotPermitted(f"This offer of “{transfer.namespace.nid}” is not yours to take back.")
    _close(transfer, accepted=False)
    _write(transfer, "take_back_transfer", by=by, reason=reason)
    return transfer


def _check_may_answer(transfer: Transfer, *, by: User) -> None:
    if not permissions.may_answer_transfer(by, transfer):
        raise NotPermitted(f"“{transfer.namespace.nid}” was not offered to you.")


def _waiting(transfer: Transfer) -> Transfer:
    """The offer as it is now, with its namespace locked; it must still wait for an answer."""
    namespace = _locked(transfer.namespace)
    transfer = Transfer.objects.select_for_update().get(pk=transfer.pk)
    transfer.namespace = namespace
    if transfer.ended_at is not None:
        raise TransferNotOpen(f"This offer of “{namespace.nid}” was answered or taken back.")
    return transfer


def _close(transfer: Transfer, *, accepted: bool) -> None:
    transfer.ended_at, transfer.is_accepted = timezone.now(), accepted
    transfer.save(update_fields=["ended_at", "is_accepted"])


def _write(transfer: Transfer, verb: str, *, by: User, reason: str = "", **details: Any) -> None:
    """The event of what was done with an offer, and its mail."""
    event = log.append(
        verb,
        by=by,
        nid=transfer.namespace.nid,
        reason=check_optional_text(reason, "the reason"),
        person=transfer.to_id,
        transfer=transfer.pk,
        **details,
    )
    notify_of_transfer(event, transfer)
