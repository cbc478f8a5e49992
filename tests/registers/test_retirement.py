"""The pages ask before an entry is retired: at once, by a request, or by a request that is changed."""

import re

import pytest

from registry.accounts.models import User
from registry.registers.actions.registers import resume_register, suspend_register
from registry.registers.models import Entry, EntryRequest, Register
from tests.registers.test_changes import PAGES, READ, asked, change, content_of, kew, reviewed, under
from tests.support.browser import post_form, signed_in

__all__ = ["asked", "kew", "reviewed"]

RETIRED = {"title": "Kew Park", "reference": "", "status": "retired", "successor": ""}


def buttons_of(page: str) -> list[str]:
    """The buttons of the form below the question. Enter in a field presses the first one."""
    return re.findall(r"<button class=.*?>(.*?)</button>", page.partition('id="final"')[2])


@pytest.mark.parametrize("policy", ["first_come", "expert_review"])
def test_the_page_asks_before_an_entry_is_retired(
    kew: Entry, holder: User, requester: User, policy: str
) -> None:
    if policy == "first_come":
        under(policy, holder)
    browser, address = signed_in(requester), f"{PAGES}entries/{kew.pk}/change/"
    sent = RETIRED | READ | {"note": "It closed.", "register_version": Register.objects.get().version}
    page = post_form(browser, address, sent)
    assert page.status_code == 200
    assert "can’t be undone" in page.text
    assert 'value="Kew Park"' in page.text
    assert buttons_of(page.text) == [
        "Send the change",
        "Retire the entry" if policy == "first_come" else "Request to retire the entry",
    ]
    assert page.text.count('name="confirmed"') == 1
    assert content_of("kew")["title"] == "Kew Gardens"
    assert "confirmed" not in post_form(browser, address, sent | {"title": ""}).text
    answer = post_form(browser, address, sent | {"confirmed": "yes"})
    if policy == "first_come":
        assert content_of("kew")["status"] == "retired"
        return
    accepting = signed_in(holder).get(f"{answer['Location']}accept/").text
    assert "Accepting this retires the entry permanently" in accepting


def test_what_would_be_refused_is_refused_before_the_page_asks(
    kew: Entry, requester: User, administrator: User
) -> None:
    browser, address = signed_in(requester), f"{PAGES}entries/{kew.pk}/change/"

    def refusal(**stamps: int) -> str:
        answer = post_form(browser, address, RETIRED | READ | stamps)
        assert 'id="final"' not in answer.text
        return str(answer.text)

    assert "was changed after it was read" in refusal(replaces=0)
    assert "was changed after you read it" in refusal(register_version=0)
    suspend_register(kew.register, by=administrator, reason="Its rules change.")
    assert "is suspended" in refusal()
    resume_register(Register.objects.get(), by=administrator, reason="They changed.")
    assert 'id="final"' in post_form(browser, address, RETIRED | READ).text
    change("kew", by=requester)
    assert "waits for a decision" in refusal()


def test_the_page_asks_before_a_request_is_changed_to_retire_an_entry(
    asked: EntryRequest, requester: User
) -> None:
    browser, address = signed_in(requester), f"{asked.get_absolute_url()}revise-change/"
    sent = RETIRED | READ | {"revision": 1}
    page = post_form(browser, address, sent)
    assert "can’t be undone" in page.text
    assert 'value="Kew Park"' in page.text
    assert buttons_of(page.text) == ["Send the changed request", "Request to retire the entry"]
    assert 'id="final"' not in post_form(browser, address, sent | {"revision": 2}).text
    asked.refresh_from_db()
    assert (asked.status, asked.version) == ("active", 1)
    post_form(browser, address, sent | {"confirmed": "yes"})
    asked.refresh_from_db()
    assert (asked.status, asked.version) == ("retired", 2)
