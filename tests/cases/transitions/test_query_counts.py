"""The queries of a submission and of a revision of it, each of which holds locks until the last one."""

from typing import Any

from registry.accounts.models import RoleName, User
from registry.cases.drafts.drafts import create_case
from registry.cases.workflow.functions import request_changes, submit
from registry.namespaces.models import Kind
from tests.support.factories import a_person, a_template, add_co_editor, all_done


def test_a_draft_takes_a_count_and_two_rows(registrant: User, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(5):  # with a savepoint
        create_case(by=registrant, kind=Kind.FORMAL, template=a_template())


def test_a_submission_takes_few_queries(
    registrant: User, co_editor: User, expert: User, administrator: User, django_assert_max_num_queries: Any
) -> None:
    draft = create_case(by=registrant, kind=Kind.FORMAL, template=a_template())
    add_co_editor(draft, by=registrant, user=co_editor)
    with django_assert_max_num_queries(32):
        case = submit(draft, by=registrant, draft_stamp=draft.draft_stamp)
    points = [("purpose", "Say who benefits."), ("syntax", "Say more.")]
    request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    answered = all_done(case)
    with django_assert_max_num_queries(32):
        submit(answered, by=registrant, draft_stamp=answered.draft_stamp)


def test_the_queries_do_not_depend_on_the_number_of_experts(
    registrant: User, expert: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        a_person(email=f"expert-{number}@example.org", roles=(RoleName.EXPERT,))
    draft = create_case(by=registrant, kind=Kind.FORMAL, template=a_template())
    with django_assert_max_num_queries(31):
        submit(draft, by=registrant, draft_stamp=draft.draft_stamp)
