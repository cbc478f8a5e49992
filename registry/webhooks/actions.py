"""Actions of the owner of a webhook. They are not public, so the audit log does not record them."""

import secrets
from collections.abc import Collection, Mapping
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

from django.utils import timezone

from registry.accounts.gravity import Gravity
from registry.accounts.locks import lock_open_account
from registry.accounts.models import User
from registry.actions.declarations import Action, ActionContext, Condition, Person, SubjectType
from registry.actions.engine import performs
from registry.actions.parameters import Number, Parameter
from registry.actions.people import PERSON, is_the_person
from registry.audit_log.models import LogPosition
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.http.urls import parse_url
from registry.core.new_secrets import WithSecret
from registry.core.validators import MAX_URL_LENGTH, check_optional_text, shortened
from registry.events.events import PUBLIC_VERBS
from registry.webhooks.inputs import NIDs, TargetAddress, Verbs
from registry.webhooks.messages import digest_of, has_valid_secret, new_salt, secret_from
from registry.webhooks.models import PauseReason, Webhook
from registry.webhooks.tasks import deliver_soon
from urnsyntax.nid import is_well_formed

MAX_WEBHOOKS = 10
MAX_NIDS = 100
PREVIOUS_SECRET_LASTS = timedelta(days=1)
# The limits of what makes the registry send a request to an address that a person chose.
REPEATS = "tests, replays and resumptions of webhooks"
CHALLENGES = "challenges of webhooks"


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


class WebhookUnconfirmed(RegistryError):
    """The address of the webhook has not answered a challenge."""

    title = "The webhook is not confirmed"


class SecretInvalid(RegistryError):
    """The secret of the webhook was made with a key that this registry no longer has."""

    title = "The secret is not valid"


class WebhookSubject(SubjectType[Webhook]):
    """The account of the owner is locked before the webhook, as when the account is closed."""

    def lock(self, subject: Webhook, by: User | None) -> Webhook:
        if by is not None:
            lock_open_account(by)
        found = Webhook.objects.select_for_update().filter(pk=subject.pk).first()
        if found is None:
            raise NotPermitted(NOT_FOUND)
        return found

    def members(self, subject: Webhook) -> Mapping[str, Any]:
        return {"webhook": subject.pk}


def _is_own(person: Person, webhook: Webhook) -> bool:
    return person.pk == webhook.owner_id


WEBHOOK = WebhookSubject()
NOT_FOUND = "There is no such webhook."
HAS_VALID_SECRET = Condition[Webhook](
    has_valid_secret, "The secret of this webhook is no longer valid. Replace it first.", SecretInvalid
)
IS_CONFIRMED = Condition[Webhook](
    lambda webhook: webhook.confirmed_at is not None,
    "The address of this webhook has not answered a challenge. Send a challenge, and have your program reply to it.",
    WebhookUnconfirmed,
)
IS_UNCONFIRMED = Condition[Webhook](
    lambda webhook: webhook.confirmed_at is None,
    "The address of this webhook has answered a challenge already.",
)
CHOICE: tuple[Parameter, ...] = (
    TargetAddress("url", "Address", "An https address of your program, with a public host name."),
    NIDs("nids", "NIDs", "Without any, events of all namespaces are sent, and those without a namespace."),
    Verbs(
        "verbs",
        "Types of events",
        "As in the member “verb” of an event. Without any, events of all types are sent.",
    ),
)
CREATE_WEBHOOK = Action[User](
    name="create_webhook",
    label="Register a webhook",
    button="Register webhook",
    effect="The registry challenges the address. As soon as your program answers, all events from now on are sent. The next page "
    "shows the secret that verifies them, once.",
    success="The webhook was registered.",
    permission=is_the_person,
    gravity=Gravity.CONTROL,
    limit=CHALLENGES,
    parameters=CHOICE,
    refusals=(TooManyWebhooks, UnknownEventType, InvalidNIDChoice),
    is_logged=False,
)
# What the actions on a webhook have in common.
on_webhook = partial(
    Action[Webhook],
    permission=_is_own,
    not_permitted=NOT_FOUND,
    gravity=Gravity.ORDINARY,
    is_logged=False,
)
CHANGE_WEBHOOK = on_webhook(
    name="change_webhook",
    label="Change a webhook",
    button="Save changes",
    effect="The secret stays the same. Another address must answer a challenge first. Events that were not delivered yet are then "
    "sent to it.",
    success="The webhook was changed.",
    gravity=Gravity.CONTROL,
    limit=CHALLENGES,
    parameters=CHOICE,
    refusals=(UnknownEventType, InvalidNIDChoice),
)
CHALLENGE_WEBHOOK = on_webhook(
    name="challenge_webhook",
    label="Challenge a webhook",
    button="Send a challenge",
    effect="Sends a signed message with the verb “webhook.challenge” once, within a minute. If the reply contains its member "
    "“challenge” and nothing else, the address is confirmed.",
    success="The challenge will be sent within a minute. Reload this page then.",
    limit=CHALLENGES,
    conditions=(HAS_VALID_SECRET, IS_UNCONFIRMED),
)
PAUSE_WEBHOOK = on_webhook(
    name="pause_webhook",
    label="Pause a webhook",
    button="Pause",
    effect="Events wait until the webhook is resumed.",
    success="The webhook is paused. Events wait until you resume it.",
    offered_to=lambda _, webhook: not webhook.paused_at,
    needs_confirmed_address=False,
)
RESUME_WEBHOOK = on_webhook(
    name="resume_webhook",
    label="Resume a webhook",
    button="Resume",
    effect="Continues after the last delivered event, at once: also if the webhook fails and waits for its next attempt.",
    success="Deliveries continue after the last delivered event.",
    offered_to=lambda _, webhook: bool(webhook.paused_at or webhook.failures),
    limit=REPEATS,
    conditions=(HAS_VALID_SECRET,),
)
ROTATE_SECRET = on_webhook(
    name="rotate_webhook_secret",
    label="Replace the secret of a webhook",
    button="Replace secret",
    effect="For a day, messages are signed with both secrets, so that your program can change to the new one.",
    success="The secret was replaced.",
    gravity=Gravity.CONTROL,
    is_grave=True,
)
TEST_WEBHOOK = on_webhook(
    name="test_webhook",
    label="Test a webhook",
    button="Send a test message",
    effect="Sends a signed message with the verb “webhook.test” once, within a minute. The log of deliveries shows the result.",
    success="The test message will be sent within a minute.",
    limit=REPEATS,
    conditions=(HAS_VALID_SECRET, IS_CONFIRMED),
)
REPLAY_WEBHOOK = on_webhook(
    name="replay_webhook",
    label="Send events again",
    effect="Sends all events after the given one again, with the same “webhook-id”.",
    success="The events will be sent again.",
    limit=REPEATS,
    conditions=(IS_CONFIRMED,),
    parameters=(
        Number(
            "since",
            "After event number",
            "The events after this one are sent again, in order. 0 sends all events.",
        ),
    ),
    refusals=(BeyondLog,),
)
DELETE_WEBHOOK = on_webhook(
    name="delete_webhook",
    label="Delete a webhook",
    button="Delete webhook",
    effect="Nothing more is sent, and the log of deliveries is deleted. This can't be undone.",
    success=lambda webhook: f"The webhook for {webhook.url} was deleted.",
    needs_confirmed_address=False,
    is_grave=True,
)
# The buttons on the page of a webhook, and the addresses below it in the API.
BUTTONS = {
    "challenge": CHALLENGE_WEBHOOK,
    "pause": PAUSE_WEBHOOK,
    "resume": RESUME_WEBHOOK,
    "test": TEST_WEBHOOK,
    "replay": REPLAY_WEBHOOK,
}


@performs(CREATE_WEBHOOK, PERSON)
def register_webhook(
    context: ActionContext[User], *, url: str, verbs: Collection[str] = (), nids: Collection[str] = ()
) -> WithSecret[Webhook]:
    """Register an address for the public events from now on."""
    owner = context.subject
    chosen = {"url": _checked_url(url), "verbs": _checked_verbs(verbs), "nids": _checked_nids(nids)}
    if Webhook.objects.filter(owner=owner).count() >= MAX_WEBHOOKS:
        raise TooManyWebhooks(f"You have {MAX_WEBHOOKS} webhooks. Delete one that you do not use.")
    webhook = Webhook(owner=owner, last_event=LogPosition.current().number, **chosen)
    made = _renew(webhook)
    webhook.request_challenge()
    _save(webhook)
    return made


@performs(CHANGE_WEBHOOK, WEBHOOK)
def change_webhook(
    context: ActionContext[Webhook], *, url: str, verbs: Collection[str], nids: Collection[str]
) -> None:
    """Change what is sent, and to which address. Failures of another address are forgotten, and it must answer a challenge."""
    webhook, url = context.subject, _checked_url(url)
    if url != webhook.url:
        webhook.clear_failures()
        webhook.request_challenge()
    webhook.url, webhook.verbs, webhook.nids = url, _checked_verbs(verbs), _checked_nids(nids)
    _save(webhook)


@performs(CHALLENGE_WEBHOOK, WEBHOOK)
def request_challenge(context: ActionContext[Webhook]) -> None:
    """Have the worker challenge the address, also that of a paused webhook. A challenge that waits is sent once."""
    context.subject.request_challenge()
    _save(context.subject)


@performs(PAUSE_WEBHOOK, WEBHOOK)
def pause_webhook(context: ActionContext[Webhook]) -> None:
    """Send no events until the owner resumes. Events that occur during the pause are sent then."""
    if not context.subject.paused_at:
        context.subject.pause(PauseReason.OWNER, timezone.now())
    _save(context.subject)


@performs(RESUME_WEBHOOK, WEBHOOK)
def resume_webhook(context: ActionContext[Webhook]) -> None:
    webhook = context.subject
    webhook.paused_at, webhook.pause_reason = None, ""
    webhook.clear_failures()
    _save(webhook)


@performs(ROTATE_SECRET, WEBHOOK)
def rotate_secret(context: ActionContext[Webhook]) -> WithSecret[Webhook]:
    """Replace the secret. For a day, messages have signatures of both."""
    webhook = context.subject
    previous = webhook.salt if has_valid_secret(webhook) else ""
    made = _renew(webhook)
    webhook.previous_salt = previous
    webhook.previous_until = timezone.now() + PREVIOUS_SECRET_LASTS if previous else None
    _save(webhook)
    return made


@performs(TEST_WEBHOOK, WEBHOOK)
def request_test(context: ActionContext[Webhook]) -> None:
    """Have the worker send a test message once, also to a paused webhook."""
    webhook = context.subject
    webhook.test_id = webhook.test_id or f"test_{secrets.token_hex(8)}"
    _save(webhook)


@performs(REPLAY_WEBHOOK, WEBHOOK)
def replay(context: ActionContext[Webhook], *, since: int) -> None:
    """Send the events after event `since` again, with the same message IDs. 0 stands for all events."""
    webhook, last = context.subject, LogPosition.current().number
    if not 0 <= since <= last:
        raise BeyondLog(
            f"The log has no event {since}: its last event is {last}. Choose a number from 0 to {last}."
        )
    webhook.last_event = since
    webhook.clear_failures()
    _save(webhook)


@performs(DELETE_WEBHOOK, WEBHOOK)
def delete_webhook(context: ActionContext[Webhook]) -> None:
    """Delete a webhook and the log of its deliveries."""
    context.subject.delete()


def _save(webhook: Webhook) -> None:
    webhook.save()
    deliver_soon()


def _renew(webhook: Webhook) -> WithSecret[Webhook]:
    webhook.salt = new_salt()
    secret = secret_from(webhook.salt)
    webhook.digest = digest_of(secret)
    return WithSecret(webhook, secret)


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
