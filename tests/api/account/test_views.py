"""The account of the user."""

from registry.accounts.models import Scope, User
from registry.cases.models import Case
from tests.api.client import TokenClient


def test_the_account_contains_the_users_own_cases(
    token_client: TokenClient, case: Case, participant: User
) -> None:
    assert [each["number"] for each in token_client.get("account/").json()["drafts"]] == [case.pk]
    theirs = TokenClient(participant, Scope.READ).get("account/").json()
    assert (theirs["drafts"], theirs["cases"], theirs["waiting"]) == ([], [], {"registrant": []})
