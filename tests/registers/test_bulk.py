"""Lists of entries that the holder writes at once: by the action, in the API, on the page and by the command."""

import html
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from registry.accounts.models import Scope, User
from registry.audit_log.models import Event
from registry.core.exceptions import NotPermitted, RegistryError
from registry.mail.models import Message
from registry.namespaces.models import Namespace
from registry.registers import lists, subjects
from registry.registers.actions.lists import write_entries
from registry.registers.actions.registers import change_register, register_entry
from registry.registers.lists import EntriesRefused, plan_list
from registry.registers.models import Entry, Register
from registry.subnamespaces.importing import ListUnchanged, StaleList, UnreadableList, latest_version
from registry.subnamespaces.models import ListVersion, ReplacedSubNamespace, SubNamespace
from tests.api.client import TokenClient, check_problem
from tests.organisations.conftest import an_organisation
from tests.registers.conftest import a_register, a_request, delegated
from tests.registers.test_entries import CYRILLIC, import_list
from tests.registers.test_entries import lines as imported
from tests.support.browser import post_form, signed_in
from tests.support.factories import describe
from urnsyntax.profiles import Profile

BULK = "namespaces/example-trees/register/entries/bulk/"
PAGE = "/namespaces/example-trees/register/"
UNSEEN = "ke%E2%80%8Bw"  # with a zero width space
Row = dict[str, str]


def row(label: str, title: str = "Garden", **more: str) -> Row:
    return {"label": label, "title": title, **more}


def jsonl(*rows: Any) -> str:
    return "\n".join(json.dumps(each) for each in rows)


def write(register: Register, by: User, *rows: Any, replaces: int | None = None) -> ListVersion:
    """Write rows, or one document, compared with the list as it is."""
    document = rows[0] if rows and isinstance(rows[0], str) else jsonl(*rows)
    replaces = latest_version(register.namespace) if replaces is None else replaces
    return write_entries(register, by=by, document=document, list_format="jsonl", replaces=replaces)


def refused(register: Register, by: User, *rows: Any) -> list[str]:
    """The faults of a list, of which nothing is written."""
    before = contents()
    with pytest.raises(EntriesRefused) as found:
        write(register, by, *rows)
    assert contents() == before
    return found.value.failures


def contents() -> dict[str, Any]:
    found: dict[str, Any] = dict(SubNamespace.objects.values_list("prefix", "content"))
    return found | {"versions": ListVersion.objects.count(), "entries": Entry.objects.count()}


def test_a_list_is_one_version_with_one_event(register: Register, holder: User) -> None:
    register_entry(register, by=holder, label="kew", title="Kew", reference="A book")
    made = write(
        register, holder, row("ash", "Ash Park", reference="RFC  8126"), row("kew", "Kew Gardens"), row("elm")
    )
    assert (made.version, made.total, made.is_registered) == (2, 3, True)
    assert made.counts == {"added": 2, "changed": 1, "retired": 0}
    ash, kew = (SubNamespace.objects.get(prefix=each) for each in ("ash", "kew"))
    assert ash.content["reference"] == "RFC 8126"
    assert ash.content["source"] == kew.content["source"] == "Register of urn:example-trees"
    assert (ash.is_registered, ash.entry.person, ash.entry.skeleton is not None) == (True, None, True)
    # A line says all: without a reference, there is none any more. What was replaced is kept.
    assert (kew.title, kew.content.get("reference")) == ("Kew Gardens", None)
    assert ReplacedSubNamespace.objects.get().content["reference"] == "A book"
    event = Event.objects.get(verb="write_entries")
    assert (event.actor, event.details["added"], event.details["revised"]) == (holder, 2, 1)
    assert event.text_digest == made.digest


def test_a_second_run_changes_nothing(register: Register, holder: User) -> None:
    rows = row("ash", reference="RFC 8126"), row("elm")
    write(register, holder, *rows)
    with pytest.raises(ListUnchanged):
        write(register, holder, *rows)
    assert write(register, holder, *rows, row("fir")).counts == {"added": 1, "changed": 0, "retired": 0}
    assert SubNamespace.objects.get(prefix="ash").version == 1


# What one entry is refused for, and what a title is.
REFUSED = [
    row("", "Kew"),
    row("x" * 256, "Kew"),
    row("kew", ""),
    row("kew", "x" * 201),
    row("kew", "Kew\N{ZERO WIDTH SPACE}Gardens"),
    row("kew", "https://example.org/"),
    row("kew", "K\N{CYRILLIC SMALL LETTER IE}w"),
    row("kew", reference="RFC\N{RIGHT-TO-LEFT OVERRIDE} 8126"),
    row("kew", reference="x" * 201),
    row("kew:1"),
    row("kew%3A1"),
    row(UNSEEN),
    row("%FF"),
    row("k w"),
    row("kew\N{ZERO WIDTH SPACE}"),
    row("kew!"),
    row("0ak"),  # looks like what is listed
    row("asked"),
    row("ASKED"),
    row(CYRILLIC),
    row("beech"),
]


def test_a_line_is_refused_with_the_sentence_of_one_entry(
    register: Register, holder: User, requester: User
) -> None:
    import_list(register.namespace, "oak", "beech:1")
    change_register(register, by=holder, policy="expert_review", title="Gardens", replaces=1)
    a_request(register, by=requester, label="asked")
    for wrong in REFUSED:
        with pytest.raises(RegistryError) as found:
            register_entry(register, by=holder, **wrong)
        assert refused(register, holder, row("ash"), wrong) == [f"Line 2: {found.value}"]


def test_the_holder_is_told_to_decide(register: Register, holder: User, requester: User) -> None:
    change_register(register, by=holder, policy="expert_review", title="Gardens", replaces=1)
    a_request(register, by=requester, label="kew")
    (fault,) = refused(register, holder, row("kew"))
    assert fault == "Line 1: “kew” is requested already. Decide on the request, or choose another label."
    with pytest.raises(subjects.EntryTaken, match=r"already\. Choose another label"):
        a_request(register, by=requester, label="kew")


def test_all_faults_are_listed_in_the_order_of_the_lines(register: Register, holder: User) -> None:
    write(register, holder, row("oak"))
    faults = refused(
        register,
        holder,
        "\n".join(
            [
                jsonl(row("0ak"), row("kew", holder="Board of Kew"), row("elm:1")),
                "{",
                '["fir"]',
                '{"label": "fir"}',
                '{"label": "fir", "title": 7}',
                "",
                jsonl(row("ash")),
            ]
        ),
    )
    assert [each.partition(":")[0] for each in faults] == [f"Line {number}" for number in range(1, 9)]
    assert "could be mistaken for “oak”" in faults[0]
    assert (
        faults[1]
        == "Line 2: “holder”: The key is unknown. Use one of: label, title, reference, fields, status, successor, history."
    )
    assert "which ends a label" in faults[2]
    assert "not a JSON object" in faults[3]
    assert "“title”: The key is missing." in faults[5]


def test_labels_of_one_list_that_are_the_same_or_look_alike_are_refused(
    register: Register, holder: User
) -> None:
    assert refused(register, holder, row("lima"), row("ash"), row("1ima"), row("lima")) == [
        "Line 3: “1ima” could be mistaken for “lima” on line 1 (UTS #39, Section 4). Choose another label.",
        "Line 4: “lima” is the same label as “lima” on line 1. Remove one.",
    ]


def test_lines_of_two_batches_are_compared(
    register: Register, holder: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "BATCH", 2)
    faults = refused(register, holder, row("lima"), row("ash"), row("1ima"), row("ash"), row("elm"))
    assert [each.partition(":")[0] for each in faults] == ["Line 3", "Line 4"]
    seen: list[tuple[int, int]] = []
    document = jsonl(row("lima"), row("ash"), row("elm"))
    change = plan_list(
        register, document, list_format="jsonl", on_lines=lambda done, total: seen.append((done, total))
    )
    assert (list(change.added), seen) == (["lima", "ash", "elm"], [(2, 3), (3, 3)])


def test_what_a_list_contradicts_as_a_whole_is_said_without_a_line(
    register: Register, holder: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile = register.namespace.current_profile
    assert profile is not None
    content = profile.to_dict()
    content["levels"] = [{**content["levels"][0], "coverage": "complete"}]
    describe(register.namespace, Profile.from_dict(content))
    register.namespace.refresh_from_db()
    (*faults,) = refused(register, holder, row("kew"), row("1"))
    assert [each.partition(" is an example of the profile")[0] for each in faults] == [
        "urn:example-trees:99:4"
    ]
    # What one batch lacks, another one has.
    monkeypatch.setattr(lists, "BATCH", 1)
    assert refused(register, holder, row("kew"), row("1")) == faults
    assert write(register, holder, row("kew"), row("1"), row("99")).added == 3


def test_an_equivalent_spelling_keeps_the_stored_one(register: Register, holder: User) -> None:
    write(register, holder, row("o-ak"))
    without_hyphens(register.namespace)
    with pytest.raises(ListUnchanged):
        write(register, holder, row("oak"))
    assert write(register, holder, row("oa-k", "Oak Park")).changed == 1
    oak = SubNamespace.objects.get()
    assert (oak.prefix, oak.title) == ("o-ak", "Oak Park")
    assert refused(register, holder, row("oak"), row("o-ak"))[0].startswith("Line 2: “o-ak” is the same")


def without_hyphens(namespace: Namespace) -> None:
    """Let hyphens not count when names are compared."""
    profile = namespace.current_profile
    assert profile is not None
    content = profile.to_dict()
    content["names"] |= {"ignored_characters": "-"}
    content["sources"][0]["facts"] = sorted({*content["sources"][0]["facts"], "comparison"})
    describe(namespace, Profile.from_dict(content))
    namespace.refresh_from_db()


def test_a_retired_label_is_never_assigned_again(register: Register, holder: User) -> None:
    import_list(register.namespace, "oak", "ash")
    import_list(register.namespace, "ash", retires_others=True)
    (fault,) = refused(register, holder, row("oak", "Oak"), row("ash", "Ash"))
    assert fault == "Line 1: “oak” is retired, and a label is never assigned again. Remove the line."


def test_an_imported_row_keeps_its_other_members_and_is_of_the_register(
    register: Register, holder: User
) -> None:
    content = {
        "prefix": "oak",
        "title": "Oak",
        "holder": "Board of Oak",
        "status": "deprecated",
        "source": "A list",
        "as_of": "2026-01-31",
    }
    import_list(register.namespace, document=json.dumps(content))
    write(register, holder, row("oak", "Oak Park"))
    oak = SubNamespace.objects.get()
    stated = {"source": "Register of urn:example-trees", "as_of": timezone.now().date().isoformat()}
    assert oak.content == content | {"title": "Oak Park"} | stated
    assert oak.is_registered
    # So a list that lacks it does not retire it.
    import_list(register.namespace, "elm", retires_others=True)
    assert SubNamespace.objects.get(prefix="oak").status == "deprecated"


def test_what_is_stored_is_not_judged_again(register: Register, holder: User) -> None:
    odd = "Oak https://oak.example/"
    import_list(register.namespace, document=imported("oak", UNSEEN, title=odd))
    with pytest.raises(ListUnchanged):
        write(register, holder, row("oak", odd), row(UNSEEN, odd))
    assert write(register, holder, row(UNSEEN, odd, reference="RFC 8126")).changed == 1
    assert "looks like an address" in refused(register, holder, row("oak", f"{odd}a"))[0]
    # Nor does a policy of today ask for what it lacks.
    change_register(register, by=holder, policy="specification", title="Gardens", replaces=1)
    assert write(register, holder, row("oak", "Oak")).changed == 1
    assert refused(register, holder, row("ash")) == ["Line 1: Enter the specification."]


def test_what_is_listed_further_below_is_not_changed(register: Register, holder: User) -> None:
    import_list(register.namespace, "oak:1")
    (fault,) = refused(register, holder, row("oak:1", "Oak"))
    assert "which ends a label" in fault


def test_what_was_compared_with_an_older_list_is_refused(register: Register, holder: User) -> None:
    write(register, holder, row("oak"), row("elm"))
    write(register, holder, row("oak", "Oak"))
    with pytest.raises(StaleList) as found:
        write(register, holder, row("oak", "Oak Park"), replaces=1)
    assert found.value.current == 2
    write(register, holder, row("elm", "Elm"), replaces=1)  # which no one changed
    import_list(register.namespace, "fir")
    with pytest.raises(StaleList):
        write(register, holder, row("ash"), replaces=3)
    with pytest.raises(StaleList):
        write(register, holder, row("ash"), replaces=5)
    write(register, holder, row("ash"), replaces=4)


@pytest.mark.parametrize(
    ("document", "list_format", "words"),
    [
        ("label,name\nkew,Kew\n", "csv", "Line 1: The column “name” is unknown."),
        ("label\nkew\n", "csv", "Line 1: A column is missing or repeated."),
        ('label,title\nkew,"Kew', "csv", "not CSV"),
        ("label,title\n", "csv", "no entry"),
        ("label,title\nkew,Kew\n", "jsonl", "Choose CSV."),
        ('\ufeff"label";"title"\r\n"kew";"Kew"\r\n', "jsonl", "Choose CSV."),
        ('{"label": "kew", "title": "Kew"}', "csv", "Choose JSON Lines."),
    ],
)
def test_what_is_no_list_is_refused(
    register: Register, holder: User, document: str, list_format: str, words: str
) -> None:
    with pytest.raises(UnreadableList) as found:
        write_entries(register, by=holder, document=document, list_format=list_format, replaces=0)
    assert words in str(found.value)


def test_csv_is_written(register: Register, holder: User) -> None:
    document = "label,title,reference\nkew,Kew Gardens,RFC 8126\nelm,Elm,\n"
    made = write_entries(register, by=holder, document=document, list_format="csv", replaces=0)
    assert made.added == 2
    assert SubNamespace.objects.get(prefix="kew").content["reference"] == "RFC 8126"
    with pytest.raises(EntriesRefused, match="Line 2: The row has 1 columns, the header 2"):
        write_entries(register, by=holder, document="label,title\nash\n", list_format="csv", replaces=1)


def test_only_the_holder_writes(register: Register, requester: User) -> None:
    with pytest.raises(NotPermitted):
        write(register, requester, row("kew"))


def statements_of(attempt: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as queries:
        attempt()
    return len(queries)


def test_lines_of_others_take_no_statement_each(register: Register, holder: User, requester: User) -> None:
    """An organisation holds them, and the list says what they say."""
    arboretum, counts = an_organisation(by=requester), []
    rows: list[Row] = []
    for label in ("ash", "elm", "fir"):
        entry = register_entry(register, by=holder, label=label, title="Garden")
        delegated(entry, by=holder, to=requester, organisation=arboretum)
        rows.append(row(label))
        counts.append(statements_of(lambda: plan_list(register, jsonl(*rows), list_format="jsonl")))
    assert counts[0] == counts[1] == counts[2]


@pytest.mark.exhaustive
def test_many_lines_take_as_many_statements_as_few(register: Register, holder: User) -> None:
    def rows(beginning: str, number: int, title: str = "Garden") -> list[Row]:
        return [row(f"{beginning}{each}", title) for each in range(number)]

    write(register, holder, *rows("a", 150))
    few = statements_of(lambda: write(register, holder, *rows("a", 150, "Park"), *rows("b", 150)))
    write(register, holder, *rows("c", 1_000))
    many = statements_of(lambda: write(register, holder, *rows("c", 1_000, "Park"), *rows("d", 1_000)))
    assert many == few


def test_a_list_is_sent_by_a_program(register: Register, holder: User, requester: User) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    program, document = TokenClient(holder), jsonl(row("ash"), row("kew", "Kew Gardens"))
    sent = {"document": document, "list_format": "jsonl", "replaces": 1}
    dry = program.post(BULK, sent | {"dry_run": True}).json()
    assert (dry["version"], dry["added"], dry["changed"], dry["retired"]) == (None, 1, 1, 0)
    assert (dry["added_prefixes"], dry["changed_prefixes"]) == (["ash"], ["kew"])
    assert ListVersion.objects.count() == 1
    made = program.post(BULK, sent).json()
    assert (made["version"], made["added"], made["changed"]) == (2, 1, 1)
    check_problem(program.post(BULK, sent), 409, "list-unchanged")
    check_problem(
        program.post(BULK, sent | {"document": jsonl(row("kew", "K")), "replaces": 1}), 409, "stale-list"
    )
    for is_dry in (True, False):
        wrong = sent | {"document": jsonl(row("ash"), row("k:1")), "dry_run": is_dry}
        problem = check_problem(program.post(BULK, wrong), 422, "entries-refused")
        assert problem["failures"][0].startswith("Line 2: “k:1” contains “:”")
        assert TokenClient(requester).post(BULK, wrong).status_code == 404
        weak = TokenClient(holder, Scope.WRITE).post(BULK, wrong)
        assert (weak.status_code, weak.json()["scope"]) == (403, "manage")


def test_a_request_takes_so_many_lines(
    register: Register, holder: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = TokenClient(holder)
    monkeypatch.setattr(lists, "MAX_LINES", 2)
    sent = {"list_format": "jsonl", "replaces": 0, "dry_run": True}
    assert program.post(BULK, sent | {"document": jsonl(row("a"), row("b")) + "\n"}).status_code == 200
    long = jsonl(row("a"), row("b"), row("c"))
    check_problem(program.post(BULK, sent | {"document": long}), 422, "text-too-long", "3 lines")
    monkeypatch.setattr(lists, "MAX_REQUEST", 20)
    check_problem(program.post(BULK, sent | {"document": jsonl(row("a"))}), 422, "text-too-long")


def test_a_dry_run_of_a_closed_register_is_refused(namespace: Namespace, holder: User) -> None:
    a_register(namespace, by=holder, policy="closed")
    sent = {"document": jsonl(row("ash")), "list_format": "jsonl", "replaces": 0, "dry_run": True}
    check_problem(TokenClient(holder).post(BULK, sent), 409, "policy-forbids")


def test_the_page_shows_the_difference_and_then_writes(
    register: Register, holder: User, requester: User
) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    browser, at = signed_in(holder), f"{PAGE}entries/import/"
    assert f'href="{at}"' in browser.get(PAGE).text
    assert at not in signed_in(requester).get(PAGE).text
    assert signed_in(requester).get(at).status_code == 404
    document = jsonl(row("ash"), row("kew", "Kew <Gardens>"))
    sent = {"document": document, "list_format": "jsonl", "replaces": 0}
    page = html.unescape(post_form(browser, at, sent | {"difference": "show"}).text)
    assert "1 would be added, 1 changed, 0 retired. Nothing is changed yet." in page
    assert "<del>Kew</del> <ins>Kew <Gardens></ins>" in page
    assert document in page
    assert 'name="replaces" value="1"' in page
    assert ListVersion.objects.count() == 1
    answer = post_form(browser, at, sent | {"replaces": 1})
    assert answer["Location"] == PAGE
    assert SubNamespace.objects.get(prefix="kew").title == "Kew <Gardens>"
    history = browser.get("/namespaces/example-trees/").text
    assert "Entries of the register: 1 added, 1 changed; version 2 of the list of sub-namespaces" in history


@pytest.mark.parametrize("button", [{}, {"difference": "show"}])
def test_the_page_shows_each_fault_and_keeps_the_list(register: Register, holder: User, button: Row) -> None:
    document = jsonl(*(row(f"{number}:") for number in range(12)))
    sent = {"document": document, "list_format": "jsonl", "replaces": 0, **button}
    answer = post_form(signed_in(holder), f"{PAGE}entries/import/", sent)
    assert answer.status_code == 422
    page = html.unescape(answer.text)
    assert page.count("Line 12: “11:” contains “:”") == 1
    assert "<li>Line 12: “11:” contains “:”" in page
    assert '<a href="#faults">See what is wrong</a>. Nothing is written.' in page
    assert document in page


def command(path: Path, *options: str, document: str | None = None, basis: str = "Ticket 17") -> str:
    if document is not None:
        path.write_text(document)
    out = io.StringIO()
    given = ["example-trees", str(path), "--basis", basis, *options]
    call_command("write_entries", *given, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_command_writes_a_list_once(register: Register, holder: User, tmp_path: Path) -> None:
    register_entry(register, by=holder, label="kew", title="Kew")
    path = tmp_path / "gardens.jsonl"
    document = jsonl(row("ash"), row("kew", "Kew Gardens"))
    assert command(path, "--dry-run", document=document) == (
        "+ ash: Garden\n~ kew: title: “Kew” → “Kew Gardens”\nexample-trees: would be 1 added, 1 changed\n"
    )
    assert ListVersion.objects.count() == 1
    dry = json.loads(command(path, "--dry-run", "--json"))
    assert (dry["nid"], dry["version"], dry["added"], dry["changed"]) == ("example-trees", None, 1, 1)
    assert dry["first_added"] == [{"prefix": "ash", "title": "Garden"}]
    written = "example-trees: 1 added, 1 changed; version 2 of the list of sub-namespaces\n"
    assert command(path) == written
    event = Event.objects.get(verb="write_entries")
    assert (event.actor, event.reason) == (None, "Ticket 17")
    assert ListVersion.objects.get(version=2).basis.endswith("“Gardens with numbered trees”: Ticket 17")
    mail = Message.objects.get(name="write_entries")
    assert mail.to == holder.email
    assert "The registry wrote a list of entries" in mail.body
    assert "Basis: Ticket 17" in mail.body
    assert command(path).startswith("example-trees: unchanged.")
    assert command(path, "--dry-run").startswith("example-trees: unchanged.")
    assert json.loads(command(path, "--json")) == {
        "nid": "example-trees",
        "version": None,
        "added": 0,
        "changed": 0,
    }


@pytest.mark.parametrize(
    ("document", "given", "status", "words"),
    [
        (jsonl(row("k:1")), [], 1, "Nothing is written."),
        (jsonl(row("ash")), ["--basis", " "], 1, "Enter the basis"),
        (jsonl(row("ash")), ["--below", "kew"], 2, "“kew” is no entry of a register"),
        (None, [], 2, "can't be read"),
    ],
)
@pytest.mark.parametrize("option", [[], ["--dry-run"]])
def test_the_command_says_why_it_wrote_nothing(
    register: Register,
    tmp_path: Path,
    document: str | None,
    given: list[str],
    status: int,
    words: str,
    option: list[str],
) -> None:
    with pytest.raises(CommandError, match=words) as found:
        command(tmp_path / "list", *option, *given, document=document)
    assert found.value.returncode == status
    assert not ListVersion.objects.exists()


def test_an_interrupted_command_leaves_nothing(
    register: Register, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    # After the rows are written, and before their event is.
    monkeypatch.setattr("registry.audit_log.log.append", interrupt)
    with pytest.raises(KeyboardInterrupt):
        command(tmp_path / "list", document=jsonl(row("ash")))
    assert contents() == {"versions": 0, "entries": 0}


@pytest.mark.exhaustive
@pytest.mark.slow
def test_ten_thousand_lines_in_one_request(register: Register, holder: User) -> None:
    rows = [
        row(f"garden-{number}", f"Garden number {number}", reference="RFC 8126") for number in range(10_000)
    ]
    sent = {"document": jsonl(*rows), "list_format": "jsonl", "replaces": 0}
    answer = TokenClient(holder).post(BULK, sent)
    assert answer.status_code == 200, answer.text[:500]
    assert answer.json()["added"] == Entry.objects.count() == 10_000
    assert Message.objects.filter(name="write_entries").count() == 0  # the only holder wrote them


@pytest.mark.soak
@pytest.mark.slow
def test_a_hundred_thousand_lines_by_command(register: Register, tmp_path: Path) -> None:
    path = tmp_path / "list"
    document = jsonl(*(row(f"garden-{number}", f"Garden number {number}") for number in range(100_000)))
    assert "100,000 added, 0 changed" in command(path, document=document)
    assert "unchanged" in command(path)
    changed = document.replace("Garden number 1", "Park number 1")
    assert "0 added, 11,111 changed" in command(path, document=changed)
    assert (SubNamespace.objects.count(), ListVersion.objects.count()) == (100_000, 2)


@pytest.mark.soak
@pytest.mark.slow
def test_a_long_list_is_written_after_one_was_taken_back(register: Register, tmp_path: Path) -> None:
    """PostgreSQL then expects no rows, and would read all of them again for each line."""
    path = tmp_path / "list"
    document = jsonl(*(row(f"garden-{number}", f"Garden number {number}") for number in range(20_000)))
    with transaction.atomic():
        command(path, document=document)
        transaction.set_rollback(True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE subnamespaces_subnamespace, registers_entry")
    assert "20,000 added, 0 changed" in command(path)
    assert "20,000 added, 0 changed" in command(path, document=document.replace("garden-", "park-"))
