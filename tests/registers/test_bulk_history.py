"""Lists with the history of entries: what a register that was kept elsewhere brings with it, and that it never changes."""

import html
import json
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone
from lxml import etree

from registry.accounts.models import User
from registry.audit_log.models import Event
from registry.publication.formats.registers import register_files
from registry.registers.actions.changes import change_entry
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import register_entry
from registry.registers.lists import plan_list
from registry.registers.models import Entry, Register
from registry.registers.subjects import EntryTaken
from registry.subnamespaces.exports import LIST_FILES
from registry.subnamespaces.importing import ListRefused, ListUnchanged, latest_version
from registry.subnamespaces.models import SubNamespace
from tests.api.client import TokenClient
from tests.registers.conftest import a_described_namespace, a_register, a_request
from tests.registers.test_bulk import jsonl, refused, statements_of, write
from tests.registers.test_entries import import_list
from tests.support.browser import post_form, signed_in

PAST = [
    {
        "date": "1998",
        "change": "registered",
        "title": "Royal Gardens",
        "holder": "Board of Kew",
        "source": "Volume 1",
    },
    {"date": "2004-05", "change": "changed", "title": "Kew", "reference": "RFC 2141"},
    {"date": "2011-03-09", "change": "deprecated", "source": "Letter 17 of 2011"},
]
KEW = {"label": "kew", "title": "Kew Gardens", "status": "deprecated", "successor": "oak", "history": PAST}
OAK = {"label": "oak", "title": "Oak Park", "history": [{"date": "2010", "change": "registered"}]}
GONE = {
    "label": "ash",
    "title": "Ash",
    "status": "retired",
    "history": [{"date": "2001-01", "change": "retired"}],
}


def content(prefix: str) -> dict[str, Any]:
    return dict(SubNamespace.objects.get(prefix=prefix).content)


def test_entries_come_with_their_history_in_one_event_of_today(register: Register, holder: User) -> None:
    # The successor is on a later line.
    write(register, holder, KEW, OAK, GONE)
    kew = content("kew")
    assert (kew["status"], kew["successor"], kew["history"]) == ("deprecated", "oak", PAST)
    assert content("ash")["status"] == "retired"
    event = Event.objects.get(verb="write_entries")
    assert event.at.date() == timezone.now().date()
    assert "1998" not in json.dumps(event.details)
    with pytest.raises(ListUnchanged):
        write(register, holder, KEW, OAK, GONE)


def test_a_retired_label_is_never_assigned_again(register: Register, holder: User) -> None:
    write(register, holder, GONE)
    assert "is retired" in refused(register, holder, {"label": "ash", "title": "Another"})[0]
    with pytest.raises(EntryTaken, match="listed already"):
        register_entry(register, by=holder, label="ash", title="Another")


TODAY = timezone.now().date()
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"history": [*reversed(PAST)]}, "“date” in record 2 of the history: “2004-05” is before “2011-03-09”"),
    ({"history": [PAST[0], PAST[0]]}, "“registered” is not the first record"),
    ({"history": [{"date": "2001", "change": "retired"}, PAST[1]]}, "“retired” is not the last record"),
    ({"history": [{"date": "2001-02-30", "change": "changed"}]}, "“2001-02-30” is not a date"),
    ({"history": [{"date": str(TODAY + timedelta(days=2)), "change": "changed"}]}, "is later than"),
    ({"history": [{"date": str(TODAY.year + 1), "change": "changed"}]}, "is later than"),
    ({"history": [{"date": "2001", "change": "moved"}]}, "“moved” is not a change"),
    ({"history": [{"date": "2001"}]}, "“change” in record 1 of the history: The key is missing"),
    ({"history": [{"date": "2001", "change": "changed", "by": "A"}]}, "The key is unknown"),
    ({"history": [{"date": "2001", "change": "changed", "title": "x" * 301}]}, "the limit is 300"),
    ({"history": [{"date": "2001", "change": "changed", "source": "a\x00b"}]}, "U+0000"),
    ({"history": [{"date": "2001", "change": "changed"}] * 101}, "The list has 101 items"),
    ({"history": {"date": "2001"}}, "Write a list"),
    ({"history": [{"date": "2001", "change": "retired"}]}, "ends with “retired”, which is final"),
    ({"status": "gone"}, "“gone” is not a status"),
    ({"successor": "oak"}, "An active entry has no successor"),
    ({"status": "deprecated", "successor": "elm"}, "“elm” is no other entry of the register or of the list"),
    ({"status": "deprecated", "successor": "KEW"}, "“KEW” is no other entry"),
    ({"status": "deprecated", "successor": "e lm"}, "“e lm” is no other entry"),
]


@pytest.mark.parametrize(("more", "words"), WRONG, ids=[words for _, words in WRONG])
def test_what_can_not_have_been_is_refused(
    register: Register, holder: User, more: dict[str, Any], words: str
) -> None:
    (fault,) = refused(register, holder, OAK, {"label": "kew", "title": "Kew", **more})
    assert fault.startswith("Line 2: ")
    assert words in fault


def test_a_date_is_as_exact_as_it_is_known(register: Register, holder: User) -> None:
    dates = ["1998", "1998-05-03", "1998-05", "1998", str(TODAY.year), str(TODAY)[:7], str(TODAY)]
    write(register, holder, {**OAK, "history": [{"date": each, "change": "changed"} for each in dates]})
    assert [each["date"] for each in content("oak")["history"]] == dates


def test_a_successor_is_a_listed_entry_or_one_of_the_list(
    register: Register, holder: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.registers.lists.BATCH", 1)
    register_entry(register, by=holder, label="elm", title="Elm")
    fir = {"label": "fir", "title": "Fir", "status": "retired", "successor": "elm"}
    write(register, holder, KEW, fir, OAK)
    assert (content("kew")["successor"], content("fir")["successor"]) == ("oak", "elm")


def test_a_successor_between_spaces_is_the_same_the_second_time(register: Register, holder: User) -> None:
    lines = {**KEW, "successor": " oak "}, OAK
    write(register, holder, *lines)
    with pytest.raises(ListUnchanged):
        write(register, holder, *lines)


def test_a_history_is_only_added_to(register: Register, holder: User) -> None:
    write(register, holder, KEW, OAK)
    more = {"date": str(TODAY), "change": "changed", "title": "Kew"}
    line = {**KEW, "history": [*PAST, more]}
    sent = {"document": jsonl(line), "list_format": "jsonl", "replaces": 1, "difference": "show"}
    difference = post_form(signed_in(holder), "/namespaces/example-trees/register/entries/import/", sent).text
    assert f"<dt>History</dt><dd> <ins>{TODAY}: changed, Kew</ins></dd>" in difference
    made = write(register, holder, line)
    assert (made.changed, content("kew")["history"]) == (1, [*PAST, more])
    # A line without it leaves it, and so does every other change.
    write(register, holder, {"label": "kew", "title": "Kew"})
    change_entry(
        Entry.objects.get(subnamespace__prefix="oak"),
        by=holder,
        title="Oaks",
        reference="",
        fields={},
        status="active",
        successor="",
        replaces=1,
        register_version=1,
    )
    assert content("kew")["history"] == [*PAST, more]
    assert content("oak") | OAK == content("oak") | {"label": "oak", "title": "Oak Park"}
    for other in (PAST, PAST[1:], [{**PAST[0], "title": "Gardens"}, *PAST[1:], more]):
        (fault,) = refused(register, holder, {**KEW, "history": other})
        assert "does not begin with the 4 records that are kept" in fault
    # Nor does an import of an administrator change it.
    stated = {"prefix": "kew", "title": "Kew", "status": "retired"}
    import_list(register.namespace, document=json.dumps(stated))
    assert content("kew") == stated | {"history": [*PAST, more]}
    with pytest.raises(ListRefused, match="does not begin"):
        import_list(register.namespace, document=json.dumps({**stated, "history": PAST}))


@pytest.mark.parametrize("history", [None, [], PAST[:2], PAST[1:], [*reversed(PAST)], {}])
def test_the_database_keeps_a_history(register: Register, holder: User, history: Any) -> None:
    write(register, holder, KEW, OAK)
    kew = SubNamespace.objects.get(prefix="kew")
    kept = {name: value for name, value in kew.content.items() if name != "history"}
    kew.content, kew.version = kept if history is None else {**kept, "history": history}, 2
    with pytest.raises(IntegrityError, match="only added to"), transaction.atomic():
        kew.save()
    kew.content = {**kept, "history": [*PAST, {"date": "2020", "change": "changed"}]}
    kew.save()


def test_an_entry_that_was_requested_here_has_its_history_in_the_log(
    register: Register, holder: User, requester: User
) -> None:
    a_request(register, by=requester)  # first come first served
    Entry.objects.update(person=None)
    (fault,) = refused(register, holder, {"label": "kew", "title": "Kew Gardens", "history": PAST[:1]})
    assert "was requested here, so the log has its history" in fault
    assert (
        plan_list(register, jsonl({"label": "kew", "title": "Kew"}), list_format="jsonl").counts["changed"]
        == 1
    )


def test_the_records_of_a_listed_entry_end_when_it_was_listed(register: Register, holder: User) -> None:
    with time_machine.travel("2020-02-03T12:00:00Z"):
        register_entry(register, by=holder, label="kew", title="Kew")
    kew = {"label": "kew", "title": "Kew Gardens"}
    write(register, holder, kew)
    late = {**kew, "history": [{"date": "2020-02-04", "change": "changed"}]}
    assert "The record of 2020-02-04 is later than 2020-02-03" in refused(register, holder, late)[0]
    gone = {**kew, "history": [{"date": "2019", "change": "retired"}]}
    assert "is listed and not retired" in refused(register, holder, gone)[0]
    write(register, holder, {**kew, "history": [{"date": "2020-02", "change": "changed"}]})


@pytest.mark.parametrize("member", [{"status": "active"}, {"status": "retired"}, {"successor": "elm"}])
def test_a_list_does_not_change_the_status_of_what_is_listed(
    register: Register, holder: User, member: dict[str, str]
) -> None:
    write(register, holder, KEW, OAK)
    (fault,) = refused(register, holder, {"label": "kew", "title": "Kew", **member})
    assert "which a list does not change. Change the entry on its page" in fault


def test_csv_has_the_history_as_json(register: Register, holder: User) -> None:
    cell = json.dumps(PAST).replace('"', '""')
    document = f'label,title,status,successor,history\nkew,Kew,deprecated,oak,"{cell}"\noak,Oak,,,\n'
    write_entries(register, by=holder, document=document, list_format="csv", replaces=0)
    assert content("kew")["history"] == PAST
    wrong = 'label,title,history\nelm,Elm,[1\nfir,Fir,"[{""date"": ""x""}]"\n'
    with pytest.raises(ListRefused) as found:
        write_entries(register, by=holder, document=wrong, list_format="csv", replaces=1)
    assert "The value of “history” is not JSON" in found.value.failures[0]
    assert found.value.failures[1].startswith("Line 3: “date” in record 1 of the history: “x” is not a date")


@pytest.mark.parametrize(
    ("registered", "history", "updated", "place"),
    [
        ("x", "", "", "“registered”: “x” is not a date."),
        ("1998", "", "1990", "“updated”: “1990” is before “1998”"),
        ("1998", '[{"date": "x", "change": "changed"}]', "2004", "“date” in record 1 of the history: “x”"),
        (
            "",
            '[{"date": "2001", "change": "changed"}, 7]',
            "2004",
            "record 2 of the history: This is a number.",
        ),
        ("", '{"date": "2001"}', "2004", "“history”: This is a table (in JSON, an object). Write a list."),
    ],
)
def test_a_wrong_date_of_csv_is_named_by_its_column(
    register: Register, holder: User, registered: str, history: str, updated: str, place: str
) -> None:
    cell = history.replace('"', '""')
    document = f'label,title,registered,history,updated\nkew,Kew,{registered},"{cell}",{updated}\n'
    with pytest.raises(ListRefused) as found:
        write_entries(register, by=holder, document=document, list_format="csv", replaces=0)
    assert found.value.failures[0].startswith(f"Line 2: {place}")


def test_csv_has_dates_in_columns(register: Register, holder: User) -> None:
    document = "label,title,registered,updated\nkew,Kew,1998-05,2004\nelm,Elm,,2005\noak,Oak,,\n"
    write_entries(register, by=holder, document=document, list_format="csv", replaces=0)
    assert content("kew")["history"] == [
        {"date": "1998-05", "change": "registered"},
        {"date": "2004", "change": "changed"},
    ]
    assert content("elm")["history"] == [{"date": "2005", "change": "changed"}]
    assert "history" not in content("oak")
    wrong = 'label,title,registered,history\nfir,Fir,1998,{}\nash,Ash,1998,"[{""date"": ""1997"", ""change"": ""changed""}]"\n'
    with pytest.raises(ListRefused) as found:
        write_entries(register, by=holder, document=wrong, list_format="csv", replaces=1)
    assert [each.partition(": “")[0] for each in found.value.failures] == ["Line 2", "Line 3"]


@pytest.mark.parametrize("suffix", LIST_FILES)
def test_an_exported_register_is_the_same_in_an_empty_one(
    register: Register, holder: User, client: Client, suffix: str
) -> None:
    write(register, holder, KEW, OAK, GONE)
    register_entry(register, by=holder, label="elm", title="Elm")
    document = (
        client.get(f"/namespaces/example-trees/subnamespaces/example-trees.{suffix}").getvalue().decode()
    )
    rows = {row.prefix: row.content for row in SubNamespace.objects.all()}
    other = a_register(a_described_namespace("example-woods", registrant=holder), by=holder)
    import_list(other.namespace, document=document, list_format=suffix)
    found = SubNamespace.objects.filter(namespace=other.namespace)
    assert {row.prefix: row.content for row in found} == rows
    assert Entry.objects.filter(register=other).count() == 4
    # As lines of a list, without what the register itself states of where and when.
    third = a_register(a_described_namespace("example-hedges", registrant=holder), by=holder)
    lines = [
        {
            "label" if name == "prefix" else name: value
            for name, value in row.items()
            if name not in {"source", "as_of"}
        }
        for row in rows.values()
    ]
    write(third, holder, *lines)
    found = SubNamespace.objects.filter(namespace=third.namespace)
    ignored = {"source": "", "as_of": ""}
    assert {row.prefix: row.content | ignored for row in found} == {
        prefix: row | ignored for prefix, row in rows.items()
    }


def test_page_api_and_difference_show_the_history(register: Register, holder: User, client: Client) -> None:
    sent = {"document": jsonl(KEW, OAK), "list_format": "jsonl", "replaces": 0, "difference": "show"}
    difference = post_form(signed_in(holder), "/namespaces/example-trees/register/entries/import/", sent).text
    assert "2004-05: changed" in difference
    write(register, holder, {**KEW, "history": [{**PAST[0], "holder": "Board <of> Kew"}, *PAST[1:]]}, OAK)
    register_entry(register, by=holder, label="elm", title="Elm")
    page = html.unescape(client.get("/namespaces/example-trees/subnamespaces/?prefix=kew").text)
    assert "Before it was listed here" in page
    assert "Board <of> Kew" in page
    assert page.index("1998") < page.index("2004-05") < page.index("2011-03-09")
    assert "Before it was" not in client.get("/namespaces/example-trees/subnamespaces/?prefix=elm").text
    program = TokenClient(holder)
    row = program.get("namespaces/example-trees/subnamespace/?prefix=kew").json()
    entry = Entry.objects.get(subnamespace__prefix="kew")
    assert row["history"] == program.get(f"namespaces/example-trees/entries/{entry.pk}/").json()["history"]
    assert row["history"][1] == PAST[1]
    assert program.get("namespaces/example-trees/subnamespace/?prefix=elm").json()["history"] == []


def test_the_files_have_the_dates(register: Register, holder: User) -> None:
    months = [{"date": "1998-07", "change": "registered"}, {"date": "2004-05-06", "change": "changed"}]
    fir = {"label": "fir", "title": "Fir", "history": months}
    write(register, holder, KEW, OAK, GONE, fir)
    register_entry(register, by=holder, label="elm", title="Elm")
    register.namespace.refresh_from_db()
    written = {each.name[-4:]: "".join(each.lines()) for each in register_files(register) if each.lines}
    found = etree.fromstring(written[".xml"].encode()).iter("{*}record")
    today = f"{Event.objects.latest('number').at:%Y-%m-%d}"
    assert {each[0].text: dict(each.attrib) for each in found} == {
        "kew": {"updated": "2011-03-09"},  # registered in a year, which the form does not have
        "oak": {},
        "ash": {"updated": "2001-01"},
        "fir": {"date": "1998-07", "updated": "2004-05-06"},
        "elm": {"date": today},
    }
    assert "first registered <time>1998</time>" in written["html"]


def test_many_histories_take_as_many_statements_as_few(register: Register, holder: User) -> None:
    def rows(beginning: str, number: int, records: int) -> list[dict[str, Any]]:
        return [
            {"label": f"{beginning}{each}", "title": "Garden", "history": PAST[:records]}
            for each in range(number)
        ]

    write(register, holder, *rows("a", 150, 1))
    few = statements_of(lambda: write(register, holder, *rows("a", 150, 2), *rows("b", 150, 1)))
    write(register, holder, *rows("c", 1_000, 1))
    many = statements_of(lambda: write(register, holder, *rows("c", 1_000, 2), *rows("d", 1_000, 1)))
    assert many == few
    assert latest_version(register.namespace) == 4
