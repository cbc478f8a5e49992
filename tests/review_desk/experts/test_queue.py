"""/desk/: the groups of the queue, who holds what, and the price of the page."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import RoleName, User
from registry.cases import comments
from registry.cases.models import Case, CoEditor
from registry.cases.workflow import functions
from registry.cases.workflow.functions import people
from registry.review_desk.experts import actions as expert_actions
from registry.review_desk.experts.queue import QUEUE_GROUP_BY_SLUG, QUEUE_GROUPS, next_case
from registry.review_desk.models import Absence, CaseAssignment
from registry.review_desk.views import SHOWN
from tests.review_desk.conftest import SignIn, resubmitted, since
from tests.support.browser import queries_of
from tests.support.factories import a_case_in_review, a_draft, a_person, many_cases


def group(client: Client, slug: str) -> list[int]:
    """The cases that a group of the queue lists, in its order."""
    page = client.get(f"/desk/queue/{slug}/")
    assert page.status_code == 200
    return [int(number) for number in re.findall(r'<a href="/desk/cases/(\d+)/">Case', page.content.decode())]


def test_an_unreviewed_case_waits_for_a_first_review(case: Case, expert: User, signed_in: SignIn) -> None:
    client = signed_in(expert)
    assert group(client, "first") == [case.pk]
    assert [group(client, slug) for slug in ("resubmitted", "overdue", "discussed", "mine", "decided")] == [
        []
    ] * 5


def test_a_draft_is_in_no_group(registrant: User, expert: User, signed_in: SignIn) -> None:
    a_draft(by=registrant)
    assert all(group(signed_in(expert), each.slug) == [] for each in QUEUE_GROUPS)


def test_a_resubmitted_case_is_listed_for_its_reviewer(
    case: Case, registrant: User, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    mine = a_case_in_review(by=registrant, namespace_identifier="example-shrubs")
    theirs = since(resubmitted(case, expert=other_expert), 3)
    mine = resubmitted_shrubs(mine, expert)
    assert group(signed_in(expert), "resubmitted") == [mine.pk, theirs.pk]
    assert group(signed_in(other_expert), "resubmitted") == [theirs.pk, mine.pk]
    assert group(signed_in(expert), "first") == []


def resubmitted_shrubs(case: Case, expert: User) -> Case:
    return resubmitted(
        case, expert=expert, namespace_identifier="example-shrubs", purpose="Names shrubs, for all."
    )


def test_a_reviewed_round_is_no_longer_resubmitted(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    case = resubmitted(case, expert=expert)
    people.require_two_experts(case, by=expert, required=True, reason="It touches others.")
    functions.approve(case, by=expert, round_number=2, rationale="Sound.")
    assert group(signed_in(other_expert), "resubmitted") == []
    assert group(signed_in(other_expert), "discussed") == [case.pk]


def test_an_overdue_case_shows_by_how_much(case: Case, expert: User, signed_in: SignIn) -> None:
    since(case, 16)
    assert group(signed_in(expert), "overdue") == [case.pk]
    page = signed_in(expert).get("/desk/").content.decode()
    assert "With the designated experts for 16 days, overdue by 2 days" in page


def test_a_case_in_the_queue_shows_its_age_and_deadline(case: Case, expert: User, signed_in: SignIn) -> None:
    Case.objects.update(state_since=timezone.now() - timedelta(days=6, minutes=-5))
    assert group(signed_in(expert), "overdue") == []
    assert "for 5 days, due in 8 days" in signed_in(expert).get("/desk/").content.decode()
    assert "for 5 days, due in 8 days" in signed_in(expert).get(case.get_absolute_url()).content.decode()


def test_a_comment_on_the_latest_round_makes_it_discussed(
    case: Case, participant: User, expert: User, signed_in: SignIn
) -> None:
    comments.comment(case, by=participant, round_number=1, text="Which gardens?")
    assert group(signed_in(expert), "discussed") == [case.pk]


def test_an_assigned_case_is_listed_as_mine_and_shown_to_others(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    expert_actions.take_case(case, by=expert)
    assert group(signed_in(expert), "mine") == [case.pk]
    assert group(signed_in(other_expert), "mine") == []
    assert f"Assigned to {expert} since" in signed_in(other_expert).get("/desk/").content.decode()
    assert "Assigned to you since" in signed_in(expert).get("/desk/").content.decode()


@pytest.mark.exhaustive
def test_a_case_that_is_assigned_to_another_expert_stands_apart(
    case: Case, registrant: User, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    since(case, 16)
    waits = a_case_in_review(by=registrant, namespace_identifier="example-shrubs")
    expert_actions.take_case(case, by=other_expert)
    client = signed_in(expert)
    assert group(client, "first") == [waits.pk]
    assert group(client, "overdue") == []
    assert group(client, "claimed") == [case.pk]
    assert group(signed_in(other_expert), "claimed") == []
    assert group(signed_in(other_expert), "overdue") == [case.pk]
    people.require_two_experts(case, by=expert, required=True, reason="It affects others.")
    assert group(client, "overdue") == [case.pk]
    assert group(client, "claimed") == []


def test_an_assignment_to_an_absent_expert_leaves_the_case_to_the_others(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    expert_actions.take_case(case, by=other_expert)
    assert group(signed_in(expert), "first") == []
    today = timezone.now().date()
    Absence.objects.create(person=other_expert, first_day=today, last_day=today + timedelta(days=7))
    assert group(signed_in(expert), "first") == [case.pk]


@pytest.mark.parametrize("ended", ["recusal", "co-editor", "role", "account"])
def test_an_assignment_to_an_expert_who_can_no_longer_act_leaves_the_case_to_the_others(
    ended: str, case: Case, expert: User, other_expert: User
) -> None:
    expert_actions.take_case(case, by=other_expert)
    first = QUEUE_GROUP_BY_SLUG["first"]
    assert (list(first.cases(expert)), next_case(expert, after=0)) == ([], None)
    match ended:
        case "recusal":
            people.recuse(case, by=other_expert)
        case "co-editor":
            CoEditor.objects.create(case=case, user=other_expert)
        case "role":
            other_expert.granted_roles.all().delete()
        case "account":
            User.objects.filter(pk=other_expert.pk).update(is_active=False)
    assert (list(first.cases(expert)), next_case(expert, after=0)) == ([case], case)


def test_a_second_expert_gets_an_assigned_case_next(case: Case, expert: User, other_expert: User) -> None:
    expert_actions.take_case(case, by=other_expert)
    people.require_two_experts(case, by=expert, required=True, reason="It affects others.")
    assert next_case(expert, after=0) == case


def test_a_case_stands_once_with_registrant_round_comments_and_reasons(
    case: Case, registrant: User, expert: User, signed_in: SignIn
) -> None:
    case = since(resubmitted(case, expert=expert), 20)
    expert_actions.take_case(case, by=expert)
    comments.comment(case, by=registrant, round_number=2, text="Is it clear now?")
    page = signed_in(expert).get("/desk/").text
    assert page.count(f'<a href="/desk/cases/{case.pk}/">Case') == 1
    overdue = " ".join(page.partition('id="overdue"')[2].partition("</section>")[0].split())
    assert f"{registrant}, round 2, <strong>1 new comment</strong>. Also: Mine, Resubmitted" in overdue
    comments.comment(case, by=expert, round_number=2, text="It is.")
    assert "new comment" not in signed_in(expert).get("/desk/").text


def test_an_assigned_case_that_waits_for_others_does_not_wait_for_its_expert(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    expert_actions.take_case(case, by=expert)
    points = [("purpose", "Say who uses the names.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    assert group(signed_in(expert), "mine") == []
    assert group(signed_in(expert), "elsewhere") == [case.pk]


def test_decided_cases_are_listed_latest_first(
    case: Case, registrant: User, expert: User, signed_in: SignIn
) -> None:
    shrubs = a_case_in_review(by=registrant, namespace_identifier="example-shrubs")
    functions.approve(shrubs, by=expert, round_number=1, rationale="Sound.")
    functions.decline(case, by=expert, round_number=1, reason="It is not needed.")
    assert group(signed_in(expert), "decided") == [case.pk, shrubs.pk]


def test_own_and_recused_cases_are_not_in_the_queue(
    case: Case, expert: User, other_expert: User, signed_in: SignIn
) -> None:
    people.recuse(case, by=other_expert)
    own = a_case_in_review(by=expert, namespace_identifier="example-shrubs")
    assert group(signed_in(other_expert), "first") == [own.pk]
    assert group(signed_in(expert), "first") == [case.pk]


@pytest.mark.parametrize("role", RoleName)
def test_everyone_with_a_role_has_a_desk_and_a_link_to_it(role: RoleName, signed_in: SignIn) -> None:
    client = signed_in(a_person(email="somebody@example.org", roles=(role,)))
    assert client.get("/desk/").status_code == 200
    assert 'href="/desk/"' in client.get("/").content.decode()


def test_without_a_role_there_is_no_desk(participant: User, signed_in: SignIn) -> None:
    client = signed_in(participant)
    assert 'href="/desk/"' not in client.get("/").content.decode()
    for address in ("/desk/", "/desk/queue/first/", "/desk/absences/", "/desk/texts/", "/desk/texts/new/"):
        assert client.get(address).status_code == 404


@pytest.mark.parametrize("role", [RoleName.ADMINISTRATOR, RoleName.LIAISON])
def test_the_queue_and_the_texts_are_the_experts(role: RoleName, case: Case, signed_in: SignIn) -> None:
    client = signed_in(a_person(email="somebody@example.org", roles=(role,)))
    for address in ("/desk/queue/first/", "/desk/texts/", f"/desk/cases/{case.pk}/"):
        assert client.get(address).status_code == 404


@pytest.mark.parametrize("name", ["nothing", "first%0A", "fïrst", "firsts"])
def test_an_unknown_group_is_not_found(name: str, expert: User, signed_in: SignIn) -> None:
    assert signed_in(expert).get(f"/desk/queue/{name}/").status_code == 404


@pytest.mark.parametrize("key", ["", "x", "1.2", "1.2.3\n", "٠.1.1", "0." + "9" * 18 + ".1", "0.1.-1"])
def test_an_empty_page_key_shows_the_first_page(
    key: str, case: Case, expert: User, signed_in: SignIn
) -> None:
    page = signed_in(expert).get("/desk/queue/first/", {"after": key})
    assert f"/desk/cases/{case.pk}/" in page.content.decode()


def test_a_group_whose_cases_stand_above_keeps_its_count_and_its_further_pages(
    case: Case, expert: User, signed_in: SignIn
) -> None:
    since(case, 20)
    case.refresh_from_db()
    many_cases(case, SHOWN)
    CaseAssignment.objects.bulk_create(
        CaseAssignment(case=each, person=expert) for each in Case.objects.all()
    )
    page = signed_in(expert).get("/desk/").text
    mine = page.partition('id="mine"')[2].partition("</section>")[0]
    assert f"Mine: {Case.objects.count()}<" in page
    assert "No cases are assigned to you." not in mine
    assert f"{SHOWN} more cases of this group are listed above." in mine
    assert "/desk/queue/mine/?after=" in mine


@pytest.mark.parametrize(
    "address",
    [
        "/desk/",
        *(
            pytest.param(f"/desk/queue/{name}/", marks=pytest.mark.soak)
            for name in ("first", "overdue", "mine")
        ),
    ],
)
def test_the_number_of_queries_does_not_grow_with_the_queue(
    address: str, case: Case, expert: User, signed_in: SignIn
) -> None:
    since(case, 20)
    case.refresh_from_db()
    client = signed_in(expert)
    many_cases(case, 60)  # more than a page, which is then counted
    CaseAssignment.objects.bulk_create(
        CaseAssignment(case=each, person=expert) for each in Case.objects.all()
    )
    few = queries_of(client, address)
    many_cases(Case.objects.get(pk=case.pk), 500)
    held = Case.objects.exclude(assignments__isnull=False)
    CaseAssignment.objects.bulk_create(CaseAssignment(case=each, person=expert) for each in held)
    assert queries_of(client, address) == few


@pytest.mark.exhaustive
def test_the_pages_of_a_group_list_every_case_once(case: Case, expert: User, signed_in: SignIn) -> None:
    many_cases(case, 120)
    client, seen, address = signed_in(expert), [], "/desk/queue/first/"
    for place in ("1–50 of 121", "51–100 of 121", "101–121 of 121"):
        page = client.get(address).content.decode()
        assert place in page
        seen += re.findall(r'<a href="/desk/cases/(\d+)/">Case', page)
        further = re.search(r'<a href="(\?after=[^"]+)">Next page', page)
        address = f"/desk/queue/first/{further[1] if further else ''}"
    assert not further
    assert len(seen) == len(set(seen)) == 121
    waited = [Case.objects.get(pk=key).state_since for key in seen]
    assert waited == sorted(waited)
