"""The yearly confirmation of a contact, with the clock moved, in a browser: without script and without signing in."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, expect

from registry.custody.actions.contact import CONFIRMED_FOR, remind_contacts
from registry.custody.models import NamespaceContact
from registry.mail.models import Message
from registry.namespaces.actions import registration
from tests.support.factories import a_person, a_template

pytestmark = pytest.mark.browser

TREES = "/namespaces/example-trees/"


@pytest.mark.exhaustive
def test_a_contact_is_reminded_marked_as_unverified_and_confirmed(address: str, chromium: Browser) -> None:
    registration.register_formal(a_template(), registrant=a_person(email="registrant@example.org"))
    contact = NamespaceContact.objects.get()
    remind_contacts(contact.confirmed_at + CONFIRMED_FOR - timedelta(days=2))
    message = Message.objects.filter(name="confirm_contact", to="registrant@example.org").get()
    link = next(line for line in message.body.splitlines() if "/contact/confirm/" in line)
    remind_contacts(timezone.now() + CONFIRMED_FOR)

    page = chromium.new_context(java_script_enabled=False, base_url=address).new_page()
    page.set_viewport_size({"width": 360, "height": 640})
    page.goto(TREES)
    expect(page.get_by_text("contact unverified")).to_be_visible()
    page.goto(link[link.index(TREES) :])
    page.get_by_role("button", name="The contact is right").press("Enter")
    expect(page.get_by_role("status")).to_contain_text("The contact is confirmed for a year.")
    expect(page.get_by_text("contact unverified")).to_have_count(0)
