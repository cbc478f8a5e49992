"""Comments on cases, and replies to them."""

from registry.accounts.models import Scope, User
from tests.api.client import TokenClient, check_problem
from tests.support.factories import a_case_in_review


def test_a_reply_names_its_comment_and_has_its_section(registrant: User, participant: User) -> None:
    here = f"cases/{a_case_in_review(by=registrant).pk}/comments/"
    asking, answering = TokenClient(participant, Scope.WRITE), TokenClient(registrant, Scope.WRITE)
    said = {"round": 1, "section": "purpose", "text": "Which trees?"}
    first = asking.post(here, said).json()
    assert first["reply_to"] is None
    reply = {"round": 1, "text": "All.", "reply_to": first["number"]}
    second = answering.post(here, reply).json()
    assert (second["reply_to"], second["section"]) == (first["number"], "purpose")
    listed = asking.client.get(f"/api/v1/{here}").json()["results"]
    assert [each["reply_to"] for each in listed] == [None, first["number"]]
    nowhere = answering.post(here, reply | {"reply_to": second["number"] + 1})
    check_problem(nowhere, 422, "comment-refused")


def test_a_comment_is_stored_and_links_to_its_page(participant: User, registrant: User) -> None:
    case = a_case_in_review(by=registrant)
    path = f"cases/{case.pk}/comments/"
    said = TokenClient(participant).post(path, {"round": 1, "section": "purpose", "text": "Which trees?"})
    assert said.status_code == 201
    assert said.json()["html"].endswith(f"/cases/{case.pk}/#comment-{said.json()['number']}")
    for wrong, kind in (
        ({"round": 2, "text": "x"}, "comment-refused"),
        ({"round": 1, "text": "x", "section": "nothing"}, "comment-refused"),
        ({"round": 1, "text": " "}, "text-missing"),
        ({"round": 1, "text": "x" * 20_001}, "text-too-long"),
    ):
        check_problem(TokenClient(participant).post(path, wrong), 422, kind)
