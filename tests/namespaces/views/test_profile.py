"""The page of a profile, the form that sets it, and the pages that show it."""

import html
from urllib.parse import urlencode

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.actions.profiles import set_profile
from registry.namespaces.models import Kind, Namespace, Origin, ProfileVersion
from registry.namespaces.profile_documents import to_toml
from tests.support.browser import fill_in, signed_in
from tests.support.factories import BASIS, a_profile

TREES = "/namespaces/example-trees/"
PAGE = f"{TREES}profile/"
EDIT = f"{PAGE}edit/"
DOCUMENT = to_toml(a_profile(ignores_case=True, ignored_characters="-"))
SENT = {"profile": DOCUMENT, "basis": BASIS, "replaces": "0"}


def shown(client: Client, sent: dict[str, str], status: int) -> str:
    answer = client.post(EDIT, urlencode(sent), "application/x-www-form-urlencoded")
    assert answer.status_code == status
    return html.unescape(answer.text)


def test_administrators_alone_have_the_button(
    client: Client, trees: Namespace, administrator: User, registrant: User, expert: User
) -> None:
    for page in (TREES, PAGE):
        assert f'href="{EDIT}"' in signed_in(administrator).get(page).text
        for other in (client, signed_in(registrant), signed_in(expert)):
            assert EDIT not in other.get(page).text
    assert client.post(PAGE, SENT).status_code == 405


def test_a_profile_is_set_and_everyone_reads_it(
    client: Client, trees: Namespace, administrator: User
) -> None:
    assert "This namespace has no profile." in client.get(PAGE).text
    answer = fill_in(signed_in(administrator), EDIT, profile=DOCUMENT, basis=BASIS)
    assert answer.redirect_chain == [(TREES, 302)]
    for address in (TREES, PAGE):
        page = html.unescape(client.get(address).text)
        for words in (
            "Trees of gardens",
            "Every tree has a name.",
            "[0-9]+:[0-9]+",
            "Ignored when names are compared: letter case and hyphens.",
            "urn:example-trees:12:4711",
            BASIS,
        ):
            assert words in page, (address, words)
    assert "Profile set, version 1" in client.get(TREES).text
    page = client.get(PAGE).text
    for words in (
        "urn:example-trees:twelve",
        "It is wrong.",
        "Registration of urn:example-trees",
        "Version 1",
    ):
        assert words in page
    assert html.escape(DOCUMENT.strip()) in signed_in(administrator).get(EDIT).text


def test_the_page_has_one_address(client: Client, trees: Namespace) -> None:
    answer = client.get("/namespaces/Example-Trees/profile/")
    assert (answer.status_code, answer["Location"]) == (301, PAGE)
    assert client.get("/namespaces/nobody/profile/").status_code == 404


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({"profile": "nid = "}, "This is not TOML: Invalid value (at end of document). Correct it."),
        ({"profile": "nid = " + "[" * 90_000}, "nested too deeply"),
        ({"profile": "a." * 40_000 + "b = 1"}, "Line 1 has more than 50 full stops."),
        ({"profile": 'nid = "example-trees"'}, "title: The key is missing. Add it."),
        ({"profile": DOCUMENT.replace("science", "trees")}, "subjects[0]: “trees” is not a subject. Use one of: "),
        ({"profile": DOCUMENT.replace("pattern = '[0-9]+:[0-9]+'", 'abnf = "a = b"')},
         "names.abnf, line 1, column 5: The rule “b” is not defined."),
        ({"profile": DOCUMENT.replace("example-trees", "example-oaks")},
         "nid: The profile is one of “example-oaks”."),
        ({"profile": DOCUMENT.replace("urn:example-trees:1:1", "urn:example-trees:one")},
         "urn:example-trees:one is an example, but: “one” does not match the pattern"),
        ({"profile": DOCUMENT.replace("[0-9]+:[0-9]+", "[a-z]+|1:1|99:4|12:471.").replace("12:4711", "aa")},
         "urn:example-trees:twelve is a counterexample, but the rules allow it."),
        ({"profile": "#" * 100_001}, "at most 100000 characters"),
        ({"profile": DOCUMENT + "\x00"}, "Null characters are not allowed."),
        ({"basis": " "}, "Enter the basis of the profile."),
        ({"replaces": "x"}, "Enter a whole number."),
        ({"replaces": "1"}, "“example-trees” now has no profile."),
        ({"profile": ""}, "“example-trees” has no profile to remove."),
    ],
    ids=lambda value: ascii(value)[:60],
)  # fmt: skip
def test_an_invalid_form_shows_errors_and_keeps_input(
    trees: Namespace, administrator: User, typed: dict[str, str], complaint: str
) -> None:
    status = 409 if complaint.startswith("“") else 422
    page = shown(signed_in(administrator), SENT | typed, status)
    assert complaint in page
    for name, value in (SENT | typed).items():
        if value.strip() and "\x00" not in value:
            assert value.strip() in page, name
    assert not ProfileVersion.objects.exists()


def test_a_grammar_that_contradicts_the_registration_is_shown_with_both(
    trees: Namespace, administrator: User
) -> None:
    document = to_toml(a_profile(pattern="[a-z]", examples="abc", counterexamples="123"))
    page = shown(signed_in(administrator), SENT | {"profile": document}, 422)
    assert "The registration contains urn:example-trees:12:4711, but: “12:4711” does not match" in page
    assert "pattern “[a-z]”." in page


def test_a_conflicting_change_shows_the_current_profile_and_can_be_repeated(
    trees: Namespace, administrator: User
) -> None:
    other = a_profile(title="Oaks")
    set_profile(trees, by=administrator, profile=other, basis=BASIS, replaces=0)
    client = signed_in(administrator)
    page = shown(client, SENT, 409)
    assert "now has version 1 of its profile" in page
    assert to_toml(other).strip() in page
    assert DOCUMENT.strip() in page
    assert '<input type="hidden" name="replaces" value="1"' in page
    assert client.post(EDIT, SENT | {"replaces": "1"}).status_code == 302
    assert Namespace.objects.get(pk=trees.pk).profile == ProfileVersion.objects.get(version=2)


def test_a_profile_is_removed_by_an_empty_text(client: Client, trees: Namespace, administrator: User) -> None:
    set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=0)
    fill_in(signed_in(administrator), EDIT, profile="", basis="It was wrong.")
    page = client.get(TREES).text
    assert 'id="profile"' not in page
    assert "Profile removed, version 2" in page
    page = client.get(PAGE).text
    assert "This namespace has no profile." in page
    assert "It was wrong." in page


def test_the_history_names_the_changed_keys(client: Client, trees: Namespace, administrator: User) -> None:
    set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=0)
    assert "Changed: " not in client.get(TREES).text
    set_profile(trees, by=administrator, profile=a_profile(title="Oaks"), basis=BASIS, replaces=1)
    assert "Changed: title<" in client.get(TREES).text


def test_a_loaded_profile_is_set_by_the_registry(client: Client, db: None) -> None:
    isbn = Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA)
    set_profile(isbn, by=None, profile=a_profile("isbn"), basis="From the files.", replaces=0)
    page = client.get("/namespaces/isbn/profile/").text
    assert "the registry, " in page
    assert "From the files." in page


def test_the_list_narrows_to_those_with_a_grammar_or_a_subject(
    client: Client, trees: Namespace, administrator: User
) -> None:
    Namespace.objects.create(nid="isbn", kind=Kind.FORMAL, origin=Origin.IANA)
    set_profile(trees, by=administrator, profile=a_profile(), basis=BASIS, replaces=0)
    both = ["example-trees", "isbn"]
    for query, found in (("grammar=yes", both[:1]), ("grammar=no", both[1:]), ("grammar=", both),
                         ("grammar=yes&q=trees&kind=formal", both[:1]), ("grammar=no&q=trees", []),
                         ("subject=science", both[:1]), ("subject=law", []), ("subject=science&grammar=no", [])):  # fmt: skip
        page = client.get(f"/namespaces/?{query}").text
        assert [nid for nid in both if f'href="/namespaces/{nid}/"' in page] == found, query
    for query in ("grammar=some", "subject=trees"):
        assert client.get(f"/namespaces/?{query}").status_code == 400


@pytest.mark.parametrize(
    ("urn", "words"),
    [
        ("urn:example-trees:12:4711", "The URN follows the rules of its namespace."),
        ("urn:example-trees:twelve", "“twelve” does not match the pattern “[0-9]+:[0-9]+”."),
        ("urn:example-trees:1-2:4711", "<span class=\"nid\" id=\"canonical\">urn:example-trees:12:4711</span>"),
        (f"urn:example-trees:{'1' * 8_193}", "were not checked: The NSS has 8,193 characters"),
    ],
    ids=lambda value: value[:30],
)  # fmt: skip
def test_the_page_of_a_urn_shows_whether_it_follows_the_rules(
    client: Client, trees: Namespace, administrator: User, urn: str, words: str
) -> None:
    assert "does not know the rules for names of this namespace" in client.get("/urns/", {"urn": urn}).text
    profile = a_profile(ignored_characters="-")
    set_profile(trees, by=administrator, profile=profile, basis=BASIS, replaces=0)
    assert words in html.unescape(client.get("/urns/", {"urn": urn}).text)
