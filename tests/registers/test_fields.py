"""Fields of a register's own: what its holder declares, and the values in requests, entries and lists."""

import json
from typing import Any

import pytest
from django.db import Error, connection, transaction
from django.test import Client

from registry.accounts.closing import close_account
from registry.accounts.models import User
from registry.core.exceptions import NotPermitted
from registry.namespaces.models import Namespace
from registry.registers import subjects
from registry.registers.actions.fields import declare_fields
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import register_entry
from registry.registers.actions.requests import accept_request, refuse_request, revise_request
from registry.registers.fields import (
    MAX_DECLARED,
    FieldKind,
    FieldRefused,
    FieldValueRefused,
    RegisterField,
    check_value,
    declared_fields,
    shown_values,
)
from registry.registers.lists import EntriesRefused, plan_list
from registry.registers.models import EntryRequest, Register
from registry.subnamespaces.exports import LIST_FILES
from registry.subnamespaces.importing import latest_version
from registry.subnamespaces.models import SubNamespace
from tests.api.client import V1, TokenClient
from tests.registers.conftest import ASKED, a_register, a_request
from tests.registers.test_personal_data import erase
from tests.support.browser import signed_in
from urnsyntax.profiles.subnamespaces.lists import MAX_FIELDS
from urnsyntax.profiles.subnamespaces.lists import SubNamespace as Content

PAGE = "/namespaces/example-trees/register/"
KIND: dict[str, Any] = {
    "label": "Kind of garden",
    "kind": "choice",
    "choices": ["Park", "Arboretum"],
    "required": True,
}
OPENED_ON: dict[str, Any] = {"label": "Opened on", "kind": "date", "help": "The day on which people came."}
VALUES = {"kind_of_garden": "Park", "opened_on": "1854-05-01"}


def declared(register: Register, *fields: dict[str, Any], by: User) -> Register:
    changed: Register = declare_fields(register, by=by, fields=fields, replaces=register.version)
    return changed


@pytest.fixture
def gardens(register: Register, holder: User) -> Register:
    return declared(register, KIND, OPENED_ON, by=holder)


@pytest.fixture
def reviewed(namespace: Namespace, holder: User) -> Register:
    register = a_register(namespace, by=holder, policy="expert_review")
    return declared(register, KIND, OPENED_ON, by=holder)


# Declarations


def test_a_new_field_gets_a_name_of_its_label_and_keeps_it(gardens: Register, holder: User) -> None:
    kind, opened = gardens.declared
    assert (kind.name, kind.choices, kind.required) == ("kind_of_garden", ("Park", "Arboretum"), True)
    assert (opened.name, opened.kind, opened.required) == ("opened_on", "date", False)
    renamed = declared(gardens, opened.stored, {**kind.stored, "label": "Sort of garden"}, by=holder)
    assert [(each.name, each.label) for each in renamed.declared] == [
        ("opened_on", "Opened on"),
        ("kind_of_garden", "Sort of garden"),
    ]


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Größe in m²", "groe_in_m2"),
        ("1st name", "st_name"),
        ("Сад", "field"),
        ("Status", "status_2"),
        ("A" * 60, "a" * 35),
    ],
)
def test_a_name_is_made_of_letters_and_digits(label: str, name: str) -> None:
    assert [each.name for each in declared_fields([{"label": label}])] == [name]


def test_names_that_would_be_the_same_are_numbered() -> None:
    found = declared_fields([{"label": "Сад"}, {"label": "Лес"}, {"label": "Field"}])
    assert [each.name for each in found] == ["field", "field_2", "field_3"]


REFUSED: dict[str, tuple[list[dict[str, Any]], str, str]] = {
    "no label": ([{"label": " "}], "label", "Field 1: Enter the label of the field."),
    "unseen": (
        [{"label": "Kind\u200b"}],
        "label",
        "Field 1: In the label of the field, character 5 is U+200B",
    ),
    "link": ([{"label": "https://a.example/"}], "label", "looks like an address or a link"),
    "long": ([{"label": "a" * 61}], "label", "Field 1: Shorten the label of the field to at most 60"),
    "taken label": ([{"label": "Title"}], "label", "Field 1: Each request has “Title” already."),
    "same label": (
        [{"label": "Kind"}, {"label": "kind"}],
        "label",
        "Field 2: “Kind” is the label of field 1.",
    ),
    "long help": ([{"label": "A", "help": "a" * 301}], "help", "Field 1: Shorten the help text"),
    "unseen help": ([{"label": "A", "help": "a\u202eb"}], "help", "Field 1: In the help text, character 2"),
    "kind": (
        [{"label": "A", "kind": "colour"}],
        "kind",
        "Field 1: “colour” is no kind. Use one of: text, lines",
    ),
    "no choices": ([{"label": "A", "kind": "choice"}], "choices", "Field 1: The field has 0 choices."),
    "one choice": (
        [{"label": "A", "kind": "choice", "choices": ["a", " "]}],
        "choices",
        "Field 1: The field has 1 choice.",
    ),
    "same choice": (
        [{"label": "A", "kind": "choice", "choices": ["a", "a "]}],
        "choices",
        "Field 1: The choice “a” is repeated.",
    ),
    "choices of a text": (
        [{"label": "A", "choices": ["a", "b"]}],
        "choices",
        "Field 1: Only a field of the kind “one of choices” has choices.",
    ),
    "name": ([{"label": "A", "name": "A"}], "name", "Field 1: “A” can't be the name of a field."),
    "member": ([{"label": "A", "name": "prefix"}], "name", "Field 1: “prefix” can't be the name of a field."),
    "same name": (
        [{"label": "A", "name": "a"}, {"label": "B", "name": "a"}],
        "name",
        "Field 2: The name “a” is that of field 1.",
    ),
    "many": ([{"label": f"A {number}"} for number in range(MAX_DECLARED + 1)], "label", "at most 10 fields"),
}


@pytest.mark.parametrize(("fields", "member", "reason"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_says_which_field_and_what_to_do(
    fields: list[dict[str, Any]], member: str, reason: str
) -> None:
    with pytest.raises(FieldRefused) as refusal:
        declared_fields(fields)
    assert reason in str(refusal.value)
    assert refusal.value.member == member


def test_other_fields_begin_the_next_version_which_the_database_keeps(
    gardens: Register, holder: User, requester: User
) -> None:
    assert gardens.version == 2
    with pytest.raises(subjects.RegisterUnchanged):
        declare_fields(gardens, by=holder, fields=[each.stored for each in gardens.declared], replaces=2)
    with pytest.raises(subjects.StaleRegister):
        declare_fields(gardens, by=holder, fields=[], replaces=1)
    with pytest.raises(NotPermitted):
        declare_fields(gardens, by=requester, fields=[], replaces=2)
    # Who read the register without the fields reads it again.
    with pytest.raises(subjects.StaleRegister):
        a_request(gardens, by=requester, register_version=1)
    gardens = declared(gardens, by=holder)
    assert [each.fields for each in gardens.replaced.all()] == [[], [each.stored for each in GARDENS]]
    with pytest.raises(Error, match="begins the next version"), transaction.atomic():
        Register.objects.filter(pk=gardens.pk).update(fields=[KIND])


GARDENS = declared_fields([KIND, OPENED_ON])

# Values

TEXT, LINES, NUMBER, DATE, URL, CHOICE = (
    RegisterField("a", "Answer", kind=kind, choices=("Park", "Old park") if kind == "choice" else ())
    for kind in FieldKind.values
)


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        (TEXT, "  a \t b\r\nc ", "a b c"),
        (TEXT, " ", ""),
        (TEXT, "<b>=1+1</b>", "<b>=1+1</b>"),
        (LINES, "\r\na \r\n\r\n b\n", "a\n\n b"),
        (NUMBER, " 0012 ", "12"),
        (NUMBER, "-0", "0"),
        (DATE, " 2024-02-29", "2024-02-29"),
        (URL, "https://a.example/b?c=d ", "https://a.example/b?c=d"),
        (CHOICE, " Old  park", "Old park"),
    ],
)
def test_a_value_is_stored_in_one_form(field: RegisterField, text: str, value: str) -> None:
    assert check_value(field, text) == value
    assert check_value(field, value) == value


@pytest.mark.parametrize(
    ("field", "text", "reason"),
    [
        (TEXT, "a" * 1_001, "Shorten “Answer” to at most 1,000 characters."),
        (TEXT, "a\u200bb", "In “Answer”, character 2 is U+200B"),
        (TEXT, "a\x00", "Character 2 of “Answer” is U+0000"),
        (TEXT, "\ud800", "Character 1 of “Answer” is U+D800"),
        (LINES, "a\nb\u202e", "In line 2 of “Answer”, character 2 is U+202E"),
        (LINES, "a\n" * 501, "Shorten “Answer” to at most 1,000 characters."),
        (NUMBER, "1.5", "“Answer”: “1.5” is no whole number of at most 18 digits. Write digits only"),
        (NUMBER, "1" * 19, f"“Answer”: “{'1' * 19}” is no whole number"),
        (NUMBER, "\u0661", "“Answer”: “\u0661” is no whole number"),
        (NUMBER, "1_0", "“Answer”: “1_0” is no whole number"),
        (DATE, "2023-02-29", "“Answer”: “2023-02-29” is no date. Write year, month and day"),
        (DATE, "20230201", "“Answer”: “20230201” is no date."),
        (DATE, "2023-W01-1", "“Answer”: “2023-W01-1” is no date."),
        (URL, "javascript:alert(1)", "“Answer”: “javascript:alert(1)” is not a web address."),
        (URL, "https://a.example/ b", "“Answer”: “https://a.example/ b” is not a web address."),
        (CHOICE, "park", "“Answer”: “park” is no choice. Use one of: Park, Old park."),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_the_label(
    field: RegisterField, text: str, reason: str
) -> None:
    with pytest.raises(FieldValueRefused) as refusal:
        check_value(field, text)
    assert str(refusal.value).startswith(reason)
    assert refusal.value.argument == "field_a"


def test_an_entry_has_the_values_of_its_request(gardens: Register, requester: User) -> None:
    with pytest.raises(FieldValueRefused, match="Enter “Kind of garden”"):
        a_request(gardens, by=requester)
    with pytest.raises(
        FieldValueRefused, match=r"no field “colour”\. Use some of: kind_of_garden, opened_on\."
    ):
        a_request(gardens, by=requester, fields={"colour": "red"})
    request = a_request(gardens, by=requester, fields={"kind_of_garden": "Park", "opened_on": ""})
    assert request.fields == {"kind_of_garden": "Park"}
    assert SubNamespace.objects.get().content["fields"] == request.fields
    with pytest.raises(Error, match="after the decision"), transaction.atomic():
        EntryRequest.objects.update(fields={})


def test_a_register_without_fields_takes_no_values(register: Register, holder: User) -> None:
    with pytest.raises(FieldValueRefused, match="It declares none: leave them out"):
        register_entry(register, by=holder, label="kew", title="Kew", fields={"a": "b"})
    register_entry(register, by=holder, label="kew", title="Kew")
    assert "fields" not in SubNamespace.objects.get().content


def test_a_request_that_lacks_what_is_needed_now_is_not_accepted(
    reviewed: Register, holder: User, requester: User
) -> None:
    request = a_request(reviewed, by=requester, fields=VALUES)
    _, opened = reviewed.declared
    reviewed = declared(
        reviewed, opened.stored, {"label": "Trees", "kind": "number", "required": True}, by=holder
    )
    with pytest.raises(subjects.RequestIncomplete, match=r"Enter “Trees”\. Ask the requester to change it\."):
        accept_request(request, by=holder, revision=1)
    page = signed_in(holder).get(request.get_absolute_url()).text
    assert "/accept/" not in page
    assert "the request is not complete. Enter “Trees”." in page
    assert (
        "change the request, which lacks what the register asks for now"
        in signed_in(requester).get("/mine/").text
    )
    asked = ASKED | {
        "register_version": 3,
        "revision": 1,
        "fields": {"opened_on": "1854-05-01", "trees": "40"},
    }
    request = revise_request(request, by=requester, **asked)
    accept_request(request, by=holder, revision=2)
    assert SubNamespace.objects.get().content["fields"] == {"opened_on": "1854-05-01", "trees": "40"}


def test_values_of_a_removed_field_are_not_accepted_and_those_of_entries_stay(
    reviewed: Register, holder: User, requester: User, client: Client
) -> None:
    register_entry(reviewed, by=holder, label="elm", title="Elm", fields=VALUES)
    request = a_request(reviewed, by=requester, fields=VALUES)
    _, opened = reviewed.declared
    declared(reviewed, {**opened.stored, "label": "First day"}, by=holder)
    accept_request(request, by=holder, revision=1)
    assert SubNamespace.objects.get(key="kew").content["fields"] == {"opened_on": "1854-05-01"}
    assert SubNamespace.objects.get(key="elm").content["fields"] == VALUES
    entry = client.get("/namespaces/example-trees/subnamespaces/?prefix=elm").text
    assert "First day" in entry
    assert "<dt>kind_of_garden</dt>" in entry
    assert "The register no longer has this field." in entry
    shown = signed_in(requester).get(request.get_absolute_url()).text
    assert "<dt>kind_of_garden</dt>" in shown


def test_values_are_shown_in_the_order_of_the_fields() -> None:
    stored = {"b": "1", "opened_on": "2020-01-01", "kind_of_garden": "Park"}
    assert [(each.label, each.is_declared) for each in shown_values(GARDENS, stored)] == [
        ("Kind of garden", True),
        ("Opened on", True),
        ("b", False),
    ]


# Lists


def written(register: Register, holder: User, document: str, list_format: str = "jsonl") -> None:
    replaces = latest_version(register.namespace)
    write_entries(register, by=holder, document=document, list_format=list_format, replaces=replaces)


LISTS = {
    "jsonl": json.dumps({"label": "kew", "title": "Kew", "fields": VALUES}),
    "csv": "label,title,opened_on,kind_of_garden\nkew,Kew,1854-05-01,Park\n",
}


@pytest.mark.parametrize("list_format", LISTS)
def test_a_list_has_the_fields(gardens: Register, holder: User, list_format: str) -> None:
    written(gardens, holder, LISTS[list_format], list_format)
    assert SubNamespace.objects.get().content["fields"] == VALUES
    assert plan_list(gardens, LISTS[list_format], list_format=list_format).is_empty
    lines = "".join(LIST_FILES["csv"].lines(gardens.namespace.subnamespaces.all()))
    assert '"{""kind_of_garden"":""Park"",""opened_on"":""1854-05-01""}"' in lines


@pytest.mark.parametrize(
    ("list_format", "document", "reason"),
    [
        ("jsonl", '{"label": "kew", "title": "Kew"}', "Line 1: Enter “Kind of garden”."),
        (
            "jsonl",
            '{"label": "kew", "title": "Kew", "fields": {"kind_of_garden": "Wood"}}',
            "Line 1: “Kind of garden”: “Wood” is no choice",
        ),
        (
            "jsonl",
            '{"label": "kew", "title": "Kew", "fields": {"a": "b"}}',
            "Line 1: The register declares no field “a”.",
        ),
        (
            "jsonl",
            '{"label": "kew", "title": "Kew", "fields": {"a": 1}}',
            "Line 1: “fields.a”: This is a number.",
        ),
        (
            "csv",
            "label,title,kind_of_garden\nkew,Kew,Wood\n",
            "Line 2: “Kind of garden”: “Wood” is no choice",
        ),
        ("csv", "label,title\nkew,Kew\n", "Line 2: Enter “Kind of garden”."),
    ],
)
def test_a_wrong_value_is_refused_with_its_line(
    gardens: Register, holder: User, list_format: str, document: str, reason: str
) -> None:
    with pytest.raises(EntriesRefused) as refusal:
        written(gardens, holder, document, list_format)
    assert refusal.value.failures[0].startswith(reason)


def test_a_line_changes_the_values_and_keeps_those_of_removed_fields(gardens: Register, holder: User) -> None:
    written(gardens, holder, LISTS["jsonl"])
    kind, _ = gardens.declared
    gardens = declared(gardens, kind.stored, {"label": "Trees", "kind": "number"}, by=holder)
    change = {"label": "kew", "title": "Kew", "fields": {"kind_of_garden": "Park"}}
    assert plan_list(gardens, json.dumps(change), list_format="jsonl").is_empty
    change["fields"] = {"kind_of_garden": "Arboretum", "trees": "40"}
    browser = signed_in(holder)
    sent = {"document": json.dumps(change), "list_format": "jsonl", "replaces": 1, "difference": "1"}
    page = browser.post(f"{PAGE}entries/import/", sent).text
    assert "<dt>Field kind of garden</dt><dd><del>Park</del> <ins>Arboretum</ins></dd>" in page
    written(gardens, holder, json.dumps(change))
    assert SubNamespace.objects.get().content["fields"] == {
        "kind_of_garden": "Arboretum",
        "opened_on": "1854-05-01",
        "trees": "40",
    }


def test_an_entry_keeps_as_many_values_of_removed_fields_as_it_can_have(
    register: Register, holder: User
) -> None:
    for kind in "abc":
        labels = [f"{kind} {number}" for number in range(MAX_DECLARED)]
        register = declared(register, *({"label": each} for each in labels), by=holder)
        values = {each.name: kind for each in register.declared}
        written(register, holder, json.dumps({"label": "kew", "title": "Kew", "fields": values}))
    stored = SubNamespace.objects.get()
    assert len(stored.content["fields"]) == MAX_FIELDS
    assert values.items() <= stored.content["fields"].items()
    assert stored.value_of("example-trees") == Content.from_dict(stored.content, "example-trees")


# The API


def test_fields_and_values_in_the_api(
    namespace: Namespace, holder: User, requester: User, client: Client
) -> None:
    a_register(namespace, by=holder, policy="expert_review")
    at = "namespaces/example-trees/register/"
    program, other = TokenClient(holder), TokenClient(requester)
    changed = program.post(f"{at}fields/", {"fields": [KIND, OPENED_ON], "replaces": 1})
    assert changed.status_code == 200
    assert client.get(V1 + at).json()["fields"] == [
        {**KIND, "name": "kind_of_garden", "help": None},
        {**OPENED_ON, "name": "opened_on", "choices": [], "required": False},
    ]
    refused = program.post(f"{at}fields/", {"fields": [{"label": "A", "kind": "choice"}], "replaces": 2})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("Field 1: The field has 0 choices.")
    sent = ASKED | {"register_version": 2}
    assert other.post(f"{at}requests/", sent).json()["detail"] == "Enter “Kind of garden”."
    assert other.post(f"{at}requests/", sent | {"fields": {"opened_on": 1854}}).status_code == 400
    assert other.post(f"{at}requests/", sent | {"fields": ["Park"]}).status_code == 400
    request = other.post(f"{at}requests/", sent | {"fields": VALUES}).json()
    assert request["fields"] == VALUES
    assert program.post(f"{at}requests/{request['number']}/accept/", {"revision": 1}).status_code == 200
    entry = client.get(f"{V1}namespaces/example-trees/subnamespace/?prefix=kew").json()
    assert entry["fields"] == VALUES
    made = program.post(
        f"{at}entries/", {"label": "elm", "title": "Elm", "fields": {"kind_of_garden": "Park"}}
    )
    assert made.json()["fields"] == {"kind_of_garden": "Park"}


# Personal data


def test_erasure_empties_the_values_that_are_not_public(
    reviewed: Register, holder: User, requester: User
) -> None:
    accepted = a_request(reviewed, by=requester, fields=VALUES)
    accept_request(accepted, by=holder, revision=1)
    refused = a_request(reviewed, by=requester, label="elm", fields=VALUES)
    refuse_request(refused, by=holder, revision=1, reason="No.")
    a_request(reviewed, by=requester, label="fir", fields=VALUES)
    with (
        connection.cursor() as cursor,
        pytest.raises(Error, match="after the decision"),
        transaction.atomic(),
    ):
        cursor.execute(
            'UPDATE registers_entryrequest SET fields = \'{"a": "b"}\' WHERE id = %s', [refused.pk]
        )
    close_account(requester, by=None, reason="They left.")
    erase(requester)
    assert {each.label: each.fields for each in EntryRequest.objects.all()} == {
        "kew": VALUES,
        "elm": {},
        "fir": {},
    }
    assert SubNamespace.objects.get().content["fields"] == VALUES
