"""A newcomer comes to a registered namespace: with the keyboard alone, and up to submission on a telephone."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from registry.accounts.models import RoleName, User
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.mail.models import Message
from tests.journeys.test_public_pages import open_menu
from tests.support.factories import PASSWORD, a_person, a_template

pytestmark = pytest.mark.browser

EMAIL = "newcomer@example.org"
NID = "example-trees"
TEMPLATE = a_template()
# What the form asks for, by the labels of its fields, in its order.
TEXTS = {
    "Organization or person": TEMPLATE.registrant.organization,
    "Address of the registrant": TEMPLATE.registrant.address,
    "Contact person": TEMPLATE.registrant.contact_person,
    "E-mail": EMAIL,
    "Purpose": TEMPLATE.purpose,
    "Syntax": TEMPLATE.syntax,
    "Assignment": TEMPLATE.assignment,
    "Security and Privacy": TEMPLATE.security_and_privacy,
    "Interoperability": TEMPLATE.interoperability,
    "Resolution": TEMPLATE.resolution,
    "Documentation": TEMPLATE.documentation,
}
# The furthest that anything stands behind the first stop of its page.
MOST_STOPS = 90

FOCUS = """looked_for => {
    const here = document.activeElement, isThere = here === looked_for[0], box = here.getBoundingClientRect();
    const drawn = element => {
        const style = getComputedStyle(element);
        const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
            && !/, 0\\)$|transparent/.test(style.outlineColor);
        return outlined || style.boxShadow !== "none";
    };
    // A field with words around it is outlined together with them.
    const around = here.closest(".urn-field");
    // Behind the last link the browser's own window has its turn; nowhere else may the focus be on nothing.
    const stops = [...document.querySelectorAll("a[href], button, input, textarea, [tabindex='0']")];
    const isBehindAll = here === document.body && window.lastStop === stops.at(-1);
    if (isBehindAll) return {isThere, seen: true, what: "behind it all"};
    window.lastStop = here;
    const seen = box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight;
    return {isThere, seen: seen && (drawn(here) || Boolean(around && drawn(around))), what: here.outerHTML.slice(0, 150)};
}"""


@pytest.fixture
def staff(address: str) -> User:
    return a_person(email="expert@example.org", roles=(RoleName.EXPERT,))


def field(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True).and_(page.locator("input, textarea"))


class Hand:
    """Presses, writes, and opens the links of mails."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, role: Any, name: str) -> None:
        raise NotImplementedError

    def write(self, label: str, text: str) -> None:
        raise NotImplementedError

    def open_link(self, mail: Message, address: str) -> None:
        """Open the link of a mail whose address matches a pattern."""
        self.page.goto(re.search(address, mail.body)[0])  # type: ignore[index]


class Keyboard(Hand):
    """Goes from one thing to the next by the keyboard, and looks at each stop whether one sees where one is."""

    def come_to(self, there: Locator) -> None:
        for _ in range(MOST_STOPS):
            self.page.keyboard.press("Tab")
            stop = there.evaluate_all(FOCUS)
            assert stop["seen"], f"one does not see the focus on {stop['what']} of {self.page.url}"
            if stop["isThere"]:
                return
        pytest.fail(f"the keyboard does not come to {there} on {self.page.url}")

    def press(self, role: Any, name: str) -> None:
        self.come_to(self.page.get_by_role(role, name=name, exact=True))
        before = self.page.url
        self.page.keyboard.press("Enter")
        if role == "link":
            self.page.wait_for_url(lambda url: url != before)
        self.page.wait_for_load_state()

    def write(self, label: str, text: str) -> None:
        self.come_to(field(self.page, label))
        self.page.keyboard.insert_text(text)


class Finger(Hand):
    """Touches things."""

    def press(self, role: Any, name: str) -> None:
        self.page.get_by_role(role, name=name, exact=True).first.tap()
        self.page.wait_for_load_state()

    def write(self, label: str, text: str) -> None:
        there = field(self.page, label)
        section = self.page.locator(".section-fold:not([open])", has=there)
        if section.count():
            section.locator("> summary").tap()
        there.tap()
        expect(there).to_be_focused()
        self.page.keyboard.insert_text(text)


def sign_up(hand: Hand) -> None:
    """From the sign-in page, through the mail, to the form that was requested first."""
    page = hand.page
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in")
    hand.press("link", "Sign up")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign up")
    hand.write("E-mail address", EMAIL)
    hand.write("Password", PASSWORD)
    hand.write("Password (again)", PASSWORD)
    hand.press("button", "Sign up")
    expect(page.get_by_role("heading", level=1)).to_have_text("Confirm your address")
    hand.open_link(Message.objects.get(to=EMAIL), r"/accounts/confirm-email/\S+")
    hand.press("button", "Confirm")
    expect(page.get_by_role("main")).to_contain_text("You are signed in")


def ask_for_a_namespace(hand: Hand) -> Case:
    """From the guide to the submission."""
    page, title = hand.page, hand.page.get_by_role("heading", level=1)
    page.goto("/")
    open_menu(page)
    hand.press("link", "Guide")
    expect(title).to_have_text("Do I need a namespace?")
    open_menu(page)
    hand.press("link", "Check a NID")
    hand.write("Namespace identifier (NID)", NID)
    return request_the_free_identifier(hand)


def request_the_free_identifier(hand: Hand) -> Case:
    """From the report on the identifier to the submission."""
    page, title = hand.page, hand.page.get_by_role("heading", level=1)
    expect(page.locator("#verdict")).to_have_text("This identifier is free")
    hand.press("link", "Request this identifier")
    sign_up(hand)
    expect(title).to_have_text("Request a namespace")
    expect(page.locator("#chosen-nid")).to_have_text(NID)
    hand.press("button", "Start the draft")
    expect(field(page, "Namespace Identifier")).to_have_value(NID)
    expect(field(page, "Date")).to_have_value(re.compile("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"))
    for label, text in TEXTS.items():
        hand.write(label, text)
    expect(page.locator("#saved")).to_contain_text("Saved at")
    expect(page.locator("#stamp input")).not_to_have_value("0")
    hand.press("button", "Review and submit")
    expect(title).to_have_text("Review and confirm")
    expect(page.locator("#personal-data")).to_contain_text(EMAIL)
    expect(page.get_by_role("region", name="What happens next")).to_contain_text(
        "designated experts answer by"
    )
    assert not Case.objects.get().is_public
    hand.press("button", "Submit for review")
    expect(page.get_by_role("main")).to_contain_text("Submitted.")
    expect(page.locator("#now")).to_contain_text("Nothing to do: expect an answer by")
    return Case.objects.get()


@pytest.mark.exhaustive
def test_a_newcomer_comes_to_a_namespace_with_the_keyboard_alone(
    address: str, chromium: Browser, staff: User
) -> None:
    page = chromium.new_page(base_url=address)
    hand = Keyboard(page)
    case = ask_for_a_namespace(hand)
    assert case.draft_template.purpose == TEMPLATE.purpose
    functions.approve(case, by=staff, round_number=1, rationale="Sound, and useful to gardens.")
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    functions.assign(case, by=administrator)
    hand.press("link", "My page")
    expect(page.get_by_role("main")).to_contain_text(NID)
    expect(page.get_by_role("main")).to_contain_text("registered")
    page.goto(case.get_absolute_url())
    expect(page.get_by_role("main")).to_contain_text("registered")
    hand.press("link", "Namespaces")
    hand.press("link", NID)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"urn:{NID}:")
    expect(page.get_by_role("main")).to_contain_text("Example Arboretum")


@pytest.mark.exhaustive
def test_a_new_registrant_requests_a_namespace_on_a_phone(address: str, chromium: Browser) -> None:
    context = chromium.new_context(
        base_url=address, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True
    )
    case = ask_for_a_namespace(Finger(context.new_page()))
    assert case.get_state_display() == "in review"
    assert case.draft_template.syntax == TEMPLATE.syntax
