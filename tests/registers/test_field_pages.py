"""Pages of the fields of a register: declaring them, and entering and reading their values. The client runs no script."""

import re

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.namespaces.models import Namespace
from registry.registers.actions.registers import register_entry
from registry.registers.fields import MAX_DECLARED
from registry.registers.models import Register
from registry.subnamespaces.models import SubNamespace
from tests.registers.conftest import ASKED, a_register, a_request
from tests.registers.test_fields import KIND, OPENED_ON, PAGE, VALUES, declared
from tests.support.browser import post_form, signed_in


@pytest.fixture
def gardens(register: Register, holder: User) -> Register:
    return declared(register, KIND, OPENED_ON, by=holder)


@pytest.fixture
def reviewed(namespace: Namespace, holder: User) -> Register:
    register = a_register(namespace, by=holder, policy="expert_review")
    return declared(register, KIND, OPENED_ON, by=holder)


def test_the_holder_declares_fields_on_a_page(register: Register, holder: User, client: Client) -> None:
    browser = signed_in(holder)
    address = f"{PAGE}fields/"
    assert f'href="{address}"' in browser.get(PAGE).text
    page = browser.get(address).text
    assert page.count("<legend>New field</legend>") == 3
    assert page.count("public with the entry") == 1
    assert "check its box" not in page
    rows = rows_of(
        {"label": "Opened on", "kind": "date", "order": "2"},
        {
            "label": "Kind",
            "kind": "choice",
            "choices": "Park\r\n\r\nArboretum",
            "required": "on",
            "order": "1",
        },
        {},
    )
    assert post_form(browser, address, rows)["Location"] == PAGE
    found = Register.objects.get()
    assert [(each.name, each.choices, each.required) for each in found.declared] == [
        ("kind", ("Park", "Arboretum"), True),
        ("opened_on", (), False),
    ]
    public = client.get(PAGE).text
    assert "One of choices: Park, Arboretum" in public
    assert "A date, optional" in public
    # One is removed by its box, the other one by its label.
    page = browser.get(address).text
    assert "<legend>Field 1: Kind</legend>" in page
    rows = rows_of(
        {"name": "kind", "label": "Kind", "kind": "choice", "choices": "Park\nArboretum", "remove": "on"},
        {"name": "opened_on", "label": "", "kind": "date"},
    )
    post_form(browser, address, rows)
    assert Register.objects.get().fields == []
    versions = client.get(f"{PAGE}versions/").text
    assert "One of choices: Park, Arboretum" in versions


def test_the_help_of_a_field_ends_before_the_next_sentence(register: Register, holder: User) -> None:
    fields = [
        {"label": "Opened", "help": "Year of opening"},
        {"label": "Site", "help": "Is there one?", "kind": "url"},
        {"label": "Trees"},
    ]
    declared(register, *fields, by=holder)
    page = signed_in(holder).get(f"{PAGE}request/").text
    for said in ("Year of opening. It is public when", "Is there one? It is public when"):
        assert said in page
    assert ">. It is public" not in page
    site = re.search('<input[^>]*name="field_site"[^>]*>', page)
    assert site is not None
    assert 'maxlength="500"' in site[0]


def rows_of(*rows: dict[str, str]) -> dict[str, str]:
    sent = {"fields-TOTAL_FORMS": str(len(rows)), "fields-INITIAL_FORMS": "0"}
    sent["replaces"] = str(Register.objects.get().version)
    return sent | {f"fields-{at}-{name}": value for at, row in enumerate(rows) for name, value in row.items()}


def test_a_refused_field_is_explained_at_its_row_and_keeps_what_was_typed(
    gardens: Register, holder: User
) -> None:
    browser, address = signed_in(holder), f"{PAGE}fields/"
    answer = post_form(
        browser,
        address,
        rows_of({"label": "Kind", "kind": "choice", "choices": "Park", "order": "1"}, {"label": "Trees"}),
    )
    assert answer.status_code == 422
    fault = "The field has 1 choice. Write two to 50, one on each line."
    assert f'<p><a href="#id_fields-0-choices">Field 1: Choices</a>: {fault}</p>' in answer.text
    assert "Park</textarea>" in answer.text
    assert 'value="Trees"' in answer.text
    assert "The fields as they are now" in answer.text
    answer = post_form(browser, address, rows_of({"help": "What it is."}))
    assert "Enter a label, or empty the row." in answer.text
    assert 'value="What it is."' in answer.text
    many = rows_of(*({"label": f"Field {number}"} for number in range(MAX_DECLARED + 1)))
    assert "A register has at most 10 fields." in post_form(browser, address, many).text


def test_all_faults_of_the_fields_are_named_at_once(gardens: Register, holder: User) -> None:
    browser, address = signed_in(holder), f"{PAGE}fields/"
    assert "check its box" in browser.get(address).text
    answer = post_form(
        browser,
        address,
        rows_of(
            {"label": "Kind", "kind": "choice", "choices": "Park", "order": "0"},
            {"label": "kind", "kind": "date", "choices": "Park\nArboretum"},
            {"label": "Title", "help": "a" * 301},
        ),
    )
    assert answer.status_code == 422
    banner = answer.text.partition('role="alert"')[2].partition("</div>")[0]
    assert re.findall('<p><a href="#id_fields-(.*?)">(.*?)</a>: (.*?)</p>', banner) == [
        ("0-choices", "Field 1: Choices", "The field has 1 choice. Write two to 50, one on each line."),
        ("0-order", "Field 1: Place", "Enter a number from 1 to 99."),
        ("1-label", "Field 2: Label", "“Kind” is the label of field 1. Choose another one."),
        (
            "1-choices",
            "Field 2: Choices",
            "Only a field of the kind “one of choices” has choices. Choose this kind, or remove the choices.",
        ),
        ("2-label", "Field 3: Label", "Each request has “Title” already. Choose another label."),
        ("2-help", "Field 3: Help text", "Shorten the help text to at most 300 characters."),
    ]


def test_more_rows_keep_what_was_typed(register: Register, holder: User) -> None:
    answer = post_form(signed_in(holder), f"{PAGE}fields/", rows_of({"label": "Kind"}) | {"more": "1"})
    assert answer.status_code == 200
    assert 'value="Kind"' in answer.text
    assert answer.text.count("<legend>New field</legend>") == 4
    assert Register.objects.get().fields == []


def test_a_change_in_between_is_shown_with_what_was_typed(gardens: Register, holder: User) -> None:
    browser, address = signed_in(holder), f"{PAGE}fields/"
    assert 'name="replaces" value="2"' in browser.get(address).text
    declared(gardens, {"label": "Trees", "kind": "number"}, by=holder)
    answer = post_form(browser, address, rows_of({"label": "Colour"}) | {"replaces": "2"})
    assert answer.status_code == 409
    assert "Trees" in answer.text
    assert 'value="Colour"' in answer.text
    assert 'name="replaces" value="3"' in answer.text


def test_the_form_of_a_request_has_the_declared_fields(gardens: Register, requester: User) -> None:
    browser, address = signed_in(requester), f"{PAGE}request/"
    page = browser.get(address).text
    assert 'type="radio" name="field_kind_of_garden" value="Arboretum"' in page
    assert 'type="date" name="field_opened_on"' in page
    assert "The day on which people came. It is public when the entry is." in page
    assert page.index("field_kind_of_garden") < page.index('name="contact"')
    refused = post_form(browser, address, ASKED | {"register_version": 2, "field_opened_on": "May 1854"})
    assert refused.status_code == 422
    assert "Choose “Kind of garden”." in refused.text
    assert ">Opened on</a>: “May 1854” is no date." in refused.text
    assert 'value="May 1854"' in refused.text
    values = {"field_kind_of_garden": "Park", "field_opened_on": "1854-05-01"}
    answer = post_form(browser, address, ASKED | {"register_version": 2} | values)
    shown = browser.get(answer["Location"]).text
    assert "<dt>Kind of garden</dt>" in shown
    assert "1854-05-01" in shown


@pytest.mark.parametrize(
    ("label", "said"),
    [
        (
            "URN:Example-trees:smith:1",
            "begins with “urn:example-trees:”, which stands before each label. Write only “smith”.",
        ),
        ("two words", "“two words” contains a space. Remove it."),
        ("oak", "“oak” is listed already."),
    ],
)
@pytest.mark.parametrize("page", ["request", "entries"])
def test_a_wrong_label_is_named_with_the_other_faults(
    gardens: Register, holder: User, requester: User, page: str, label: str, said: str
) -> None:
    register_entry(gardens, by=holder, label="oak", title="Oak", fields={"kind_of_garden": "Park"})
    browser = signed_in(holder if page == "entries" else requester)
    sent = ASKED | {"register_version": 2, "label": label, "field_opened_on": "1854-05-01"}
    for faults in ({}, {"title": "Kew\u202e", "field_kind_of_garden": "Park"}):
        refused = post_form(browser, f"{PAGE}{page}/", sent | faults)
        assert refused.status_code == 422
        assert said in refused.text
        assert ("character 4 is U+202E" if faults else "Choose “Kind of garden”.") in refused.text


def test_what_was_typed_into_a_field_that_is_removed_is_shown(
    gardens: Register, requester: User, holder: User
) -> None:
    browser = signed_in(requester)
    browser.get(f"{PAGE}request/")
    declared(gardens, by=holder)
    sent = ASKED | {"register_version": 2, "field_opened_on": "1854-05-01"}
    answer = browser.post(f"{PAGE}request/", sent)
    assert answer.status_code == 409
    assert "1854-05-01</textarea>" in answer.text


def test_an_entry_is_not_registered_without_what_was_typed(gardens: Register, holder: User) -> None:
    kind, _ = gardens.declared
    browser, address = signed_in(holder), f"{PAGE}entries/"
    declared(gardens, kind.stored, by=holder)
    entry = {"label": "kew", "title": "Kew", "field_kind_of_garden": "Park"}
    refused = post_form(browser, address, entry | {"field_opened_on": "1854-05-01"})
    assert refused.status_code == 422
    assert "The register no longer has “opened_on”." in refused.text
    assert "1854-05-01</textarea>" in refused.text
    assert not SubNamespace.objects.exists()
    assert post_form(browser, address, entry).status_code == 302


def test_the_form_of_a_change_has_the_values(reviewed: Register, requester: User) -> None:
    request = a_request(reviewed, by=requester, fields=VALUES)
    browser, address = signed_in(requester), f"{request.get_absolute_url()}revise/"
    page = browser.get(address).text
    assert 'value="1854-05-01"' in page
    changed = ASKED | {"register_version": 2, "revision": 1, "field_kind_of_garden": "Arboretum"}
    post_form(browser, address, changed)
    request.refresh_from_db()
    assert request.fields == {"kind_of_garden": "Arboretum"}


def test_a_long_choice_is_a_list_and_a_web_address_a_link(
    register: Register, holder: User, client: Client
) -> None:
    declared(
        register,
        {"label": "Size", "kind": "choice", "choices": [f"{number} m" for number in range(6)]},
        {"label": "Map", "kind": "url"},
        {"label": "Places", "kind": "lines"},
        by=holder,
    )
    browser = signed_in(holder)
    page = browser.get(f"{PAGE}entries/").text
    assert '<select name="field_size"' in page
    assert "No answer" in page
    assert 'type="url" name="field_map"' in page
    assert '<textarea name="field_places"' in page
    entry = {"label": "kew", "title": "Kew", "field_map": "https://a.example/", "field_places": "<b>\r\nWest"}
    post_form(browser, f"{PAGE}entries/", entry)
    shown = client.get("/namespaces/example-trees/subnamespaces/?prefix=kew").text
    assert 'href="https://a.example/"' in shown
    assert "&lt;b&gt;" in shown
