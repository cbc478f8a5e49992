"""The proposed profile by token: read and written with the draft, checked, kept by the round, confirmed at the assignment."""

from typing import Any

import pytest

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case, State
from registry.namespaces.models import Namespace
from registry.namespaces.proposals.applying import as_proposed
from registry.namespaces.proposals.proposed_profile import ProposedProfile
from tests.api.client import TokenClient, check_problem
from tests.cases.transitions.test_assign_profile import approved_with
from tests.namespaces.proposals.samples import SERVICES, a_proposal
from tests.support.factories import a_template

PROPOSED = a_proposal(services=SERVICES)
PROFILE = PROPOSED.to_json()
ANY = {"If_Match": "*"}


def address(case: Case) -> str:
    return f"cases/{case.pk}/draft/"


def saved(case: Case) -> ProposedProfile:
    return Case.objects.get(pk=case.pk).proposed_profile


def test_a_draft_states_nothing_until_it_is_written(token_client: TokenClient, case: Case) -> None:
    assert token_client.get(address(case)).json()["profile"] is None
    sections = case.draft_template.to_json()
    answer = token_client.put(address(case), {"sections": sections, "profile": {"title": "Oaks"}}, **ANY)
    others = dict.fromkeys(("summary", "abnf", "examples", "services"), "")
    assert answer.json()["profile"] == {"title": "Oaks", **others}
    answer = token_client.put(address(case), answer.json(), **ANY)
    assert saved(case) == ProposedProfile(title="Oaks")
    token_client.put(address(case), {"sections": sections}, **ANY)
    assert saved(case) == ProposedProfile(title="Oaks")
    answer = token_client.put(address(case), {"sections": sections, "profile": None}, **ANY)
    assert answer.json()["profile"] is None
    assert not saved(case)


@pytest.mark.parametrize(
    ("patch", "after"),
    [
        ({"profile": {"title": "Oaks"}}, a_proposal(title="Oaks")),
        ({"profile": {"abnf": None}}, a_proposal(abnf="")),
        ({"profile": {"services": SERVICES}}, a_proposal(services=SERVICES)),
        ({"profile": None}, ProposedProfile()),
        ({"profile": {}}, a_proposal()),
        ({"sections": {"purpose": "Trees."}}, a_proposal()),
    ],
)
def test_a_patch_changes_single_members(
    token_client: TokenClient, case: Case, patch: dict[str, Any], after: ProposedProfile
) -> None:
    drafts.save_draft(case, case.draft_template, by=case.registrant, stamp=0, profile=a_proposal())
    assert token_client.patch(address(case), patch, **ANY).status_code == 200
    assert saved(case) == after


def test_a_patch_of_a_draft_that_states_nothing_keeps_it_so(token_client: TokenClient, case: Case) -> None:
    token_client.patch(address(case), {"sections": {"purpose": "Trees."}}, **ANY)
    assert not saved(case)


@pytest.mark.parametrize(
    ("profile", "status", "slug"),
    [
        ({"title": 1}, 400, "invalid-fields"),
        ({"subjects": ["science"]}, 400, "invalid-fields"),
        ([], 400, "invalid-fields"),
        ("title", 400, "invalid-fields"),
        ({"title": "a\x00"}, 422, "unstorable-character"),
        ({"abnf": "x" * 50_001}, 422, "text-too-long"),
    ],
    ids=range(6),
)
def test_an_invalid_profile_changes_nothing(
    token_client: TokenClient, case: Case, profile: Any, status: int, slug: str
) -> None:
    body = {"sections": {}, "profile": profile}
    check_problem(token_client.put(address(case), body, **ANY), status, slug)
    assert Case.objects.get().draft_template == case.draft_template
    check_problem(token_client.post(f"cases/{case.pk}/check/", {"profile": profile}), status, slug)


def test_a_stale_write_shows_the_difference_of_the_profile(token_client: TokenClient, case: Case) -> None:
    etag = token_client.get(address(case)).headers["ETag"]
    drafts.save_draft(case, case.draft_template, by=case.registrant, stamp=0, profile=PROPOSED)
    body = {"sections": case.draft_template.to_json(), "profile": PROFILE | {"title": "Oaks"}}
    problem = check_problem(token_client.put(address(case), body, If_Match=etag), 412, "draft-changed")
    assert problem["current"]["profile"] == PROFILE
    assert [each["section"] for each in problem["difference"]] == ["profile_title"]


def test_the_findings_are_those_of_the_page(token_client: TokenClient, case: Case) -> None:
    check = f"cases/{case.pk}/check/"
    assert token_client.post(check, {"profile": PROFILE}).json()["is_ready"] is True
    answer = token_client.post(check, {"profile": PROFILE | {"abnf": "tree = leaf"}}).json()
    [finding] = answer["findings"]
    faulty = token_client.post(check, {"profile": PROFILE | {"services": "I2C http://a.example/ A"}}).json()
    assert [(each["section"], each["code"]) for each in faulty["findings"]] == [
        ("profile_services", "profile-service-invalid")
    ]
    assert (answer["is_ready"], finding["section"]) == (False, "profile_abnf")
    assert finding["message"].startswith("Line 1, column 8: The rule “leaf” is not defined.")
    assert not saved(case)
    token_client.patch(address(case), {"profile": PROFILE | {"title": ""}}, **ANY)
    stamp = token_client.get(address(case)).json()["draft_stamp"]
    answer = token_client.post(f"cases/{case.pk}/submit/", {"draft_stamp": stamp})
    problem = check_problem(answer, 422, "submission-incomplete")
    assert [each["section"] for each in problem["findings"]] == ["profile_title"]


def test_a_new_case_states_a_profile_which_its_round_keeps(token_client: TokenClient) -> None:
    body = {"kind": "formal", "sections": a_template().to_json(), "profile": PROFILE}
    answer = token_client.post("cases/", body)
    assert answer.status_code == 201, answer.text
    number, stamp = answer.json()["number"], answer.json()["draft_stamp"]
    assert token_client.post(f"cases/{number}/submit/", {"draft_stamp": stamp}).status_code == 200
    assert token_client.get(f"cases/{number}/rounds/1/").json()["profile"] == PROFILE


@pytest.mark.parametrize("confirmed", [{}, {"profile": None}])
def test_an_assignment_without_a_profile_sets_none(
    registrant: User, expert: User, administrator: User, confirmed: dict[str, Any]
) -> None:
    case = approved_with(a_proposal(), by=registrant, expert=expert)
    answer = TokenClient(administrator).post(f"cases/{case.pk}/assign/", {"round": 1} | confirmed)
    assert answer.status_code == 200
    assert Namespace.objects.get().profile is None


def test_an_administrator_confirms_the_profile(registrant: User, expert: User, administrator: User) -> None:
    case = approved_with(a_proposal(), by=registrant, expert=expert)
    desk, assign = TokenClient(administrator), f"cases/{case.pk}/assign/"
    problem = check_problem(desk.post(assign, {"round": 1, "profile": PROFILE}), 422, "profile-refused")
    assert [each["section"] for each in problem["findings"]] == ["profile_subjects"]
    confirmed = PROFILE | {"subjects": ["science"], "replaces": 1}
    check_problem(desk.post(assign, {"round": 1, "profile": confirmed}), 409, "stale-profile")
    assert Case.objects.get().state == State.APPROVED
    confirmed["replaces"] = 0
    assert desk.post(assign, {"round": 1, "profile": confirmed}).status_code == 200
    version = Namespace.objects.get().profile
    assert version is not None
    assert version.value is not None
    assert (version.value.title, version.value.subjects) == (PROFILE["title"], ("science",))
    assert as_proposed(version.value).services == SERVICES
