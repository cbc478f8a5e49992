"""Recalls of entries whose holders can't be reached: who recalls, who keeps, and what the time for an answer changes."""

from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted
from registry.core.validators import TextMissing
from registry.mail.models import Message
from registry.registers.actions.changes import change_entry
from registry.registers.actions.entries import accept_entry, offer_entry
from registry.registers.actions.recalls import keep_entry, recall_entry
from registry.registers.actions.registers import register_entry, suspend_register
from registry.registers.models import Entry, EntryOffer, Register
from registry.registers.subjects import EntryOfferNotOpen, InvalidRecall, RegisterSuspended
from tests.api.client import TokenClient
from tests.registers.conftest import a_request, delegated
from tests.support.browser import post_form, signed_in

REASON = "Mail to the holder came back."
IN_TIME, TOO_LATE = (timedelta(days=settings.DAYS_TO_OBJECT + each) for each in (-1, 1))


def kew() -> Entry:
    return Entry.objects.get(subnamespace__prefix="kew")


@pytest.fixture
def entry(register: Register, requester: User) -> Entry:
    """An entry that the requester holds."""
    a_request(register, by=requester)
    return kew()


@pytest.fixture
def recalled(entry: Entry, holder: User) -> Entry:
    recall_entry(entry, by=holder, reason=REASON)
    return kew()


def test_the_holder_has_time_to_answer(recalled: Entry, holder: User, requester: User, other: User) -> None:
    event = Event.objects.latest("number")
    until = recalled.recall_ends_at.date().isoformat()
    assert (event.verb, event.reason, event.actor) == ("recall_entry", REASON, holder)
    assert event.details == {"entry": "kew", "keep_until": until}
    mails = {mail.to: mail.body for mail in Message.objects.filter(name="recall_entry")}
    assert mails.keys() == {holder.email, requester.email}
    assert "Your turn" in mails[requester.email]
    assert "No action is needed" in mails[holder.email]
    with time_machine.travel(timezone.now() + IN_TIME):
        assert kew().is_held_by(requester)
        with pytest.raises(NotPermitted):
            offer_entry(kew(), by=holder, to=other.email)


def test_without_an_answer_the_holder_of_the_register_offers_the_entry(
    recalled: Entry, holder: User, requester: User, other: User
) -> None:
    former = offer_entry(kew(), by=requester, to="someone@example.org")
    with time_machine.travel(timezone.now() + TOO_LATE):
        assert not kew().is_held_by(requester)
        with pytest.raises(NotPermitted):
            offer_entry(kew(), by=requester, to=other.email)
        assert former in EntryOffer.objects.visible_to(holder)
        delegated(kew(), by=holder, to=other)
        assert (kew().person, kew().recall_ends_at) == (other, None)
        with pytest.raises(NotPermitted):
            keep_entry(kew(), by=requester)


@pytest.mark.parametrize("after", [IN_TIME, TOO_LATE])
def test_an_answer_counts_until_someone_accepts_the_entry(
    recalled: Entry, holder: User, requester: User, other: User, after: timedelta
) -> None:
    with time_machine.travel(timezone.now() + after):
        offer = offer_entry(kew(), by=holder, to=other.email) if after == TOO_LATE else None
        keep_entry(kew(), by=requester)
        assert kew().is_held_by(requester)
        assert Event.objects.latest("number").verb == "keep_entry"
        assert {mail.to for mail in Message.objects.filter(name="keep_entry")} == {
            holder.email,
            requester.email,
        }
        assert not EntryOffer.objects.waiting().exists()
        if offer:
            with pytest.raises(EntryOfferNotOpen):
                accept_entry(offer, by=other)


def test_who_did_not_answer_can_do_nothing_but_answer(recalled: Entry, holder: User, requester: User) -> None:
    page = recalled.get_absolute_url()
    with time_machine.travel(timezone.now() + TOO_LATE):
        asking, keeping = signed_in(holder), signed_in(requester)
        with pytest.raises(NotPermitted):
            change_entry(kew(), by=requester, title="Kew", status="active", register_version=1, replaces=1)
        assert "keep/" in keeping.get(page).text
        assert "account was closed" not in asking.get(page).text
        assert "can still keep it until someone accepts it" in asking.get(page).text


def test_who_answered_is_not_asked_again_for_a_year(recalled: Entry, holder: User, requester: User) -> None:
    with pytest.raises(InvalidRecall, match="recalled already"):
        recall_entry(recalled, by=holder, reason=REASON)
    keep_entry(recalled, by=requester)
    with pytest.raises(InvalidRecall, match="not asked again for a year"):
        recall_entry(kew(), by=holder, reason=REASON)
    with pytest.raises(InvalidRecall, match="not recalled"):
        keep_entry(kew(), by=requester)
    with time_machine.travel(timezone.now() + timedelta(days=366)):
        assert recall_entry(kew(), by=holder, reason=REASON).recall_ends_at


def test_what_can_not_be_recalled(
    register: Register, entry: Entry, holder: User, administrator: User
) -> None:
    own = register_entry(register, by=holder, label="elm", title="Elm")
    with pytest.raises(InvalidRecall, match="You can offer it"):
        recall_entry(own, by=holder, reason=REASON)
    with pytest.raises(TextMissing):
        recall_entry(entry, by=holder, reason=" ")
    with pytest.raises(NotPermitted):
        recall_entry(entry, by=administrator, reason=REASON)
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.filter(pk=own.pk).update(recall_ends_at=timezone.now())
    suspend_register(register, by=administrator, reason="Order 17.")
    with pytest.raises(RegisterSuspended):
        recall_entry(entry, by=holder, reason=REASON)


def test_the_pages_lead_through_a_recall(entry: Entry, holder: User, requester: User, client: Client) -> None:
    page, at = entry.get_absolute_url(), f"/namespaces/example-trees/entries/{entry.pk}/"
    asking, keeping = signed_in(holder), signed_in(requester)
    assert f"{at}recall/" in asking.get(page).text
    assert f"{at}recall/" not in keeping.get(page).text
    post_form(asking, f"{at}recall/", {"reason": REASON})
    assert "recalled the entry" in client.get(page).text
    assert REASON in client.get(page).text
    assert f"{at}recall/" not in asking.get(page).text
    assert "recalled: answer on its page" in keeping.get("/mine/").text
    assert f"{at}keep/" in keeping.get(page).text
    post_form(keeping, f"{at}keep/", {})
    assert "recalled the entry" not in client.get(page).text
    history = client.get("/api/v1/namespaces/example-trees/events/").json()["results"]
    assert "recall_entry" in {each["verb"] for each in history}
    assert "keep_entry" not in {each["verb"] for each in history}


def test_a_program_recalls_and_keeps_an_entry(entry: Entry, holder: User, requester: User) -> None:
    at = f"namespaces/example-trees/entries/{entry.pk}/"
    answer = TokenClient(holder).post(f"{at}recall/", {"reason": REASON})
    assert answer.status_code == 200
    assert answer.json()["recall_ends_at"]
    answer = TokenClient(requester).post(f"{at}keep/", {})
    assert (answer.status_code, answer.json()["recall_ends_at"]) == (200, None)
