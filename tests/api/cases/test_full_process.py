"""One namespace from the first draft to the lookup, by the API alone."""

from registry.accounts.models import Scope, User
from registry.audit_log.log import verified
from registry.namespaces.models import Namespace
from tests.api.client import TokenClient
from tests.support.factories import a_template


def test_a_namespace_is_registered_through_the_api_only(
    registrant: User, expert: User, administrator: User
) -> None:
    asker = TokenClient(registrant, Scope.READ, Scope.WRITE)
    reviewer, assigner = TokenClient(expert, Scope.DECIDE), TokenClient(administrator, Scope.DECIDE)

    begun = asker.post("cases/", {"kind": "formal", "sections": {"purpose": "Names trees."}})
    assert begun.status_code == 201, begun.text
    case = f"cases/{begun.json()['number']}"
    assert begun.json()["state"] == "draft"

    checked = asker.post(f"{case}/check").json()
    assert checked["is_ready"] is False
    assert {"syntax", "registrant"} <= {finding["section"] for finding in checked["findings"]}
    too_early = asker.post(f"{case}/submit", {"draft_stamp": checked["draft_stamp"]})
    assert too_early.status_code == 422
    assert {finding["section"] for finding in too_early.json()["findings"]} >= {"syntax", "registrant"}

    draft = asker.get(f"{case}/draft")
    written = {"sections": a_template().to_json()}
    saved = asker.put(f"{case}/draft", written, If_Match=draft.headers["ETag"])
    assert saved.status_code == 200, saved.text
    stamp = saved.json()["draft_stamp"]
    assert asker.post(f"{case}/check").json()["is_ready"] is True

    submitted = asker.post(f"{case}/submit", {"draft_stamp": stamp}).json()
    assert (submitted["state"], submitted["round"]) == ("in_review", 1)

    point = {"section": "purpose", "text": "Say who benefits."}
    returned = reviewer.post(f"{case}/request-changes", {"round": 1, "action_points": [point]})
    assert returned.json()["state"] == "changes_requested", returned.text

    said = asker.post(
        f"{case}/comments",
        {"round": 1, "section": "purpose", "text": "Gardens and their visitors do."},
    )
    assert said.status_code == 201, said.text
    draft = asker.get(f"{case}/draft")
    etag = draft.headers["ETag"]
    (asked,) = draft.json()["action_points"]
    assert (asked["section"], asked["text"], asked["reply"]["outcome"]) == (
        "purpose",
        "Say who benefits.",
        None,
    )
    unanswered = asker.post(f"{case}/submit", {"draft_stamp": draft.json()["draft_stamp"]})
    assert unanswered.json()["type"].endswith("/points-unanswered/")
    assert unanswered.json()["points"] == [{name: asked[name] for name in ("number", "section", "text")}]
    patch = {
        "sections": {"purpose": "Names trees, for gardens and their visitors."},
        "replies": [{"point": asked["number"], "outcome": "done"}],
    }
    patched = asker.patch(f"{case}/draft", patch, If_Match=etag)
    assert patched.json()["sections"]["syntax"] == a_template().syntax, patched.text
    again = asker.post(f"{case}/submit", {"draft_stamp": patched.json()["draft_stamp"]}).json()
    assert (again["state"], again["round"]) == ("in_review", 2)

    outdated = reviewer.post(f"{case}/approve", {"round": 1, "rationale": "Sound."})
    assert outdated.status_code == 409
    assert outdated.json()["type"].endswith("/stale-round/")
    approved = reviewer.post(f"{case}/approve", {"round": 2, "rationale": "Sound."}).json()
    assert approved["state"] == "approved"

    assigned = assigner.post(f"{case}/assign", {"round": 2}).json()
    assert (assigned["state"], assigned["namespace"]) == ("registered", "example-trees")

    found = asker.client.get(assigned["links"]["namespace"]).json()
    assert found["sections"]["purpose"] == "Names trees, for gardens and their visitors."
    assert Namespace.objects.get().registrant == registrant
    events = [event.verb for event in verified() if event.case_number]
    assert events == ["submit", "request_changes", "comment", "submit", "approve", "assign"]
