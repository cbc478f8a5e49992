"""The page on which rules are set and tried, and the pages that show them."""

import html

import pytest
from django.test import Client
from registry.namespaces.services.rules import set_rules

from registry.accounts.models import User
from registry.namespaces.models import Kind, Namespace, Origin, RulesVersion
from registry.namespaces.services import registration
from tests.support.browser import fill_in, signed_in
from tests.support.factories import a_template

TREES = "/namespaces/example-trees/"
PAGE = f"{TREES}set-rules/"
PATTERN, BASIS = "[0-9]+:[0-9]+", "Syntax: “a garden's number, a colon, and the tree's number”."
SENT = {
    "nss_pattern": PATTERN,
    "ignored_characters": "-",
    "basis": BASIS,
    "examples": "12:4711",
    "replaces": "0",
}


@pytest.fixture
def trees(registrant: User) -> Namespace:
    return registration.register_formal(a_template(), registrant=registrant).namespace


def shown(client: Client, sent: dict[str, str], status: int) -> str:
    answer = client.post(PAGE, sent)
    assert answer.status_code == status
    return html.unescape(answer.text)


def test_administrators_alone_have_the_button_and_the_page(
    client: Client, trees: Namespace, administrator: User, registrant: User, expert: User
) -> None:
    assert f'href="{PAGE}"' in signed_in(administrator).get(TREES).text
    for other in (client, signed_in(registrant), signed_in(expert)):
        assert PAGE not in other.get(TREES).text
    for person in (registrant, expert):
        assert signed_in(person).get(PAGE).status_code == 404
        for sent in (SENT, SENT | {"try": "1"}, {}):
            assert signed_in(person).post(PAGE, sent).status_code == 404
    assert not RulesVersion.objects.exists()


def test_they_are_set_and_everyone_reads_them(client: Client, trees: Namespace, administrator: User) -> None:
    assert "Naming rules" not in client.get(TREES).text
    answer = fill_in(
        signed_in(administrator),
        PAGE,
        nss_pattern=f" {PATTERN}\n",
        ignores_case="on",
        ignored_characters="-",
        basis=BASIS,
    )
    assert answer.redirect_chain == [(TREES, 302)]
    page = html.unescape(client.get(TREES).text)
    for words in (
        "The namespace specific string of each name matches",
        PATTERN,
        "Ignored when names are compared: letter case and hyphens.",
        BASIS,
        "Naming rules set, version 1",
    ):
        assert words in page
    again = html.unescape(signed_in(administrator).get(PAGE).text)
    assert again.count(PATTERN) == 2, "now, and in the form to be changed"


def test_the_page_begins_with_the_examples_of_the_registration(trees: Namespace, administrator: User) -> None:
    page = signed_in(administrator).get(PAGE).text
    assert "Examples from the registration" in page
    assert "urn:example-trees:12:4711" in page


def test_testing_names_shows_each_result_and_sets_nothing(trees: Namespace, administrator: User) -> None:
    names = "urn:example-trees:12:4711\n\n12:471-1\ntwelve\nurn:isbn:12:1\nurn:example-trees:\n12 4"
    page = shown(
        signed_in(administrator),
        SENT | {"try": "1", "basis": "", "examples": names, "nss_pattern": "[0-9:-]+"},
        200,
    )
    for words in (
        "Follows the rules. Equivalent to line 1.",
        "Does not follow the rules: “twelve” does not match the pattern [0-9:-]+",
        "Does not follow the rules: This name belongs to another namespace, isbn.",
        "Does not follow the rules: Not a valid URN: at position 18, ",
        "Does not follow the rules: Not a valid URN: at position 20, ",
    ):
        assert words in page, words
    assert page.count("Follows the rules.") == 2
    assert not RulesVersion.objects.exists()


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"nss_pattern": "(?=a)"}, "RE2 rejects the pattern at character 1: invalid perl operator"),
        ({"nss_pattern": "(a{1000}){1000}"}, "at character 10"),
        ({"nss_pattern": "a\nb"}, "Character 2 of the pattern is U+000"),
        ({"nss_pattern": "é"}, "Character 1 of the pattern is U+00E9"),
        ({"nss_pattern": "x" * 2_001}, "at most 2000 characters"),
        ({"nss_pattern": "a\x00"}, "Null characters are not allowed."),
        ({"ignored_characters": "-x"}, "Character 2 is “x”. Only these can be ignored"),
        ({"ignored_characters": "٣"}, "Character 1 is U+0663"),
        ({"basis": " "}, "This field is required."),
        ({"examples": "12:4711\n" * 51}, "Test at most 50 names at once."),
        ({"replaces": "x"}, "Enter a whole number."),
        ({"replaces": "1"}, "“example-trees” now has no rules."),
    ],
    ids=lambda value: ascii(value)[:40],
)
@pytest.mark.parametrize("button", [{}, {"try": "1"}], ids=["set", "try"])
def test_an_invalid_form_shows_errors_and_keeps_input(
    trees: Namespace, administrator: User, typed: dict[str, str], complaint: str, button: dict[str, str]
) -> None:
    is_asked_when_set = typed in ({"basis": " "}, {"replaces": "1"})
    status = (
        200
        if button and is_asked_when_set
        else 409
        if "replaces" in typed and typed["replaces"] == "1"
        else 422
    )
    page = shown(signed_in(administrator), SENT | typed | button, status)
    assert (complaint in page) == (status != 200)
    for name in {"nss_pattern", "ignored_characters", "basis", "examples"} - set(typed):
        assert SENT[name] in page
    assert not RulesVersion.objects.exists()


def test_a_conflicting_change_shows_the_current_rules_and_can_be_repeated(
    trees: Namespace, administrator: User
) -> None:
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, nss_pattern="[a-z]+")
    client = signed_in(administrator)
    page = shown(client, SENT, 409)
    assert "now has version 1 of its rules" in page
    assert "[a-z]+" in page
    assert PATTERN in page
    assert '<input type="hidden" name="replaces" value="1"' in page
    assert client.post(PAGE, SENT | {"replaces": "1"}).status_code == 302
    assert Namespace.objects.get(pk=trees.pk).rules == RulesVersion.objects.get(version=2)


def test_rules_are_taken_back_by_setting_nothing(
    client: Client, trees: Namespace, administrator: User
) -> None:
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, nss_pattern=PATTERN)
    fill_in(signed_in(administrator), PAGE, nss_pattern="", basis="They were wrong.")
    page = client.get(TREES).text
    assert 'id="rules"' not in page
    assert "Naming rules removed, version 2" in page


def test_the_list_narrows_to_those_with_rules(client: Client, trees: Namespace, administrator: User) -> None:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA)
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, nss_pattern=PATTERN)
    for query, found in (("rules=yes", ["example-trees"]), ("rules=no", ["isbn"]), ("rules=", ["example-trees", "isbn"]),
                         ("rules=yes&q=trees&kind=formal", ["example-trees"]), ("rules=no&q=trees", [])):  # fmt: skip
        page = client.get(f"/namespaces/?{query}").text
        assert [nid for nid in ("example-trees", "isbn") if f'href="/namespaces/{nid}/"' in page] == found, (
            query
        )
    assert client.get("/namespaces/?rules=some").status_code == 400


@pytest.mark.parametrize(
    ("urn", "words"),
    [
        ("urn:example-trees:12:4711", "Follows the rules."),
        ("urn:example-trees:twelve", "Does not follow the rules: “twelve” does not match the pattern [0-9]+:[0-9]+."),
        ("urn:example-trees:1-2:4711", "Compared as <span class=\"nid\">urn:example-trees:12:4711</span>"),
        (f"urn:example-trees:{'1' * 8_193}", "The name is too long to check against the pattern."),
    ],
    ids=lambda value: value[:30],
)  # fmt: skip
def test_the_page_of_a_urn_shows_whether_it_follows_the_rules(
    client: Client, trees: Namespace, administrator: User, urn: str, words: str
) -> None:
    assert "Rules of the namespace" not in client.get("/urns/", {"urn": urn}).text
    set_rules(trees, by=administrator, basis=BASIS, replaces=0, nss_pattern=PATTERN, ignored_characters="-")
    assert words in html.unescape(client.get("/urns/", {"urn": urn}).text)
