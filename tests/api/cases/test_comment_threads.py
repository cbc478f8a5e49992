"""A comment through the API can answer another one."""

from registry.accounts.models import Scope, User
from tests.api.client import TokenClient, check_problem
from tests.support.factories import a_case_in_review


def test_an_answer_names_its_comment_and_has_its_section(registrant: User, participant: User) -> None:
    here = f"cases/{a_case_in_review(by=registrant).pk}/comments/"
    asking, answering = TokenClient(participant, Scope.WRITE), TokenClient(registrant, Scope.WRITE)
    said = {"round_number": 1, "section": "purpose", "text": "Which trees?"}
    first = asking.post(here, said).json()
    assert first["answers"] is None
    reply = {"round_number": 1, "text": "All.", "answers": first["number"]}
    second = answering.post(here, reply).json()
    assert (second["answers"], second["section"]) == (first["number"], "purpose")
    listed = asking.client.get(f"/api/v1/{here}").json()["results"]
    assert [each["answers"] for each in listed] == [None, first["number"]]
    nowhere = answering.post(here, reply | {"answers": second["number"] + 1})
    check_problem(nowhere, 422, "comment-refused")
