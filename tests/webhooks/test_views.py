"""The pages of webhooks: the whole life of one, errors that keep what was typed, and strangers."""

import html
import re
from typing import Any

import pytest
from django.test import Client
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from registry.accounts.models import User
from registry.webhooks.actions import MAX_WEBHOOKS
from registry.webhooks.delivery import take_turn
from registry.webhooks.models import Delivery, Webhook
from registry.webhooks.queries import MAX_KEPT
from registry.webhooks.views import PAGE_SIZE
from tests.support.browser import fill_in, signed_in
from tests.webhooks.conftest import Receiver, a_webhook, an_event, verified

pytestmark = pytest.mark.django_db
LIST, REGISTER = "/accounts/webhooks/", "/accounts/webhooks/register/"
URL = "https://hooks.example/registry"
SECRET = re.compile(r'value="(whsec_[^"]+)"')


@pytest.fixture
def browser(registrant: User) -> Client:
    return signed_in(registrant)


def secret_in(response: Any) -> str:
    (secret,) = SECRET.findall(response.text)
    return html.unescape(secret)


def press(browser: Client, webhook: Webhook, action: str, **values: str) -> Any:
    return browser.post(webhook.get_absolute_url(), {"decision": action, **values}, follow=True)


def test_the_life_of_a_webhook(browser: Client, receiver: Receiver) -> None:
    assertContains(browser.get("/mine/"), f'href="{LIST}"')
    assertContains(browser.get(LIST), "You have no webhooks")
    registered = browser.post(REGISTER, {"url": receiver.url, "nids": "ISBN  issn", "verbs": ["deprecate"]})
    secret = secret_in(registered)
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.nids, webhook.verbs) == (receiver.url, ["isbn", "issn"], ["deprecate"])
    for shown in (LIST, webhook.get_absolute_url()):
        assertNotContains(browser.get(shown), secret)
    page = browser.get(webhook.get_absolute_url())
    assertContains(page, "Nothing was sent yet")
    assertContains(page, "Nothing is sent until the address answers a challenge.")
    assertContains(press(browser, webhook, "challenge"), "The challenge will be sent within a minute.")
    assert take_turn(webhook.pk) == 1
    page = browser.get(webhook.get_absolute_url())
    assertContains(page, "challenge <code")
    assertContains(page, "delivered (200)")
    assertNotContains(page, "Nothing is sent until")
    assertContains(press(browser, webhook, "test"), "A test message will be sent within a minute.")
    event = an_event()
    assert take_turn(webhook.pk) == 2
    assert verified(receiver.received[2], secret)["number"] == event.number
    page = browser.get(webhook.get_absolute_url())
    assertContains(page, f"event {event.number} <code")
    assertContains(page, "delivered (204)", count=2)
    assertContains(press(browser, webhook, "pause"), "because its owner paused it")
    assertContains(press(browser, webhook, "resume"), "Deliveries continue")
    assertContains(press(browser, webhook, "replay", since="0"), "The events will be sent again.")
    assert Webhook.objects.get().last_event == 0
    changed = f"{webhook.get_absolute_url()}change/"
    assertContains(fill_in(browser, changed, nids=""), "The webhook was changed.")
    webhook.refresh_from_db()
    assert (webhook.url, webhook.nids, webhook.verbs) == (receiver.url, [], ["deprecate"])
    rotated = browser.post(f"{webhook.get_absolute_url()}secret/")
    assert secret_in(rotated) != secret
    assertContains(rotated, "Messages are signed with both secrets until")
    assertRedirects(browser.post(f"{webhook.get_absolute_url()}delete/"), LIST)
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    ("typed", "status", "reason"),
    [
        ({"url": "http://hooks.example/", "nids": "isbn"}, 422, "only https is allowed"),
        ({"url": "https://10.0.0.1/", "nids": "isbn"}, 422, "The host is an IP address"),
        ({"url": "", "nids": "isbn"}, 422, "This field is required"),
        ({"url": URL, "nids": "isbn a_b"}, 422, "“a_b” is not a NID"),
        (
            {"url": URL, "nids": "isbn", "verbs": ["make_token"]},
            422,
            "make_token is not one of the available",
        ),
    ],
)
def test_an_error_keeps_what_was_typed(
    browser: Client, typed: dict[str, Any], status: int, reason: str
) -> None:
    refused = browser.post(REGISTER, typed)
    assertContains(refused, reason, status_code=status)
    assertContains(refused, f'value="{typed["nids"]}"', status_code=status)
    assert not Webhook.objects.exists()


def test_a_replay_needs_a_number_of_the_log(browser: Client, registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    assert press(browser, webhook, "replay").status_code == 422
    refused = press(browser, webhook, "replay", since="4711")
    assertContains(refused, "The log has no event 4711", status_code=422)
    assertContains(refused, 'value="4711"', status_code=422)
    assert press(browser, webhook, "explode").status_code == 422


def test_the_list_says_when_it_is_full(browser: Client, registrant: User) -> None:
    for _ in range(MAX_WEBHOOKS):
        a_webhook(registrant, URL)
    assertContains(browser.get(LIST), "the most that an account can have")
    assertContains(browser.post(REGISTER, {"url": URL}), "Too many webhooks", status_code=409)


def test_a_reply_is_shown_as_text(browser: Client, registrant: User, receiver: Receiver) -> None:
    webhook = a_webhook(registrant, receiver.url)
    an_event()
    receiver.replies, receiver.body = ["500 Oops"], b"<script>alert(1)</script>"
    take_turn(webhook.pk)
    page = browser.get(webhook.get_absolute_url())
    assertContains(page, "&lt;script&gt;alert(1)&lt;/script&gt;")
    assertNotContains(page, "<script>alert")
    assertContains(page, "The next attempt is at")
    assertContains(page, 'value="resume">Try now<')


def test_the_log_has_pages(browser: Client, registrant: User) -> None:
    webhook = a_webhook(registrant, URL)
    Delivery.objects.bulk_create(
        Delivery(
            webhook=webhook,
            message_id=f"evt_{number}_",
            event_number=number,
            attempt=1,
            milliseconds=1,
            is_delivered=True,
            status_code=200,
        )
        for number in range(1, PAGE_SIZE + 2)
    )
    assert PAGE_SIZE < MAX_KEPT
    first = browser.get(webhook.get_absolute_url())
    assertNotContains(first, "evt_1_")
    (following,) = re.findall(r'href="(\?after=\d+)">Next page', first.text)
    assertContains(browser.get(webhook.get_absolute_url() + following), "evt_1_")
