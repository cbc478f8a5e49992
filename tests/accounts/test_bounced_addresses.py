"""What people see of mail that came back, and how they confirm that an address works again."""

import re

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.custody.actions.contact import change_contact, confirm_contact
from registry.custody.models import NamespaceContact
from registry.mail.bounces import bounces_at, record_bounce
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from registry.observability.logs import loggable_path
from tests.support.browser import signed_in
from tests.support.factories import a_template

pytestmark = pytest.mark.django_db
REASON = "550 5.1.1 <No such user>"


def link_in(message: Message) -> str:
    found = re.search(r"http://localhost:8000(/account/addresses/confirm/\S+)", message.body)
    assert found
    return found[1]


def test_a_second_link_is_refused_with_the_time_to_wait(registrant: User) -> None:
    record_bounce(registrant.email, REASON)
    browser = signed_in(registrant)
    browser.post(check_path(registrant))
    assert "Try again in 3 minutes." in browser.post(check_path(registrant), follow=True).text
    assert Message.objects.filter(name="check_address").count() == 1


def check_path(person: User) -> str:
    return f"/account/addresses/{person.emailaddress_set.get().pk}/check/"  # type: ignore[attr-defined]


def test_the_owner_is_told_and_confirms_the_address(registrant: User, client: Client) -> None:
    record_bounce(registrant.email, REASON)
    browser = signed_in(registrant)
    page = browser.get("/account/").text
    assert "mail came back" in page
    assert "&lt;No such user&gt;" in page
    assert check_path(registrant) in page
    browser.post(check_path(registrant))
    (message,) = Message.objects.filter(name="check_address")
    assert message.to == registrant.email
    link = link_in(message)
    assert registrant.email not in link
    assert link not in loggable_path(link)
    assert "Confirm" in client.get(link).text
    assert bounces_at([registrant.email])
    assert client.post(link, follow=True).status_code == 200
    assert bounces_at([registrant.email]) == {}
    assert client.post(link).status_code == 404
    assert "mail came back" not in browser.get("/account/").text


def test_a_link_confirms_nothing_after_another_bounce(registrant: User, client: Client) -> None:
    record_bounce(registrant.email, REASON)
    signed_in(registrant).post(check_path(registrant))
    link = link_in(Message.objects.get(name="check_address"))
    record_bounce(registrant.email, REASON)
    assert client.post(link).status_code == 404
    assert client.get("/account/addresses/confirm/WzEsMV0:x/").status_code == 404
    assert bounces_at([registrant.email])


def test_only_the_owner_asks_for_a_link_and_not_at_will(registrant: User, expert: User) -> None:
    browser = signed_in(registrant)
    browser.post(check_path(registrant))
    assert not Message.objects.filter(name="check_address").exists()
    record_bounce(registrant.email, REASON)
    assert signed_in(expert).post(check_path(registrant)).status_code == 404
    for _ in range(3):
        browser.post(check_path(registrant))
    assert Message.objects.filter(name="check_address").count() == 1


def test_administrators_see_the_addresses(administrator: User) -> None:
    record_bounce("reader@example.org", REASON)
    page = signed_in(administrator).get("/desk/outbox/").text
    assert "Addresses at which mail came back" in page
    assert "reader@example.org" in page


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return register_formal(a_template(), registrant=registrant).namespace


def test_the_page_of_a_namespace_says_that_mail_to_its_contact_came_back(
    trees: Namespace, registrant: User, client: Client
) -> None:
    path = trees.get_absolute_url()
    assert "mail came back" not in client.get(path).text
    written = trees.revisions.get().template.registrant.email
    record_bounce(written, REASON)
    page = client.get(path).text
    assert "mail came back" in page
    assert "No such user" not in page
    change_contact(trees, by=registrant, name="Names", email="names@example.org", reason="Moved.")
    assert "mail came back" not in client.get(path).text
    record_bounce("names@example.org", REASON)
    assert "mail came back" in client.get(path).text
    contact = NamespaceContact.objects.get(pk=trees.pk)
    assert contact.unverified_since is None
    confirm_contact(trees, by=None, is_by_contact=True)
    assert "mail came back" not in client.get(path).text
