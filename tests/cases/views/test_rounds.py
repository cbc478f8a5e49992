"""The rounds of a case: their texts, and what differs between two of them."""

import pytest
from django.test import Client

from registry.accounts.models import User
from registry.cases import comments
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from registry.namespaces.actions.transfers import accept_transfer, offer_transfer
from tests.cases.transitions.rounds import a_revision_in_review
from tests.support.browser import page
from tests.support.factories import (
    a_case_in_review,
    a_namespace,
    a_template,
    all_done,
)


@pytest.fixture
def case(registrant: User) -> Case:
    return a_case_in_review(by=registrant)


def second_round(case: Case, purpose: str = "Names trees, and the hedges between them.") -> Case:
    case = Case.objects.get(pk=case.pk)
    template = a_template(purpose=purpose)
    saved = all_done(drafts.save_draft(case, template, by=case.registrant, stamp=case.draft_stamp))
    return functions.submit(saved, by=case.registrant, draft_stamp=saved.draft_stamp)


def test_every_round_is_there_as_plain_text(client: Client, case: Case) -> None:
    second_round(case)
    first = client.get(page("template", case.pk, 1))
    assert first["Content-Type"] == "text/plain; charset=utf-8"
    assert "Purpose:" in first.text
    assert "hedges" not in first.text
    assert "hedges" in client.get(page("template", case.pk, 2)).text
    assert client.get(page("template", case.pk, 3)).status_code == 404


def test_two_rounds_are_compared(client: Client, case: Case) -> None:
    second_round(case)
    answer = client.get(page("compare", case.pk), {"from": "1", "to": "2"})
    assert answer.status_code == 200
    assert "<ins>" in answer.text
    assert [section.key for section in answer.context["changes"].changed] == ["purpose"]


@pytest.mark.parametrize(
    ("number", "status"),
    [
        ("", 400),
        ("1\n", 400),
        ("١", 400),
        ("x", 400),
        ("-1", 400),
        ("9", 404),
        ("9" * 40, 400),
        ("9" * 5000, 400),
    ],
)
def test_a_comparison_needs_rounds_that_exist(client: Client, case: Case, number: str, status: int) -> None:
    second_round(case)
    answer = client.get(page("compare", case.pk), {"from": "1", "to": number})
    assert answer.status_code == status
    assert "a whole number of 1 or more" in answer.text or "There is no round 9" in answer.text or not number


def test_a_comparison_ignores_other_parameters(client: Client, case: Case) -> None:
    second_round(case)
    for query in ({"utm": "1"}, {"from": "1"}, {"to": "2"}):
        assert client.get(page("compare", case.pk), query).context["new"].number == 2


def test_markup_in_a_text_is_escaped(client: Client, registrant: User, participant: User) -> None:
    attack = "<script>alert(1)</script>"
    case = a_case_in_review(by=registrant, purpose=f"Names trees {attack}")
    comments.comment(case, by=participant, round_number=1, text=attack)
    shown = client.get(page("detail", case.pk)).text
    assert attack not in shown
    assert shown.count("&lt;script&gt;") == 2


def test_a_revision_of_a_transferred_namespace_shows_the_transfer(
    client: Client, registrant: User, expert: User, administrator: User, participant: User
) -> None:
    namespace = a_namespace(by=registrant, expert=expert, administrator=administrator)
    case = a_revision_in_review(namespace, by=registrant)
    accept_transfer(offer_transfer(namespace, by=registrant, to=participant.email), by=participant)
    assert "the namespace was transferred to another registrant" in client.get(page("detail", case.pk)).text
