"""The clicks that a newcomer and an expert need beside typing."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from registry.accounts.models import RoleName, User
from registry.cases.models import State
from registry.cases.workflow import functions
from registry.mail.models import Message
from tests.journeys.test_new_registrant import NID, Hand, field, request_the_free_identifier
from tests.support.factories import PASSWORD, a_case_in_review, a_person

pytestmark = pytest.mark.browser

MOST_OF_A_NEWCOMER = 9
MOST_OF_AN_EXPERT = 4


class Mouse(Hand):
    """Clicks, and counts the clicks. The link of a mail is clicked, too; fields are reached by the Tab key."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.clicks: list[str] = []

    def press(self, role: Any, name: str) -> None:
        self.clicks.append(name)
        self.page.get_by_role("main").get_by_role(role, name=name, exact=True).first.click()
        self.page.wait_for_load_state()

    def write(self, label: str, text: str) -> None:
        field(self.page, label).focus()
        self.page.keyboard.insert_text(text)

    def open_link(self, mail: Message, address: str) -> None:
        self.clicks.append(mail.name)
        super().open_link(mail, address)


@pytest.fixture
def expert(address: str) -> User:
    return a_person(email="expert@example.org", roles=(RoleName.EXPERT,))


def test_a_newcomer_comes_to_a_registered_namespace_with_few_clicks(
    address: str, chromium: Browser, expert: User
) -> None:
    hand = Mouse(chromium.new_page(base_url=address))
    hand.page.goto("/")
    hand.write("NID", NID)
    hand.press("button", "Check the NID")
    case = request_the_free_identifier(hand)
    functions.approve(case, by=expert, round_number=1, rationale="Sound, and useful to gardens.")
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    assert functions.assign(case, by=administrator).state == State.REGISTERED
    assert len(hand.clicks) <= MOST_OF_A_NEWCOMER, hand.clicks


@pytest.mark.exhaustive
def test_an_expert_answers_a_mail_with_few_clicks(address: str, chromium: Browser, expert: User) -> None:
    case = a_case_in_review(by=a_person(email="registrant@example.org"))
    hand = Mouse(chromium.new_page(base_url=address))
    hand.open_link(Message.objects.get(name="submit", to=expert.email), rf"/desk/cases/{case.pk}/")
    hand.write("E-mail address", expert.email)
    hand.write("Password", PASSWORD)
    hand.press("button", "Sign in")
    expect(hand.page.get_by_role("heading", level=1)).to_contain_text(f"Review case {case.pk}")
    hand.press("link", "Approve")
    hand.write("Rationale", "Trees need names, and these last.")
    hand.press("button", "Approve")
    expect(hand.page.get_by_role("status").first).to_contain_text("Approved")
    case.refresh_from_db()
    assert case.state == State.APPROVED
    assert len(hand.clicks) <= MOST_OF_AN_EXPERT, hand.clicks
