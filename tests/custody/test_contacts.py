"""Contacts beside the registered text: change, yearly confirmation with the clock moved, and what everybody sees."""

import html
import json
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from registry.accounts.erasure import erase_person
from registry.accounts.models import User
from registry.accounts.personal_data import find_person
from registry.audit_log.models import Event
from registry.cases.drafts.drafts import save_draft, start_revision
from registry.cases.findings import findings_of
from registry.cases.models import Case
from registry.core.rate_limits import LimitExceeded
from registry.core.validators import InvalidAddress, TextMissing
from registry.custody.actions.contact import change_contact, confirm_contact, remind_contacts
from registry.custody.links import confirmation_path
from registry.custody.models import NamespaceClaim, NamespaceContact
from registry.mail.bounces import record_bounce
from registry.mail.models import BouncedAddress, Message
from registry.namespaces.actions.transfers import (
    accept_transfer,
    move_to_organisation,
    offer_transfer,
    release_namespace,
)
from registry.namespaces.models import Namespace
from registry.organisations.actions.organisations import create_organisation
from registry.publication.formats.json_files import format_json_lines
from tests.cases.traces import refused
from tests.mail.messages import check_plain
from tests.support.browser import signed_in

pytestmark = pytest.mark.django_db


def contact_of(namespace: Namespace) -> NamespaceContact:
    return NamespaceContact.objects.get(pk=namespace.pk)


def days_after(namespace: Namespace, days: float) -> datetime:
    return contact_of(namespace).confirmed_at + timedelta(days=days)


def reminders() -> list[str]:
    return list(Message.objects.filter(name="confirm_contact").order_by("pk").values_list("to", flat=True))


def in_api(client: Client, namespace: Namespace) -> dict[str, str | None] | None:
    contact: dict[str, str | None] | None = client.get(f"/api/v1/namespaces/{namespace.nid}/").json()[
        "contact"
    ]
    return contact


def text_of(client: Client, namespace: Namespace) -> str:
    return html.unescape(client.get(namespace.get_absolute_url()).text)


# Changes.


def test_a_contact_is_changed_beside_the_registered_text(
    client: Client, trees: Namespace, registrant: User
) -> None:
    before = trees.revisions.get().text
    change_contact(trees, by=registrant, name="Tree desk", email="desk@example.org", reason="We moved.")
    event = Event.objects.get(verb="change_contact")
    assert (event.actor, event.nid, event.reason, event.details) == (registrant, trees.nid, "We moved.", {})
    assert trees.revisions.get().text == before
    text = text_of(client, trees)
    assert "Tree desk" in text
    assert "Contact changed" in text
    contact = in_api(client, trees)
    assert contact is not None
    assert (contact["name"], contact["email"]) == ("Tree desk", "desk@example.org")
    told = Message.objects.filter(name="change_contact")
    assert {message.to for message in told} == {registrant.email, "desk@example.org"}
    for message in told:
        check_plain(message)


def test_an_administrator_changes_a_contact_on_its_page(
    trees: Namespace, isbn: Namespace, administrator: User
) -> None:
    client = signed_in(administrator)
    typed = {"name": "Tree desk", "email": "desk", "reason": "A mail came back."}
    page = client.post(f"{trees.get_absolute_url()}contact/", typed)
    assert page.status_code == 422
    assert "A mail came back." in page.text
    for namespace in (trees, isbn):
        path = f"{namespace.get_absolute_url()}contact/"
        assert client.post(path, typed | {"email": "desk@example.org"}).status_code == 302
        assert contact_of(namespace).email == "desk@example.org"


def test_changes_are_limited_because_they_send_mail_to_any_address(
    trees: Namespace, registrant: User, settings: Any
) -> None:
    settings.ACTIONS_AN_HOUR = dict.fromkeys(settings.ACTIONS_AN_HOUR, 1)
    change_contact(trees, by=registrant, name="Desk", email="desk@example.org", reason="We moved.")
    with refused(LimitExceeded):
        change_contact(trees, by=registrant, name="Desk", email="other@example.org", reason="We moved.")
    typed = {"name": "Desk", "email": "other@example.org", "reason": "We moved again."}
    page = signed_in(registrant).post(f"{trees.get_absolute_url()}contact/", typed)
    assert page.status_code == 429
    assert "We moved again." in page.text
    assert contact_of(trees).email == "desk@example.org"


def test_a_contact_is_complete(trees: Namespace, registrant: User) -> None:
    good = {"name": "Desk", "email": "desk@example.org", "reason": "We moved."}
    for part in ("name", "reason"):
        with refused(TextMissing):
            change_contact(trees, by=registrant, **good | {part: " "})
    with refused(InvalidAddress):
        change_contact(trees, by=registrant, **good | {"email": "desk"})
    for columns in ({"name": "Desk"}, {"changed_at": timezone.now()}):
        with pytest.raises(IntegrityError, match="contact_has_name_and_address"), transaction.atomic():
            NamespaceContact.objects.filter(pk=trees.pk).update(**columns)
    with pytest.raises(IntegrityError, match="unverified_contact"), transaction.atomic():
        NamespaceContact.objects.filter(pk=trees.pk).update(unverified_since=days_after(trees, -1))


def test_the_next_registrant_begins_without_the_contact_and_the_page_says_it(
    client: Client, trees: Namespace, registrant: User, participant: User
) -> None:
    assert "names the former contact" not in text_of(client, trees)
    change_contact(trees, by=registrant, name="Tree desk", email="desk@example.org", reason="We moved.")
    accept_transfer(offer_transfer(trees, by=registrant, to=participant.email), by=participant)
    text = text_of(client, trees)
    assert "Tree desk" not in text
    assert "The registered text names the former contact." in text
    release_namespace(Namespace.objects.get(pk=trees.pk), reason="The account is erased.")
    assert not NamespaceContact.objects.exists()
    assert in_api(client, trees) is None


def test_a_registrant_takes_the_contact_along_to_their_own_organisation(
    client: Client, trees: Namespace, registrant: User
) -> None:
    change_contact(trees, by=registrant, name="Tree desk", email="desk@example.org", reason="We moved.")
    confirmed = contact_of(trees).confirmed_at
    organisation = create_organisation(by=registrant, name="Example Arboretum")
    move_to_organisation(organisation, by=registrant, namespaces=[trees])
    text = text_of(client, trees)
    assert "Tree desk" in text
    assert "names the former contact" not in text
    assert contact_of(trees).confirmed_at == confirmed


# The yearly confirmation.


def test_reminders_are_sent_30_14_and_3_days_before_and_each_once(trees: Namespace, registrant: User) -> None:
    sent = []
    for day in (334, 335.5, 336, 351.5, 352, 362.5, 363):
        remind_contacts(days_after(trees, day))
        sent.append(reminders().count(registrant.email))
    assert sent == [0, 1, 1, 2, 2, 3, 3]
    for message in Message.objects.filter(name="confirm_contact"):
        check_plain(message)


def test_after_an_outage_one_reminder_is_sent(trees: Namespace, registrant: User) -> None:
    remind_contacts(days_after(trees, 363))
    remind_contacts(days_after(trees, 363.5))
    assert reminders().count(registrant.email) == 1


def test_a_missed_confirmation_is_shown_and_changes_nothing_else(
    client: Client, trees: Namespace, registrant: User
) -> None:
    limit = days_after(trees, 365)
    assert "contact unverified" not in text_of(client, trees)
    assert remind_contacts(limit) == [trees.nid]
    assert remind_contacts(limit + timedelta(days=1)) == []
    assert f"{limit:%Y-%m-%d}" in text_of(client, trees).partition("contact unverified")[2][:200]
    contact = in_api(client, trees)
    assert contact is not None
    assert (contact["unverified_since"] or "").startswith(f"{limit:%Y-%m-%d}")
    plain = client.get(f"/api/v1/namespaces/{trees.nid}/", HTTP_ACCEPT="text/plain").text
    assert f"Contact unverified since: {limit:%Y-%m-%d}" in plain
    (line,) = format_json_lines()
    assert json.loads(line)["contact"]["unverified_since"].startswith(f"{limit:%Y-%m-%d}")
    trees.refresh_from_db()
    assert trees.registrant == registrant
    assert not trees.is_deprecated


def test_the_mailed_link_shows_a_page_whose_button_confirms(client: Client, trees: Namespace) -> None:
    remind_contacts(days_after(trees, 365))
    path = confirmation_path(contact_of(trees))
    page = client.get(path)
    assert page.status_code == 200
    assert "no-store" in page["Cache-Control"]
    assert contact_of(trees).unverified_since is not None
    assert client.post(path).status_code == 302
    assert contact_of(trees).unverified_since is None
    assert Event.objects.get(verb="confirm_contact").actor is None
    assert client.post(path).status_code == 404
    assert "contact unverified" not in text_of(client, trees)


@pytest.mark.parametrize(
    ("who", "is_reached"), [("desk@example.org", True), ("registrant@example.org", False)]
)
def test_only_the_link_that_the_contact_got_shows_that_its_address_is_reached(
    who: str, is_reached: bool, client: Client, trees: Namespace, registrant: User
) -> None:
    change_contact(trees, by=registrant, name="Tree desk", email="desk@example.org", reason="We moved.")
    record_bounce("desk@example.org", "550 5.1.1 No such user")
    remind_contacts(days_after(trees, 335.5))
    message = Message.objects.get(name="confirm_contact", to=who)
    path = next(line for line in message.body.splitlines() if "/contact/confirm/" in line)
    assert client.post(path.partition("localhost:8000")[2]).status_code == 302
    assert BouncedAddress.objects.exists() != is_reached


def test_a_link_of_a_contact_that_was_erased_confirms_nothing(
    client: Client, trees: Namespace, registrant: User
) -> None:
    change_contact(trees, by=registrant, name="A Leaver", email="leaver@example.org", reason="We moved.")
    path = confirmation_path(contact_of(trees), is_to_contact=True)
    erase_person(find_person("leaver@example.org"), by=None, reason="They left.")
    assert client.post(path).status_code == 404


def test_a_link_of_another_namespace_confirms_nothing(
    client: Client, trees: Namespace, isbn: Namespace
) -> None:
    path = confirmation_path(contact_of(trees))
    assert client.post(path.replace(trees.nid, isbn.nid)).status_code == 404


def test_the_registrant_confirms_with_the_link_on_the_page(trees: Namespace, registrant: User) -> None:
    client = signed_in(registrant)
    assert confirmation_path(contact_of(trees)) in text_of(client, trees)
    confirm_contact(trees, by=registrant)
    assert confirmation_path(contact_of(trees)) in text_of(client, trees)


def test_an_imported_namespace_without_a_registrant_is_not_asked(
    isbn: Namespace, administrator: User
) -> None:
    change_contact(isbn, by=administrator, name="Agency", email="agency@example.org", reason="Their page.")
    assert remind_contacts(days_after(isbn, 400)) == []


def test_the_contact_of_a_person_who_left_is_erased(
    client: Client, trees: Namespace, registrant: User
) -> None:
    change_contact(trees, by=registrant, name="A Leaver", email="Leaver@example.org", reason="We moved.")
    in_api(client, trees)
    Message.objects.all().delete()
    erasure = erase_person(find_person("leaver@example.org", ["A Leaver"]), by=None, reason="They left.")
    assert "contacts of namespaces" in erasure.erased
    contact = in_api(client, trees)
    assert contact is not None
    assert (contact["name"], contact["email"]) == (None, None)
    assert "Leaver" not in text_of(client, trees)


def test_the_claims_of_a_person_who_left_keep_no_text(claim: NamespaceClaim, claimant: User) -> None:
    erase_person(find_person(claimant.email), by=None, reason="They left.")
    claim.refresh_from_db()
    assert (claim.status, claim.statement, claim.links) == ("withdrawn", "", [])


def test_a_revision_after_a_transfer_advises_on_the_contact_of_the_former_registrant(
    trees: Namespace, registrant: User, participant: User
) -> None:
    assert advice_on_contact(start_revision(trees, by=registrant)) == []
    accept_transfer(offer_transfer(trees, by=registrant, to=participant.email), by=participant)
    case = start_revision(Namespace.objects.get(pk=trees.pk), by=participant)
    assert advice_on_contact(case) == ["advice"]
    own = replace(case.draft_template.registrant, contact_person="Heir", email="heir@example.org")
    template = replace(case.draft_template, registrant=own)
    case = save_draft(case, template, by=participant, stamp=case.draft_stamp)
    assert advice_on_contact(case) == []


def advice_on_contact(case: Case) -> list[str]:
    return [each.severity.value for each in findings_of(case) if each.code == "contact-of-former-registrant"]
