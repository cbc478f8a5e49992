"""The queries of a whole request that begins or submits a case, with an Idempotency-Key."""

from typing import Any

from registry.accounts.models import User
from tests.api.client import KEY, TokenClient
from tests.support.factories import a_template


def test_beginning_and_submitting_a_case_take_few_queries(
    token_client: TokenClient, expert: User, administrator: User, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(13):
        begun = token_client.post(
            "cases/", {"kind": "formal", "sections": a_template().to_json()}, Idempotency_Key=KEY
        )
    with django_assert_max_num_queries(35):
        token_client.post(
            f"cases/{begun.json()['number']}/submit/",
            {"draft_stamp": begun.json()["draft_stamp"]},
            Idempotency_Key=KEY.replace("8e", "9e"),
        )
