"""Registers in a browser, by links and forms alone: one with expert review from its opening to an entry that is exported and resolves,
one with first come first served, and a branch that another organisation holds.
"""

import csv
import re
from io import StringIO
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from registry.accounts.models import User
from registry.mail.models import Message
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Namespace
from tests.journeys.test_governance import page_of
from tests.journeys.test_organisations import press
from tests.journeys.test_public_pages import open_menu
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import DEEP
from tests.resolution.conftest import a_service
from tests.support.factories import PASSWORD, a_person, a_profile, a_template, describe

pytestmark = pytest.mark.browser

TELEPHONE: ViewportSize = {"width": 390, "height": 844}
MIN_GAP = 16  # pixels between the parts of a page
REGISTRANT, REVIEWER, STRANGER, GARDENER = (
    f"{who}@example.org" for who in ("registrant", "reviewer", "stranger", "gardener")
)


def a_namespace(nid: str, **controller: object) -> Namespace:
    """A namespace whose names can have many parts, and lead to a page for each."""
    namespace = register_formal(a_template(namespace_identifier=nid), **controller).namespace
    service = a_service("https://trees.example/{nss}", examples=[f"urn:{nid}:kew:4711"])
    profile = a_profile(
        nid,
        abnf=f"name = {DEEP}",
        examples=("kew:4711", "kew:rose:1", "1:1"),
        counterexamples=("kew", "12:", "12:x"),
        services=[service],
    )
    return describe(namespace, profile)


def follow(page: Page, *links: str) -> None:
    for name in links:
        page.get_by_role("link", name=name, exact=True).first.click()


def fill(page: Page, **values: str) -> None:
    for label, text in values.items():
        page.get_by_label(label.replace("_", " "), exact=False).first.fill(text)


def says(page: Page, text: str) -> None:
    expect(page.get_by_role("status")).to_contain_text(text)


def open_mail(page: Page, name: str, to: str) -> None:
    """Open the link in the newest mail of this name."""
    mail = Message.objects.filter(name=name, to=to).latest("pk")
    page.goto(re.findall(r"https?://[^/\s]+(/\S+)", mail.body)[0])


def open_register(page: Page, policy: str, title: str, **more: str) -> None:
    page.get_by_role("radio", name=policy).check()
    fill(page, Title=title, **more)
    press(page, "Open the register")
    says(page, "The register is open.")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def file_of(page: Page, name: str) -> str:
    """The text of a file that the page links to."""
    address = page.get_by_role("link", name=name, exact=True).get_attribute("href")
    answer = page.request.get(str(address))
    assert answer.status == 200
    return answer.text()


def check_resolves(page: Page, urn: str, to: str) -> None:
    """Check a name from the page of an entry: it conforms, and leads to a page of its own."""
    page.get_by_label("Check a name").fill(urn)
    press(page, "Check")
    expect(page.locator(".verdict-right").first).to_be_visible()
    expect(page.get_by_role("link", name="Page of the tree")).to_have_attribute("href", to)


def open_with_review(holder: Page, reviewer: User) -> None:
    """A registrant opens a register, and names a reviewer."""
    follow(holder, "My page", "example-trees", "Open a register")
    open_register(holder, "Expert review", "Gardens with numbered trees", Name_of_an_entry="garden")
    follow(holder, "Reviewers")
    fill(holder, **{"E-mail address": reviewer.email})
    press(holder, "Name a reviewer")
    expect(holder.get_by_text(reviewer.email)).to_be_visible()


def request(page: Page, **values: str) -> None:
    fill(page, Contact=STRANGER, **values)
    press(page, "Send the request")


def review(asking: Page, reviewing: Page) -> None:
    """A stranger who is not signed in requests an entry; a reviewer comes by a mail, asks for a change, and accepts it."""
    asking.goto("/")
    follow(asking, "Namespaces", "example-trees", "See the register of example-trees", "Request an entry")
    fill(asking, **{"E-mail address": STRANGER, "Password": PASSWORD})
    asking.get_by_role("main").get_by_role("button", name="Sign in", exact=True).click()
    request(asking, Label="kew", Title="Kew")
    says(asking, "Your request was sent.")

    open_mail(reviewing, "request_entry", REVIEWER)
    fill(reviewing, **{"What to change": "Write the full title."})
    press(reviewing, "Ask for these changes")
    says(reviewing, "The requester was asked for changes.")

    open_mail(asking, "ask_for_changes", STRANGER)
    expect(asking.get_by_text("Write the full title.")).to_be_visible()
    follow(asking, "Change the request")
    fill(asking, Title="Kew Gardens")
    press(asking, "Send the changed request")

    follow(reviewing, "My page", "Kew Gardens: urn:example-trees:kew", "Accept the request")
    press(reviewing, "Accept the request")
    says(reviewing, "The entry is registered.")


def use(asking: Page) -> None:
    """The entry is told, resolves, and is in the files of the register."""
    open_mail(asking, "accept_request", STRANGER)
    follow(asking, "urn:example-trees:kew")
    expect(asking.get_by_role("heading", level=1)).to_contain_text("Kew Gardens")
    check_resolves(asking, "urn:example-trees:kew:4711", "https://trees.example/kew%3A4711")
    follow(asking, "Namespaces", "example-trees", "See the register of example-trees")
    assert [row["prefix"] for row in csv.DictReader(StringIO(file_of(asking, "CSV")))] == ["kew"]
    records = ElementTree.fromstring(file_of(asking, "XML"))
    assert [each.text for each in records.findall(".//{*}value")] == ["kew"]


def open_first_come(holder: Page, asking: Page) -> None:
    """A register without staff is opened, and a stranger has an entry in it."""
    follow(holder, "My page", "example-lamps", "Open a register")
    open_register(holder, "First come first served", "Lamps", Name_of_an_entry="lamp")
    follow(asking, "Namespaces", "example-lamps", "See the register of example-lamps", "Request an entry")
    request(asking, Label="gate", Title="Lamp at the gate")
    says(asking, "The entry is registered.")


def delegate(asking: Page, gardening: Page) -> None:
    """The holder of the entry hands it on to another organisation, which opens a register below it."""
    follow(asking, "My page", "Kew Gardens: urn:example-trees:kew", "Offer this entry")
    fill(asking, **{"E-mail address": GARDENER})
    press(asking, "Send the offer")
    open_mail(gardening, "offer_entry", GARDENER)
    gardening.get_by_label("Royal Gardens").check()
    press(gardening, "Accept the entry")
    open_mail(asking, "accept_entry", STRANGER)
    expect(asking.get_by_role("link", name="Royal Gardens")).to_be_visible()
    gardening.set_viewport_size(TELEPHONE)
    open_menu(gardening)
    follow(gardening, "My page", "Kew Gardens: urn:example-trees:kew")
    buttons = [
        gardening.get_by_role("link", name=name) for name in ("Offer this entry", "Open a register below it")
    ]
    assert len({round(box["height"]) for each in buttons if (box := each.bounding_box())}) == 1, "one wraps"
    follow(gardening, "Open a register below it")
    open_register(gardening, "First come first served", "Trees of Kew")


def deprecate(page: Page) -> None:
    """From the page of an entry, its holder changes it at once, and what it said before is shown."""
    follow(page, "Change the entry")
    page.get_by_label("Deprecated").check()
    press(page, "Send the change")
    says(page, "The entry was changed.")
    expect(page.get_by_role("region", name="Former contents")).to_contain_text("active")
    above = page.get_by_role("region", name="Below it").bounding_box()
    box = page.get_by_role("heading", name="Former contents").bounding_box()
    assert above
    assert box
    assert box["y"] - above["y"] - above["height"] >= MIN_GAP


@pytest.mark.exhaustive
def test_registers_are_opened_used_and_handed_on(address: str, chromium: Browser) -> None:
    registrant, reviewer, _, gardener = (
        a_person(email=each) for each in (REGISTRANT, REVIEWER, STRANGER, GARDENER)
    )
    arboretum = an_organisation(by=registrant)
    join(arboretum, reviewer, "contact", by=registrant)
    an_organisation(by=gardener, name="Royal Gardens")
    a_namespace("example-trees", registrant=arboretum)
    a_namespace("example-lamps", registrant=gardener)
    people = (registrant, reviewer, gardener)
    holding, reviewing, gardening = (page_of(person, chromium, address) for person in people)
    for page in (holding, reviewing, gardening):
        page.goto("/")
    asking = chromium.new_context(java_script_enabled=False, base_url=address).new_page()

    open_with_review(holding, reviewer)
    review(asking, reviewing)
    use(asking)

    open_first_come(gardening, asking)

    delegate(asking, gardening)
    to_branch = ("Namespaces", "example-trees", "See the register of example-trees", "kew", "Trees of Kew")
    follow(asking, *to_branch, "Request an entry")
    request(asking, Label="rose", Title="Roses")
    says(asking, "The entry is registered.")
    follow(asking, "urn:example-trees:kew:rose")
    check_resolves(asking, "urn:example-trees:kew:rose:1", "https://trees.example/kew%3Arose%3A1")
    asking.go_back()
    deprecate(asking)
    open_mail(gardening, "register_entry", GARDENER)
    expect(gardening.get_by_role("heading", name="Your register")).to_be_visible()
    follow(holding, *to_branch)
    expect(holding.get_by_role("link", name="Royal Gardens")).to_be_visible()
    expect(holding.get_by_role("heading", name="Your register")).to_have_count(0)
