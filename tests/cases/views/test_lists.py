"""The list of cases and its filters, “My page”, and the comparison of two rounds."""

import csv
import html
import re
from datetime import UTC, datetime
from itertools import combinations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.audiences import subscribe
from registry.cases.models import Case, CoEditor
from registry.cases.views import lists
from registry.cases.workflow import functions
from registry.namespaces.models import Kind
from tests.cases.transitions.rounds import a_revision_in_review, next_round
from tests.support.browser import page, signed_in
from tests.support.factories import a_body, a_case_in_review, a_draft, a_namespace, a_person, an_approved_case


def listed(client: Client, **query: str) -> set[Case]:
    answer = client.get(page("list"), query)
    assert answer.status_code == 200
    return set(answer.context["page"].rows)


@pytest.fixture
def cases(registrant: User, expert: User, administrator: User) -> dict[str, Case]:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    found = {
        "registered": namespace.cases.get(),
        "revision": a_revision_in_review(namespace, by=registrant),
        "approved": an_approved_case(by=registrant, expert=expert, namespace_identifier="example-hedges"),
        "informal": a_case_in_review(by=registrant, kind=Kind.INFORMAL),
        "fast": a_case_in_review(by=registrant, namespace_identifier="example-mosses", body=a_body()),
        "withdrawn": functions.withdraw(
            a_case_in_review(by=registrant, namespace_identifier="tree-ferns"), by=registrant
        ),
    }
    a_draft(by=registrant, namespace_identifier="example-trees-and-more")
    return found


# What is chosen, and what is listed.
CHOICES = [
    ({}, "registered revision approved informal fast withdrawn"),
    ({"state": "open"}, "revision approved informal fast"),
    ({"state": "closed"}, "registered withdrawn"),
    ({"state": "in_review"}, "revision informal fast"),
    ({"kind": "informal"}, "informal"),
    ({"kind": "formal", "state": "open"}, "revision approved fast"),
    ({"procedure": "fast_track"}, "fast"),
    ({"procedure": "community", "kind": "informal"}, "informal"),
    ({"nid": "tree"}, "registered revision withdrawn"),
    ({"nid": " URN:Example-Trees: "}, "registered revision"),
    ({"nid": "hedges", "state": "approved"}, "approved"),
    ({"nid": "hedges", "state": "withdrawn"}, ""),
    ({"nid": "%"}, ""),
    ({"nid": "trées"}, ""),
]


def test_the_list_shows_what_is_chosen(cases: dict[str, Case], client: Client) -> None:
    for chosen, names in CHOICES:
        assert listed(client, **chosen) == {cases[name] for name in names.split()}, chosen


def test_cases_are_found_by_words_people_and_dates(
    cases: dict[str, Case], registrant: User, expert: User, client: Client
) -> None:
    User.objects.filter(pk=registrant.pk).update(name="Rowan Example")
    User.objects.filter(pk=expert.pk).update(name="Hazel Sample-Person")
    other = a_case_in_review(
        by=a_person(email="other@example.org", name="Holly Example"),
        namespace_identifier="example-towers",
        purpose="Names of lighthouses.",
    )
    Case.objects.filter(pk=other.pk).update(state_since=datetime(2026, 3, 14, 23, 59, tzinfo=UTC))
    assert listed(client, q="LIGHTHOUSE") == listed(client, q="towers lighth") == {other}
    assert listed(client, q="towers bridges") == listed(client, q="%") == set()
    assert listed(client, registrant="holly") == listed(client, registrant="Example, Holly") == {other}
    assert listed(client, registrant="example") == {*cases.values(), other}
    assert listed(client, registrant="example.org") == listed(client, registrant="'") == set()
    assert listed(client, expert="hazel") == {cases["registered"], cases["approved"]}
    assert listed(client, expert="holly") == set()
    assert listed(client, since="2026-03-14", until="2026-03-14") == {other}
    assert listed(client, until="2026-03-13") == set()
    assert other not in listed(client, since="2026-03-15")
    assert listed(client, until="9999-12-31", since="0001-01-01") == {*cases.values(), other}


def test_drafts_are_not_found(registrant: User, expert: User, client: Client) -> None:
    User.objects.filter(pk=registrant.pk).update(name="Rowan Example")
    draft = a_draft(by=registrant, namespace_identifier="example-towers")
    Case.objects.filter(pk=draft.pk).update(state_since=datetime(2026, 3, 14, tzinfo=UTC))
    for reader in (client, signed_in(expert), signed_in(registrant)):
        for chosen in ({"q": "towers"}, {"registrant": "rowan"}, {"since": "2026-03-14"}, {"format": "csv"}):
            assert "towers" not in reader.get(page("list"), chosen).content.decode().replace('"towers"', "")


def test_what_is_chosen_can_be_downloaded(
    registrant: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    User.objects.filter(pk=registrant.pk).update(name="=HYPERLINK(1)")
    first, second, third = (
        a_case_in_review(by=registrant, namespace_identifier=f"example-{name}") for name in ("a1", "b1", "c1")
    )
    functions.withdraw(third, by=registrant)
    monkeypatch.setattr(lists, "MAX_DOWNLOAD", 1)
    answer = client.get(page("list"), {"state": "in_review", "format": "csv"})
    assert answer["Content-Type"].startswith("text/csv")
    [row] = csv.DictReader(answer.content.decode().splitlines())
    since = second.state_since.astimezone(UTC).isoformat(timespec="seconds")
    assert row == {"case": str(second.pk), "subject": "example-b1", "state": "in_review", "since": since,
                   "kind": "formal", "procedure": "community", "body": "", "registrant": "'=HYPERLINK(1)"}  # fmt: skip
    following = answer["Link"].removeprefix("<").partition(">")[0]
    last = client.get(following)
    assert [each["case"] for each in csv.DictReader(last.content.decode().splitlines())] == [str(first.pk)]
    assert "Link" not in last
    refused = client.get(page("list"), {"state": "no", "format": "csv"})
    assert (refused.status_code, refused["Content-Type"]) == (400, "text/html; charset=utf-8")


def test_an_informal_namespace_is_found_by_its_number(
    registrant: User, expert: User, administrator: User, client: Client
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator, kind=Kind.INFORMAL)
    assert listed(client, nid="urn-1") == {namespace.cases.get()}


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"kind": "special"}, "special is not one of the available choices"),
        ({"kind": "formal\n"}, "is not one of the available choices"),
        ({"procedure": "fást"}, "is not one of the available choices"),
        ({"nid": "x" * 61}, "at most 60 characters"),
        ({"nid": "a\x00"}, "Null characters"),
    ],
)
def test_an_invalid_filter_shows_an_error_and_all_cases(
    chosen: dict[str, str], sentence: str, registrant: User, client: Client
) -> None:
    case = a_case_in_review(by=registrant, kind=Kind.INFORMAL)
    answer = client.get(page("list"), chosen)
    assert answer.status_code == 400
    assert sentence in answer.text
    assert answer.context["page"].rows == [case]


@pytest.mark.exhaustive
def test_filters_are_kept_on_later_pages(
    cases: dict[str, Case], client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("registry.cases.views.lists.PAGE_SIZE", 2)
    seen: list[Case] = []
    places = []
    query = "?state=open&kind=formal"
    for _ in range(5):
        answer = client.get(page("list") + query)
        shown = answer.context["page"]
        seen += shown.rows
        places += re.findall(r"[0-9]+–[0-9]+ of [0-9]+", answer.text)
        if not shown.after:
            break
        query = f"?state=open&kind=formal&after={shown.after}"
        assert query in html.unescape(answer.text)
    assert len(seen) == len(set(seen)) == 3
    assert "First page" in answer.text
    assert places == ["1–2 of 3", "3–3 of 3"]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({}, "No cases yet"),
        ({"nid": "nothing-like-it"}, "No case matches all the filters"),
        ({"after": "1.1"}, "There are no cases on this page"),
    ],
)
def test_an_empty_list_shows_a_reason_and_a_next_step(
    query: dict[str, str], sentence: str, client: Client, db: None
) -> None:
    assert sentence in client.get(page("list"), query).text


@pytest.mark.exhaustive
def test_the_two_latest_rounds_are_compared_by_default(registrant: User, client: Client) -> None:
    case = a_case_in_review(by=registrant)
    for _ in range(3):
        case = next_round(case)
    address = page("compare", case.pk)
    for old, new in (*combinations(range(1, 5), 2), (4, 1), (2, 2)):
        answer = client.get(address, {"from": old, "to": new})
        assert f"Changes from round {old} to round {new}" in answer.text
        assert f'<option value="{old}" selected>' in answer.text
    assert "Changes from round 3 to round 4" in client.get(address).text
    shown = html.unescape(client.get(page("detail", case.pk)).text)
    for old, new in ((1, 2), (2, 3), (3, 4), (1, 4), (2, 4)):
        assert f'href="{address}?from={old}&to={new}"' in shown


def test_a_case_of_one_round_has_nothing_to_compare(registrant: User, client: Client) -> None:
    case = a_case_in_review(by=registrant)
    assert client.get(page("compare", case.pk)).status_code == 404
    assert page("compare", case.pk) not in client.get(page("detail", case.pk)).text


@pytest.mark.exhaustive
def test_the_history_names_the_person_concerned(
    registrant: User, co_editor: User, expert: User, administrator: User, client: Client
) -> None:
    case = a_case_in_review(by=registrant)
    who = signed_in(registrant)
    invited = signed_in(co_editor)
    who.post(page("transition", case.pk, "invite-co-editor"), {"email": co_editor.email})
    invited.post(page("transition", case.pk, "accept-invitation"))
    invited.post(page("transition", case.pk, "remove-co-editor"), {"person": co_editor.pk})
    who.post(page("transition", case.pk, "invite-co-editor"), {"email": co_editor.email})
    invited.post(page("transition", case.pk, "accept-invitation"))
    next_round(case)
    functions.approve(case, by=expert, round_number=2, rationale="Sound.")
    functions.assign(case, by=administrator)
    history = [line.label for line in client.get(page("detail", case.pk)).context["history"]]
    assert history == [
        "Registered example-trees, version 1",
        "Approved round 2",
        "Submitted round 2",
        "Accepted the invitation to be a co-editor",
        "Invited a co-editor",
        "Left the case as a co-editor",
        "Accepted the invitation to be a co-editor",
        "Invited a co-editor",
        "Submitted round 1",
    ]


def test_the_number_of_queries_does_not_grow_with_the_list(
    registrant: User, participant: User, expert: User, administrator: User
) -> None:
    everything = a_person(email="everything@example.org", roles=tuple(RoleName))

    def more(number: int) -> None:
        case = a_case_in_review(by=registrant, namespace_identifier=f"example-r{number}")
        subscribe(case, by=everything)
        subscribe(case, by=a_person(email=f"watcher-{number}@example.org"))
        said = comments.comment(case, by=participant, round_number=1, text="And elms?")
        comments.comment(case, by=everything, round_number=1, text="Too.", reply_to=said.pk)
        CoEditor.objects.create(case=case, user=a_person(email=f"editor-{number}@example.org"))
        an_approved_case(by=registrant, expert=expert, namespace_identifier=f"example-a{number}")
        body = a_body(name=f"Body {number}")
        a_case_in_review(by=registrant, namespace_identifier=f"example-f{number}", body=body)
        a_draft(by=everything, namespace_identifier=f"example-d{number}")
        a_case_in_review(by=everything, namespace_identifier=f"example-o{number}")
        a_namespace(
            by=everything,
            expert=expert,
            administrator=administrator,
            namespace_identifier=f"example-n{number}",
        )

    def cost() -> list[int]:
        counts = []
        first = Case.objects.public().order_by("pk")[0]
        for client in (Client(), signed_in(everything)):
            for address in (page("list"), f"{page('list')}?nid=example&state=open", page("mine")):
                with CaptureQueriesContext(connection) as queries:
                    client.get(address)
                counts.append(len(queries))
            with CaptureQueriesContext(connection) as queries:
                client.get(page("detail", first.pk))
            counts.append(len(queries))
        return counts

    more(0)
    cost()
    before = cost()
    for number in range(1, 3):
        more(number)
    assert cost() == before
