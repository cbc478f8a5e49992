"""Pages of registers and of requests for entries, and what they say."""

import re
from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import RoleName, User
from registry.namespaces.models import Namespace
from registry.registers import views
from registry.registers.actions.registers import (
    change_register,
    register_entry,
    resume_register,
    suspend_register,
)
from registry.registers.actions.requests import (
    ask_for_changes,
    comment_on_request,
    refuse_request,
    revise_request,
    withdraw_request,
)
from registry.registers.models import EntryRequest, Register
from registry.registers.policies import Policy
from registry.subnamespaces.models import SubNamespace
from tests.organisations.conftest import an_organisation, join
from tests.registers.conftest import ASKED, OPENED, a_described_namespace, a_register, a_request
from tests.support.browser import post_form, signed_in
from tests.support.factories import a_person, describe
from urnsyntax.profiles import Profile

PAGE = "/namespaces/example-trees/register/"


@pytest.fixture
def entry_request(namespace: Namespace, holder: User, requester: User) -> EntryRequest:
    register = a_register(namespace, by=holder, policy="expert_review")
    return a_request(register, by=requester, note="We are old.")


def test_a_register_is_opened_from_the_page_of_the_namespace(
    namespace: Namespace, holder: User, requester: User, client: Client
) -> None:
    link = f'href="{PAGE}open/"'
    browser = signed_in(holder)
    assert link in browser.get(namespace.get_absolute_url()).text
    assert link not in signed_in(requester).get(namespace.get_absolute_url()).text
    assert client.get(PAGE).status_code == 404
    page = browser.get(f"{PAGE}open/")
    assert "RFC 8126, Section 4.4" in page.text
    answer = post_form(browser, f"{PAGE}open/", OPENED)
    assert answer["Location"] == PAGE
    seen = client.get(PAGE)
    assert "One label for each garden." in seen.text
    assert "first come first served" in seen.text
    assert link not in browser.get(namespace.get_absolute_url()).text
    assert OPENED["title"] in client.get(namespace.get_absolute_url()).text


def test_an_entry_is_requested_and_registered_at_once(register: Register, requester: User) -> None:
    browser = signed_in(requester)
    assert f'href="{PAGE}request/"' in browser.get(PAGE).text
    page = browser.get(f"{PAGE}request/").text
    assert "is public, and stays" in page
    assert "administrators of the registry" in page
    answer = post_form(browser, f"{PAGE}request/", ASKED)
    page = browser.get(answer["Location"])
    assert "The entry is registered." in page.text
    assert SubNamespace.objects.get().prefix == "kew"
    (entry,) = re.findall(r'href="([^"]+)">urn:example-trees:kew', page.text)
    assert '<th scope="col">Label</th>' in browser.get(PAGE).text
    listed = browser.get(entry)
    assert "Kew Gardens" in listed.text
    assert "Register of urn:example-trees, as of" in listed.text
    assert f'as an entry of <a href="{PAGE}">the register</a>' in listed.text
    assert f'href="{PAGE}">{register.title}' in browser.get("/namespaces/example-trees/subnamespaces/").text


def test_those_who_decide_find_requests_that_were_decided(
    entry_request: EntryRequest, holder: User, requester: User, other: User
) -> None:
    browser, decided = signed_in(holder), f"{PAGE}?requests=decided"
    link = f'<a href="{entry_request.get_absolute_url()}">'
    page = browser.get(PAGE).text
    assert link in page
    assert "requests=decided" not in page
    assert "No request was decided." in browser.get(decided).text
    refuse_request(entry_request, by=holder, revision=1, reason="There is no garden.")
    assert "No request waits for a decision." in browser.get(PAGE).text
    assert link in browser.get(decided).text
    assert "requests=decided" in browser.get(PAGE).text
    for person in (requester, other):
        assert "Decided requests" not in signed_in(person).get(decided).text


def test_an_address_in_a_specification_is_a_link_on_both_pages(register: Register, requester: User) -> None:
    request = a_request(register, by=requester, reference="Map, https://map.example.org/trees")
    browser = signed_in(requester)
    for page in (request.get_absolute_url(), "/namespaces/example-trees/subnamespaces/?prefix=kew"):
        assert 'href="https://map.example.org/trees"' in browser.get(page).text


@pytest.mark.parametrize(("policy", "is_needed"), [("expert_review", False), ("specification", True)])
def test_a_specification_is_optional_unless_the_policy_needs_one(
    namespace: Namespace, holder: User, requester: User, policy: str, is_needed: bool
) -> None:
    a_register(namespace, by=holder, policy=policy)
    browser = signed_in(requester)
    page = browser.get(f"{PAGE}request/").text
    assert ('Specification <span class="muted">(optional)' in page) is not is_needed
    assert ("must be permanent and readily available" in page) is is_needed
    refused = post_form(browser, f"{PAGE}request/", ASKED | {"label": "", "title": ""}).text
    assert ('href="#id_reference"' in refused) is is_needed


def test_the_name_of_an_entry_is_asked_for_unless_the_profile_says_it(
    namespace: Namespace, holder: User
) -> None:
    browser = signed_in(holder)
    address = f"{PAGE}open/"
    assert 'Name of an entry <span class="muted">(optional)' not in browser.get(address).text
    refused = post_form(browser, address, OPENED | {"entry_name": "", "title": ""})
    assert 'href="#id_entry_name"' in refused.text
    assert namespace.current_profile is not None
    profile = namespace.current_profile.to_dict() | {"levels": [{"name": "garden", "coverage": "free"}]}
    describe(namespace, Profile.from_dict(profile))
    assert 'value="garden"' in browser.get(address).text
    assert post_form(browser, address, OPENED | {"entry_name": "tree"})["Location"] == PAGE
    assert Register.objects.get().entry_name == "garden"


def test_a_refused_label_is_explained_at_its_field(register: Register, requester: User, other: User) -> None:
    a_request(register, by=other)
    page = post_form(signed_in(requester), f"{PAGE}request/", ASKED | {"label": "KEW"})
    assert page.status_code == 422
    assert "“KEW” could be mistaken for “kew”" in page.text
    assert 'value="KEW"' in page.text


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("elm", "Nothing that is listed stands against"),
        (" elm ", ">urn:example-trees:elm</span>"),
        ("birch", "Nothing that is listed stands against"),  # what is requested is not public
        ("kew", "“kew” is listed already"),
        ("KEW", "“KEW” could be mistaken for “kew”, which is listed"),
        ("lima", "“lima” could be mistaken for “1ima”, which is listed"),
        ("urn:example-trees:elm", "Write only “elm”."),
        ("elm tree", "contains a space. Remove it."),
        ("elm" * 100, "at most 255 characters"),
    ],
)
def test_a_label_is_checked_while_it_is_typed(
    namespace: Namespace, holder: User, requester: User, other: User, label: str, said: str
) -> None:
    register = a_register(namespace, by=holder, policy="expert_review")
    for listed in ("kew", "1ima"):
        register_entry(register, by=holder, label=listed, title=listed)
    waiting = a_request(register, by=other, label="birch")
    for browser, page in (
        (signed_in(requester), f"{PAGE}request/"),
        (signed_in(holder), f"{PAGE}entries/"),
        (signed_in(other), f"{waiting.get_absolute_url()}revise/"),
    ):
        text = browser.get(page).text
        assert f'data-hx-get="{PAGE}check/" ' in text
        assert 'data-hx-target="#id_label_check"' in text
        assert 'id="id_label_check" aria-live="polite"' in text
        answer = browser.get(f"{PAGE}check/", {"label": label}, headers={"HX-Request": "true"})
        assert said in answer.text
        assert "<html" not in answer.text


def test_a_form_has_a_note_if_someone_reviews(register: Register, holder: User, requester: User) -> None:
    browser, note = signed_in(requester), 'name="note"'
    assert note not in browser.get(f"{PAGE}request/").text
    # It was opened before the policy was changed.
    stale = ASKED | {"register_version": 0, "note": "We are old."}
    assert "We are old." in browser.post(f"{PAGE}request/", stale).text
    change_register(register, by=holder, policy="expert_review", title=register.title, replaces=1)
    assert note in browser.get(f"{PAGE}request/").text


def test_no_label_is_checked_for_visitors_or_without_scripts(register: Register, requester: User) -> None:
    address, of_htmx = f"{PAGE}check/", {"HX-Request": "true"}
    assert "login" in Client().get(address, {"label": "kew"}, headers=of_htmx)["Location"]
    browser = signed_in(requester)
    assert browser.get(address, {"label": "kew"})["Location"] == PAGE
    assert browser.get(address, {"label": " "}, headers=of_htmx).text.strip() == ""
    assert browser.get("/namespaces/example-oaks/register/check/", headers=of_htmx).status_code == 404


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("kew gardens", "contains a space. Remove it."),
        ("kew%0A", "has U+000A (a control character)"),
        ("süd", "“süd” is not a prefix of names (RFC 8141, Section 2). Write letters from A to Z"),
    ],
)
def test_a_refusal_of_characters_says_which_and_what_to_write(
    register: Register, requester: User, label: str, text: str
) -> None:
    assert text in post_form(signed_in(requester), f"{PAGE}request/", ASKED | {"label": label}).text


@pytest.mark.parametrize(
    ("policy", "sending", "other"),
    [
        ("first_come", Policy.FIRST_COME, Policy.EXPERT_REVIEW),
        ("specification", Policy.EXPERT_REVIEW, Policy.FIRST_COME),
    ],
)
def test_a_requester_reads_what_becomes_of_the_request(
    namespace: Namespace, holder: User, requester: User, policy: str, sending: Policy, other: Policy
) -> None:
    register = a_register(namespace, by=holder, policy="expert_review")
    request = a_request(register, by=requester)
    ask_for_changes(request, by=holder, text="Name the garden.", revision=1)
    comment_on_request(request, by=requester, text="I do.")
    change_register(register, by=holder, policy=policy, title=register.title, replaces=1)
    browser = signed_in(requester)
    for address in (f"{PAGE}request/", f"{request.get_absolute_url()}revise/"):
        page = browser.get(address).text
        assert sending.sending in page
        assert other.sending not in page
    assert "Name the garden." in page


def test_a_form_that_was_opened_before_shows_what_was_asked_for(
    entry_request: EntryRequest, holder: User, requester: User
) -> None:
    ask_for_changes(entry_request, by=holder, text="Name the town.", revision=1)
    address = f"{entry_request.get_absolute_url()}revise/"
    page = post_form(signed_in(requester), address, ASKED | {"title": "Typed before", "revision": 1})
    assert page.status_code == 409
    for text in ("Name the town.", 'value="Typed before"', 'name="revision" value="2"'):
        assert text in page.text
    entry_request.refresh_from_db()
    assert entry_request.title == ASKED["title"]


def test_a_form_that_was_opened_before_shows_the_change_in_between(
    entry_request: EntryRequest, holder: User, requester: User
) -> None:
    address = f"{entry_request.get_absolute_url()}revise/"
    browser, now = signed_in(requester), "The request as it is now"
    assert now not in browser.get(address).text
    revise_request(entry_request, by=requester, **ASKED | {"title": "Sent by a program", "revision": 1})
    page = post_form(browser, address, ASKED | {"title": "Typed before", "revision": 1}).text
    for text in (now, "Sent by a program", 'value="Typed before"'):
        assert text in page


@pytest.mark.parametrize("decision", ["accept", "refuse"])
def test_who_decides_sees_what_others_asked_for_in_between(
    entry_request: EntryRequest, holder: User, decision: str
) -> None:
    address = f"{entry_request.get_absolute_url()}{decision}/"
    ask_for_changes(entry_request, by=holder, text="Name the town.", revision=1)
    comment_on_request(entry_request, by=entry_request.requested_by, text="It is in London.")
    page = post_form(signed_in(holder), address, {"reason": "No.", "revision": 1})
    assert page.status_code == 409
    for text in ("waiting for changes", "It is in London.", 'name="revision" value="2"'):
        assert text in page.text
    assert "Name the town." not in page.text  # their own words


def test_a_form_of_a_register_that_was_opened_before_shows_the_change_in_between(
    register: Register, holder: User
) -> None:
    browser = signed_in(holder)
    assert "as it is now" not in browser.get(f"{PAGE}change/").text
    between = {"policy": "closed", "title": "Former gardens", "guidance": "None is added."}
    change_register(register, by=holder, replaces=1, **between)
    sent = {"policy": "private", "title": "Gardens", "guidance": "Mine.", "replaces": 1}
    page = post_form(browser, f"{PAGE}change/", sent)
    assert page.status_code == 409
    for text in ("“Former gardens”, closed, version 2", "None is added.", "Mine."):
        assert text in page.text


def test_a_request_says_what_it_lacks(namespace: Namespace, holder: User, requester: User) -> None:
    register = a_register(namespace, by=holder, policy="specification")
    complete = a_request(register, by=requester, reference="RFC 8126")
    lacks = "after the requester added it"
    browser = signed_in(requester)
    assert lacks not in browser.get(complete.get_absolute_url()).text
    change_register(register, by=holder, policy="expert_review", title=register.title, replaces=1)
    without = a_request(register, by=requester, label="ash")
    change_register(register, by=holder, policy="specification", title=register.title, replaces=2)
    assert lacks in browser.get(without.get_absolute_url()).text


def test_the_holder_reads_what_to_do_with_a_request_of_their_own(register: Register, holder: User) -> None:
    change_register(register, by=holder, policy="expert_review", title=register.title, replaces=1)
    own = a_request(register, by=holder)
    assert (
        "withdraw it, and register the entry yourself" in signed_in(holder).get(own.get_absolute_url()).text
    )


def test_earlier_versions_of_a_register_are_shown(
    entry_request: EntryRequest, holder: User, requester: User, client: Client
) -> None:
    address = f"{PAGE}versions/"
    assert f'href="{address}"' not in client.get(PAGE).text
    assert "The register is as it was opened." in client.get(address).text
    in_browser = signed_in(requester)
    assert "no versions on this page" in client.get(f"{address}?after=1").text
    link = f'href="{address}?after=2#version-1"'
    assert link not in in_browser.get(entry_request.get_absolute_url()).text
    change_register(entry_request.register, by=holder, policy="closed", title="Former gardens", replaces=1)
    assert f'href="{address}"' in client.get(PAGE).text
    page = client.get(address).text
    for text in ('id="version-1"', OPENED["title"], OPENED["guidance"], "Policy: expert review."):
        assert text in page
    assert link in in_browser.get(entry_request.get_absolute_url()).text


def test_changes_without_words_are_refused_by_their_name(entry_request: EntryRequest, holder: User) -> None:
    page = entry_request.get_absolute_url()
    sent = {"decision": "ask", "text": "", "revision": 1}
    assert "Enter what to change." in post_form(signed_in(holder), page, sent).text


def test_the_page_of_a_request_is_for_those_concerned(
    entry_request: EntryRequest, holder: User, requester: User, other: User, client: Client
) -> None:
    address = entry_request.get_absolute_url()
    assert "We are old." in signed_in(requester).get(address).text
    for_holder = signed_in(holder).get(address)
    assert f'href="{address}accept/"' in for_holder.text
    assert 'value="withdraw"' not in for_holder.text
    assert signed_in(other).get(address).status_code == 404
    assert client.get(address).status_code == 302
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    for_administrator = signed_in(administrator).get(address)
    assert "We are old." in for_administrator.text
    assert 'name="decision"' not in for_administrator.text
    assert f'href="{address}accept/"' not in for_administrator.text


def test_a_decision_is_made_on_the_page(entry_request: EntryRequest, holder: User) -> None:
    browser = signed_in(holder)
    address = f"{entry_request.get_absolute_url()}accept/"
    assert entry_request.contact in browser.get(address).text
    answer = post_form(browser, address, {"revision": 1})
    assert answer.status_code == 302
    assert "accepted" in browser.get(entry_request.get_absolute_url()).text
    assert SubNamespace.objects.get().prefix == "kew"


def test_my_page_lists_requests_with_whose_turn_it_is(
    entry_request: EntryRequest, holder: User, requester: User, other: User
) -> None:
    link = f'href="{entry_request.get_absolute_url()}"'
    for person, text in (
        (holder, "read the request, and accept it, refuse it or ask for changes"),
        (requester, "Nothing to do: waiting for a decision."),
    ):
        page = signed_in(person).get("/mine/").text
        assert link in page
        assert text in page
    assert link not in signed_in(other).get("/mine/").text
    assert "Your turn:" in signed_in(holder).get("/mine/").text
    ask_for_changes(entry_request, by=holder, text="Where?", revision=1)
    assert "Nothing to do: waiting for changes." in signed_in(holder).get("/mine/").text
    assert "change the request, or withdraw it" in signed_in(requester).get("/mine/").text


@pytest.mark.parametrize(
    ("policy", "of_holder", "of_requester"),
    [
        ("expert_review", "", "change the request, or withdraw it"),
        ("specification", "", "add a specification, which the policy needs"),
        ("first_come", "", "send the request again, and it is registered at once"),
        ("hierarchical", "read the request, and accept it or refuse it", ""),
        ("closed", "read the request, and refuse it", ""),
    ],
)
def test_someone_can_act_on_a_request_whose_changes_were_asked_for(
    entry_request: EntryRequest, holder: User, requester: User, policy: str, of_holder: str, of_requester: str
) -> None:
    ask_for_changes(entry_request, by=holder, text="Where?", revision=1)
    if policy != entry_request.register.policy:
        change_register(entry_request.register, by=holder, policy=policy, title="Gardens", replaces=1)
    for person, turn in ((holder, of_holder), (requester, of_requester)):
        page = signed_in(person).get("/mine/").text
        assert (f"<strong>Your turn:</strong> {turn}." in page) == bool(turn)
        assert ("Nothing to do: waiting for changes" in page) == (not turn)


@pytest.mark.exhaustive
def test_my_page_says_whose_turn_it_is_by_what_they_can_do(
    entry_request: EntryRequest, holder: User, requester: User
) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    register = suspend_register(entry_request.register, by=administrator, reason="Order 17.")
    for person in (holder, requester):
        page = signed_in(person).get("/mine/").text
        assert "the register is suspended" in page
        assert "Your turn:" not in page
    register = resume_register(register, by=administrator, reason="It was lifted.")
    register = change_register(register, by=holder, policy="closed", title=register.title, replaces=1)
    assert (
        "<strong>Your turn:</strong> read the request, and refuse it" in signed_in(holder).get("/mine/").text
    )
    change_register(register, by=holder, policy="first_come", title=register.title, replaces=2)
    assert "it is registered at once" in signed_in(requester).get("/mine/").text


def test_a_change_of_policy_says_what_becomes_of_requests(entry_request: EntryRequest, holder: User) -> None:
    browser = signed_in(holder)
    page = browser.get(f"{PAGE}change/").text
    for policy in Policy:
        assert policy.waiting in page
    waiting = Policy.EXPERT_REVIEW.waiting
    assert waiting in browser.get(entry_request.get_absolute_url()).text
    withdraw_request(entry_request, by=entry_request.requested_by)
    assert waiting not in browser.get(f"{PAGE}change/").text
    assert waiting not in browser.get(entry_request.get_absolute_url()).text


def test_long_lists_have_pages(
    entry_request: EntryRequest, holder: User, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(views, "PAGE", 2)
    for text in ("One.", "Two.", "Three."):
        comment_on_request(entry_request, by=holder, text=text)
    for label in ("ash", "elm", "fir"):
        a_request(entry_request.register, by=entry_request.requested_by, label=label)
    browser = signed_in(holder)
    first = browser.get(entry_request.get_absolute_url()).text
    assert ("Three." in first, "One." in first) == (True, False)
    assert "One." in browser.get(entry_request.get_absolute_url() + next_page(first)).text
    first = browser.get(PAGE).text
    assert ("urn:example-trees:ash" in first, "urn:example-trees:fir" in first) == (True, False)
    assert "urn:example-trees:fir" in browser.get(PAGE + next_page(first)).text


def next_page(page: str) -> str:
    (found,) = re.findall(r'href="(\?after=[^"]+)">Next page', page)
    return str(found)


def test_a_suspended_register_says_why(entry_request: EntryRequest, client: Client) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    suspend_register(entry_request.register, by=administrator, reason="Order 17 of a court.")
    for address in (PAGE, "/namespaces/example-trees/"):
        assert "Order 17 of a court." in client.get(address).text
    assert f'href="{PAGE}request/"' not in client.get(PAGE).text
    assert f'href="{PAGE}resume/"' in signed_in(administrator).get(PAGE).text


def test_naming_a_reviewer_leads_to_the_list_of_them(holder: User, other: User) -> None:
    arboretum = an_organisation(by=holder)
    join(arboretum, other, "editor", by=holder)
    a_register(a_described_namespace(registrant=arboretum), by=holder)
    browser = signed_in(holder)
    page = f"{PAGE}reviewers/"
    assert 'value="remove"' not in browser.get(page).text
    answer = post_form(browser, page, {"decision": "name", "email": other.email})
    assert answer["Location"] == page
    shown = browser.get(page).text
    assert other.email in shown
    assert 'value="remove"' in shown


def test_a_register_shows_its_holder_and_its_newest_entries(
    register: Register, requester: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "NEWEST", 2)
    assert "Nothing is registered yet." in client.get(PAGE).text
    assert "Nothing is listed yet" in client.get("/namespaces/example-trees/subnamespaces/").text
    for label in ("ash", "elm", "fir"):
        a_request(register, by=requester, label=label)
    page = client.get(PAGE).text
    assert "The holder of the register is the registrant of" in page
    assert [label in page for label in ("?prefix=ash", "?prefix=elm", "?prefix=fir")] == [False, True, True]
    assert "The newest entries." in page
    assert "3 sub-namespaces are listed." in page
    monkeypatch.setattr(views, "NEWEST", 3)
    assert "The newest entries." not in signed_in(requester).get(PAGE).text


@pytest.mark.parametrize("policy", [Policy.PRIVATE, Policy.CLOSED])
def test_a_register_without_requests_offers_nothing_about_them(
    namespace: Namespace, holder: User, policy: Policy
) -> None:
    a_register(namespace, by=holder, policy=policy)
    page = signed_in(holder).get(PAGE).text
    assert "Nothing is registered." in page
    assert "Undecided requests" not in page
    assert f'href="{PAGE}reviewers/"' not in page


def test_the_holder_registers_entries_and_requests_none(
    register: Register, holder: User, requester: User
) -> None:
    page = signed_in(holder).get(PAGE).text
    assert f'href="{PAGE}entries/"' in page
    assert f'href="{PAGE}request/"' not in page
    assert f'href="{PAGE}request/"' in signed_in(requester).get(PAGE).text
