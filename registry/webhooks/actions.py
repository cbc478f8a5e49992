"""Actions of the owner of a webhook. They are not public, so the audit log does not record them."""

import secrets
from collections.abc import Collection
from datetime import timedelta
from http import HTTPStatus

from django.db import transaction
from django.utils import timezone

from registry.accounts.gravity import Gravity, has_gravity
from registry.accounts.locks import check_is_verified
from registry.accounts.models import User
from registry.audit_log.models import LogPosition
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.http.urls import parse_url
from registry.core.rate_limits import limited
from registry.core.validators import MAX_URL_LENGTH, check_optional_text, shortened
from registry.events.events import PUBLIC_VERBS
from registry.webhooks.messages import digest_of, has_valid_secret, new_salt, secret_from
from registry.webhooks.models import PauseReason, Webhook
from registry.webhooks.tasks import deliver_soon
from urnsyntax.nid import is_well_formed

MAX_WEBHOOKS = 10
MAX_NIDS = 100
PREVIOUS_SECRET_LASTS = timedelta(days=1)
TESTS_AND_REPLAYS = "tests and replays of webhooks"


class TooManyWebhooks(RegistryError):
    """The owner has the maximum number of webhooks."""

    title = "Too many webhooks"


class UnknownEventType(RegistryError):
    """A chosen verb is not that of a public event."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Unknown type of event"


class InvalidNIDChoice(RegistryError):
    """A chosen text is not a NID, or there are too many."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "Invalid NIDs"


class BeyondLog(RegistryError):
    """The audit log has no event with this number."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "No such event"


class SecretInvalid(RegistryError):
    """The secret of the webhook was made with a key that this registry no longer has."""

    title = "The secret is not valid"


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def register_webhook(
    *, by: User, url: str, verbs: Collection[str] = (), nids: Collection[str] = ()
) -> tuple[Webhook, str]:
    """Register an address for the public events from now on; return the webhook and its secret, which is not stored."""
    # Serializes concurrent requests, for the count.
    User.objects.select_for_update().get(pk=by.pk)
    check_is_verified(by)
    chosen = {"url": _checked_url(url), "verbs": _checked_verbs(verbs), "nids": _checked_nids(nids)}
    if Webhook.objects.filter(owner=by).count() >= MAX_WEBHOOKS:
        raise TooManyWebhooks(f"You have {MAX_WEBHOOKS} webhooks. Delete one that you do not use.")
    webhook = Webhook(owner=by, last_event=LogPosition.current().number, **chosen)
    secret = _renew(webhook)
    webhook.save(force_insert=True)
    return webhook, secret


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def change_webhook(
    webhook: Webhook, *, by: User, url: str, verbs: Collection[str], nids: Collection[str]
) -> Webhook:
    """Change what is sent, and to which address. Failures of another address are forgotten."""
    webhook = _locked(webhook, by)
    check_is_verified(by)
    url = _checked_url(url)
    if url != webhook.url:
        webhook.clear_failures()
    webhook.url, webhook.verbs, webhook.nids = url, _checked_verbs(verbs), _checked_nids(nids)
    return _saved(webhook)


@transaction.atomic
def pause_webhook(webhook: Webhook, *, by: User) -> Webhook:
    """Send no events until the owner resumes. Events that occur during the pause are sent then."""
    webhook = _locked(webhook, by)
    if not webhook.paused_at:
        webhook.pause(PauseReason.OWNER, timezone.now())
    return _saved(webhook)


@transaction.atomic
def resume_webhook(webhook: Webhook, *, by: User) -> Webhook:
    """Continue after the last delivered event, now: also if the webhook is not paused and waits for its next attempt."""
    webhook = _locked(webhook, by)
    check_is_verified(by)
    if not has_valid_secret(webhook):
        raise SecretInvalid("The secret of this webhook is no longer valid. Replace it, then resume.")
    _resume(webhook)
    return _saved(webhook)


@has_gravity(Gravity.CONTROL)
@transaction.atomic
def rotate_secret(webhook: Webhook, *, by: User) -> tuple[Webhook, str]:
    """Replace the secret; return the new one, which is not stored. For a day, messages have signatures of both."""
    webhook = _locked(webhook, by)
    check_is_verified(by)
    previous = webhook.salt if has_valid_secret(webhook) else ""
    secret = _renew(webhook)
    webhook.previous_salt = previous
    webhook.previous_until = timezone.now() + PREVIOUS_SECRET_LASTS if previous else None
    return _saved(webhook), secret


@limited(TESTS_AND_REPLAYS)
@transaction.atomic
def request_test(webhook: Webhook, *, by: User) -> Webhook:
    """Have the worker send a test message once, also to a paused webhook."""
    webhook = _locked(webhook, by)
    check_is_verified(by)
    if not has_valid_secret(webhook):
        raise SecretInvalid("The secret of this webhook is no longer valid. Replace it, then send a test.")
    webhook.test_id = webhook.test_id or f"test_{secrets.token_hex(8)}"
    return _saved(webhook)


@limited(TESTS_AND_REPLAYS)
@transaction.atomic
def replay(webhook: Webhook, *, by: User, since: int) -> Webhook:
    """Send the events after event `since` again, with the same message IDs. 0 stands for all events."""
    webhook = _locked(webhook, by)
    check_is_verified(by)
    last = LogPosition.current().number
    if not 0 <= since <= last:
        raise BeyondLog(
            f"The log has no event {since}: its last event is {last}. Choose a number from 0 to {last}."
        )
    webhook.last_event = since
    webhook.clear_failures()
    return _saved(webhook)


@transaction.atomic
def delete_webhook(webhook: Webhook, *, by: User) -> None:
    """Delete a webhook and the log of its deliveries."""
    _locked(webhook, by).delete()


def _locked(webhook: Webhook, by: User) -> Webhook:
    found = Webhook.objects.select_for_update().filter(pk=webhook.pk, owner=by).first()
    if found is None:
        raise NotPermitted("There is no such webhook.")
    return found


def _saved(webhook: Webhook) -> Webhook:
    webhook.save()
    deliver_soon()
    return webhook


def _renew(webhook: Webhook) -> str:
    webhook.salt = new_salt()
    secret = secret_from(webhook.salt)
    webhook.digest = digest_of(secret)
    return secret


def _resume(webhook: Webhook) -> None:
    webhook.paused_at, webhook.pause_reason = None, ""
    webhook.clear_failures()


def _checked_url(url: str) -> str:
    url = check_optional_text(url, "the address", longest=MAX_URL_LENGTH)
    parse_url(url)
    return url


def _checked_verbs(verbs: Collection[str]) -> list[str]:
    for verb in verbs:
        if verb not in PUBLIC_VERBS:
            raise UnknownEventType(
                f"“{shortened(verb)}” is not a type of public events. The types are {', '.join(PUBLIC_VERBS)}."
            )
    return [verb for verb in PUBLIC_VERBS if verb in verbs]


def _checked_nids(nids: Collection[str]) -> list[str]:
    """NIDs need not be registered: events of a case have the NID that it requests."""
    for nid in nids:
        if not is_well_formed(nid):
            raise InvalidNIDChoice(f"“{shortened(nid)}” is not a NID, such as “isbn”.")
    chosen = sorted({nid.lower() for nid in nids})
    if len(chosen) > MAX_NIDS:
        raise InvalidNIDChoice(f"Choose at most {MAX_NIDS} NIDs, or none for the events of all.")
    return chosen
