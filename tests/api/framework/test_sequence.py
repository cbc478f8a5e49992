"""Registry-Sequence: a write tells the number of the last event, so that a read can ask for a server that has it."""

from registry.accounts.models import User
from registry.audit_log.models import LogPosition
from registry.cases.models import Case
from tests.api.client import TokenClient

HEADER = "Registry-Sequence"


def test_a_write_tells_the_last_event_and_a_read_does_not(
    token_client: TokenClient, registrant: User, case: Case
) -> None:
    answer = token_client.post(f"cases/{case.pk}/submit/", {"draft_stamp": case.draft_stamp})
    assert answer.status_code < 300, answer.text
    assert answer.headers[HEADER] == str(LogPosition.current().number)
    assert HEADER in answer.headers["Access-Control-Expose-Headers"]
    read = token_client.get(f"cases/{case.pk}/")
    assert HEADER not in read.headers


def test_a_write_that_is_refused_tells_nothing(token_client: TokenClient) -> None:
    assert HEADER not in token_client.post("cases/", {}).headers


def test_a_repeated_write_tells_the_last_event(token_client: TokenClient, case: Case) -> None:
    draft = {"draft_stamp": case.draft_stamp}
    first, again = (
        token_client.post(f"cases/{case.pk}/submit/", draft, Idempotency_Key='"x"') for _ in range(2)
    )
    assert again.headers["Idempotency-Replayed"]
    assert again.headers[HEADER] == first.headers[HEADER] == str(LogPosition.current().number)


def test_a_private_change_has_no_event(token_client: TokenClient, case: Case) -> None:
    assert token_client.post(f"cases/{case.pk}/submit/", {"draft_stamp": case.draft_stamp}).headers[HEADER]
    assert HEADER not in token_client.post("cases/", {"kind": "formal"}).headers


def test_pages_of_other_origins_may_send_it(token_client: TokenClient) -> None:
    answer = token_client.ask("options", "namespaces/")
    assert HEADER in answer.headers["Access-Control-Allow-Headers"]
