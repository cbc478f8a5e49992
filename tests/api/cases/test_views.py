"""Cases in the API: everyone can read what is public, and nothing else."""

from typing import Any

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.api.cases.views import KEYSETS
from registry.cases import comments
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.core import pagination
from registry.namespaces.models import Namespace
from tests.support.factories import a_case_in_review, a_draft, a_namespace, a_template, all_done

CASES = "/api/v1/cases/"


@pytest.fixture
def case(registrant: User, expert: User, participant: User) -> Case:
    """Two rounds, a review with action points, two comments."""
    case = a_case_in_review(by=registrant)
    comments.comment(case, by=participant, round_number=1, text="What of hedges?", section="purpose")
    comments.comment(case, by=participant, round_number=1, text="I like it.")
    points = [("purpose", "Say who benefits.")]
    case = functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    text = a_template(purpose="Names trees, for gardeners.")
    case = all_done(drafts.save_draft(case, text, by=registrant, stamp=case.draft_stamp))
    return functions.submit(case, by=registrant, draft_stamp=case.draft_stamp)


def get(client: Client, address: str, **parameters: str) -> Any:
    response = client.get(address, parameters)
    assert response.status_code == 200, response.content
    return response.json()


def test_a_case_has_its_status_and_rounds(client: Client, case: Case) -> None:
    body = get(client, f"{CASES}{case.pk}/")
    assert (body["number"], body["state"], body["is_open"]) == (case.pk, "in_review", True)
    assert (body["requested_nid"], body["namespace"], body["kind"]) == ("example-trees", None, "formal")
    assert body["registrant"] == str(case.registrant)
    assert body["status"]["waiting_for"] == "The designated experts"
    assert [each["round"] for each in body["rounds"]] == [1, 2]
    assert get(client, body["links"]["rounds"])["results"] == body["rounds"]
    for name in ("self", "reviews", "comments", "events"):
        get(client, body["links"][name])
    assert client.get(body["links"]["html"]).status_code == 200


def test_a_round_keeps_what_was_submitted(client: Client, case: Case) -> None:
    first, second = (get(client, each["url"]) for each in get(client, f"{CASES}{case.pk}/")["rounds"])
    assert first["sections"]["purpose"].startswith("Names trees in the care")
    assert second["sections"]["purpose"] == "Names trees, for gardeners."
    template = client.get(second["links"]["template"])
    assert template["Content-Type"] == "text/plain; charset=utf-8"
    assert template.content.decode() == case.rounds.get(number=2).text


def test_a_round_has_the_findings_that_the_page_shows(
    client: Client, registrant: User, isbn: Namespace
) -> None:
    case = a_case_in_review(by=registrant, namespace_identifier="isbm", resolution="It is a TODO.")
    found = get(client, f"{CASES}{case.pk}/rounds/1/")["findings"]
    page = client.get(f"/cases/{case.pk}/").content.decode()
    assert {each["section"] for each in found} >= {"namespace_identifier", "resolution"}
    assert all(each["code"] and each["message"] and each["severity"] == "advice" for each in found)
    assert "isbn" in page


def test_reviews_and_comments_are_listed_in_order(client: Client, case: Case) -> None:
    (review,) = get(client, f"{CASES}{case.pk}/reviews/")["results"]
    assert (review["round"], review["verdict"]) == (1, "request_changes")
    (point,) = review["action_points"]
    assert (point["section"], point["text"]) == ("purpose", "Say who benefits.")
    assert point["reply"] == {"round": 2, "outcome": "done", "text": None}
    comments = get(client, f"{CASES}{case.pk}/comments/")["results"]
    assert [(each["section"], each["text"]) for each in comments] == [
        ("purpose", "What of hedges?"),
        (None, "I like it."),
    ]


def test_comments_come_in_pages(client: Client, case: Case) -> None:
    first = client.get(f"{CASES}{case.pk}/comments/", {"page_size": "1"})
    body = first.json()
    assert body["has_more"]
    assert first["Link"].startswith(f'<{body["next"]}>; rel="next"')
    second = get(client, body["next"])
    assert not second["has_more"]
    assert second["next"] is None
    assert body["results"][0]["number"] < second["results"][0]["number"]


def test_a_page_ends_early_when_its_texts_are_long(
    client: Client, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pagination, "MAX_PAGE_TEXT", 5)
    body = get(client, f"{CASES}{case.pk}/comments/")
    assert [each["text"] for each in body["results"]] == ["What of hedges?"]
    assert [each["text"] for each in get(client, body["next"])["results"]] == ["I like it."]


def test_cases_contain_no_email_addresses(client: Client, case: Case) -> None:
    for part in ("", "reviews/", "comments/", "events/"):
        words = client.get(f"{CASES}{case.pk}/{part}").content.decode()
        assert "@" not in words, part


@pytest.mark.parametrize(
    "part", ["", "rounds/", "rounds/1/", "rounds/1/template.txt", "reviews/", "comments/", "events/"]
)
def test_a_draft_is_not_public(client: Client, registrant: User, part: str) -> None:
    draft = a_draft(by=registrant)
    response = client.get(f"{CASES}{draft.pk}/{part}")
    assert response.status_code == 404
    assert response.json()["type"].endswith("/problems/case-unknown/")
    assert get(client, CASES)["results"] == []


@pytest.mark.sampled(12)
@pytest.mark.parametrize(
    "number", ["0", "01", "-1", "1%0A", "%D9%A1", "1.0", "9" * 18, "9" * 30, "one", "%00"]
)
@pytest.mark.parametrize("part", ["", "rounds/1/", "events/"])
def test_an_invalid_case_number_is_a_404(client: Client, case: Case, number: str, part: str) -> None:
    response = client.get(f"{CASES}{number}/{part}")
    assert (response.status_code, response["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("number", ["0", "3", "01", "1%0A", "9" * 12, "9" * 30, "latest"])
def test_an_unknown_round_is_a_404(client: Client, case: Case, number: str) -> None:
    response = client.get(f"{CASES}{case.pk}/rounds/{number}/")
    assert response.status_code == 404
    assert response.json()["type"].endswith("/problems/round-unknown/")


FILTERS = [
    ({}, [3, 2, 1]),
    ({"ordering": "number"}, [1, 2, 3]),
    ({"state": "in_review"}, [3, 2]),
    ({"state": "registered"}, [1]),
    ({"is_open": "true"}, [3, 2]),
    ({"is_open": "false"}, [1]),
    ({"kind": "informal"}, [3]),
    ({"procedure": "fast_track"}, []),
    ({"is_revision": "true"}, []),
    ({"nid": "EXAMPLE-trees"}, [1]),
    ({"nid": "hedges"}, [2]),
    ({"ordering": "state"}, [2, 3, 1]),
    ({"ordering": "-state"}, [1, 3, 2]),
    ({"ordering": "state_since"}, [1, 2, 3]),
    ({"ordering": "-changed_at", "is_open": "true"}, [3, 2]),
    ({"updated_since": "2020-01"}, [3, 2, 1]),
    ({"q": "hedge"}, [2]),
    ({"q": ""}, [3, 2, 1]),
    ({"registrant": "registrant"}, [3, 2, 1]),
    ({"registrant": "expert"}, []),
    ({"expert": "expert"}, [1]),
    ({"since": "2020-01-01"}, [3, 2, 1]),
    ({"until": "2020-01-01"}, []),
    ({"updated_since": "2999-01-01"}, []),
]


@pytest.mark.sampled(4, 1)
@pytest.mark.parametrize("ordering", sorted(KEYSETS))
def test_every_order_is_read_in_pages(client: Client, registrant: User, expert: User, ordering: str) -> None:
    cases = [a_case_in_review(by=registrant, namespace_identifier=f"hedges-{n}") for n in range(5)]
    for case in (cases[3], cases[1]):
        functions.decline(case, by=expert, round_number=1, reason="It overlaps.")
    comments.comment(cases[0], by=expert, round_number=1, text="Which?")
    # As after an import: several at one time.
    Case.objects.filter(pk__in=[cases[2].pk, cases[4].pk]).update(state_since=cases[2].state_since)
    columns = KEYSETS[ordering].ordering
    body, seen = get(client, CASES, ordering=ordering, page_size="2"), list[int]()
    seen += [each["number"] for each in body["results"]]
    while body["next"]:
        body = client.get(body["next"]).json()
        seen += [each["number"] for each in body["results"]]
    assert seen == list(Case.objects.order_by(*columns).values_list("pk", flat=True))


@pytest.mark.parametrize(
    ("ordering", "after"),
    [
        ("number", "in_review.1.1"),
        ("state", "1"),
        ("changed_at", "1"),
        ("state_since", "in_review.1"),
        ("number", "x"),
    ],
)
def test_a_key_of_another_order_is_refused(client: Client, ordering: str, after: str) -> None:
    response = client.get(CASES, {"ordering": ordering, "after": after})
    assert response.status_code == 400
    assert response.json()["errors"][0]["parameter"] == "after"


def test_only_the_chosen_members_are_listed(client: Client, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    (found,) = get(client, CASES, fields="state,subject,state")["results"]
    assert found == {"number": case.pk, "state": "in_review", "subject": "example-trees"}
    for wrong in ("", "colour", "state,", "state, subject", "draft"):
        response = client.get(CASES, {"fields": wrong})
        assert response.status_code == 400, wrong
        assert response.json()["errors"][0]["parameter"] == "fields"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("asked", "wanted"), FILTERS, ids=str)
def test_the_list_can_be_filtered(
    client: Client,
    registrant: User,
    expert: User,
    administrator: User,
    asked: dict[str, str],
    wanted: list[int],
) -> None:
    a_namespace(by=registrant, expert=expert, administrator=administrator)
    a_case_in_review(by=registrant, namespace_identifier="hedges")
    a_case_in_review(by=registrant, kind="informal")
    a_draft(by=registrant)
    numbers = list(Case.objects.order_by("pk").values_list("pk", flat=True))
    found = get(client, CASES, **asked)["results"]
    assert [numbers.index(each["number"]) + 1 for each in found] == wanted
    seen, place = [], f"{CASES}?page_size=1&" + "&".join(f"{name}={value}" for name, value in asked.items())
    while place:
        body = get(client, place)
        seen += [each["number"] for each in body["results"]]
        place = body["next"]
    assert seen == [each["number"] for each in found]


@pytest.mark.parametrize(
    "query",
    ["state=draft", "state=", "is_open=yes", "is_open=", "after=x", "after=-1", "after=1%0A", "after=%D9%A1",
     "nid=a%20b", "nid=", "ordering=pk", "updated_since=2026-02-31", "page_size=0", "page_size=1001", "colour=red",
     "q=a%0A", "expert=a%00", "since=2026-02-31", "since=", "until=2026"],
)  # fmt: skip
def test_a_wrong_parameter_is_a_400_that_names_it(client: Client, db: None, query: str) -> None:
    response = client.get(f"{CASES}?{query}")
    assert response.status_code == 400
    assert response.json()["errors"][0]["parameter"] == query.partition("=")[0]
