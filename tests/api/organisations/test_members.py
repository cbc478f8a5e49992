"""Members and invitations by token: as the pages do them, with the same refusals."""

from typing import Any

import pytest

from registry.accounts.models import Scope, User
from registry.cases.drafts import drafts
from registry.cases.workflow import functions
from registry.namespaces.actions.registration import register_formal
from registry.namespaces.models import Kind
from registry.organisations.models import MemberRole, Membership, MembershipInvitation, Organisation
from tests.api.client import KEY, TokenClient, check_problem
from tests.organisations.conftest import *  # noqa: F403  # its people
from tests.organisations.conftest import an_organisation, membership_of
from tests.support.browser import signed_in
from tests.support.factories import a_person, a_template


def members_path(organisation: Organisation, member: Membership | None = None) -> str:
    return f"organisations/{organisation.pk}/members/" + (f"{member.pk}/" if member else "")


def invited(organisation: Organisation, by: User, email: str, part: str = "editor") -> Any:
    body = {"email": email, "part": part}
    answer = TokenClient(by).post(f"organisations/{organisation.pk}/invitations/", body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def test_members_see_each_other_and_others_see_nothing(
    arboretum: Organisation, representative: User, editor: User, contact: User, participant: User
) -> None:
    path = members_path(arboretum)
    rows = TokenClient(contact, Scope.READ).get(path).json()["results"]
    assert [(each["name"], each["part"]) for each in rows] == [
        ("Representative", "representative"),
        ("Editor", "editor"),
        ("Contact", "contact"),
    ]
    assert "@" not in str(rows)
    page = TokenClient(contact).get(f"{path}?page_size=2").json()
    assert [each["part"] for each in TokenClient(contact).get(page["next"]).json()["results"]] == ["contact"]
    check_problem(TokenClient(participant).get(path), 404, "not-found")
    check_problem(TokenClient(contact, Scope.WRITE).get(path), 403, "scope-missing")
    check_problem(TokenClient(contact).client.get(f"/api/v1/{path}"), 401, "token-missing")


# What is done with the editor | their own token, another editor, a representative, a stranger.
REACH = [
    ("get", None, "200 404 200 404"),
    ("put", {"part": "contact"}, "404 404 200 404"),
    ("delete", None, "204 404 204 404"),
]


@pytest.mark.parametrize(("method", "body", "table"), REACH)
@pytest.mark.parametrize("column", range(4))
def test_a_member_is_changed_by_representatives_and_leaves_by_themselves(
    method: str,
    body: dict[str, str] | None,
    table: str,
    column: int,
    arboretum: Organisation,
    representative: User,
    editor: User,
    participant: User,
) -> None:
    other = a_person(email="other-editor@example.org")
    Membership.objects.create(organisation=arboretum, user=other, part=MemberRole.EDITOR)
    person = [editor, other, representative, participant][column]
    answer = TokenClient(person).ask(method, members_path(arboretum, membership_of(editor)), body)
    assert answer.status_code == int(table.split()[column]), answer.text
    part = Membership.objects.get(user=editor)
    is_done = answer.status_code < 400
    assert (part.ended_at is not None) == (method == "delete" and is_done)
    assert (part.part == "contact") == (method == "put" and is_done)


def test_the_last_representative_stays(arboretum: Organisation, representative: User) -> None:
    register_formal(a_template(), registrant=arboretum)
    program, path = TokenClient(representative), members_path(arboretum, membership_of(representative))
    check_problem(program.put(path, {"part": "editor"}), 409, "last-representative")
    check_problem(program.ask("delete", path), 409, "last-representative")
    check_problem(program.put(path, {"part": "representative"}), 409, "same-part")
    check_problem(program.put(path, {"part": "director"}), 400, "invalid-fields")
    check_problem(program.put(path, {}), 400, "invalid-fields")


def test_a_member_is_not_found_below_another_organisation(
    arboretum: Organisation, representative: User, editor: User
) -> None:
    own = an_organisation(by=representative, name="Example Museum")
    path = members_path(own, membership_of(editor))
    for number in ("0", "x", "\u0661", "9" * 40, "1%0A"):
        address = f"organisations/{arboretum.pk}/members/{number}/"
        check_problem(TokenClient(representative).get(address), 404, "not-found")
    check_problem(TokenClient(representative).ask("delete", path), 404, "not-found")
    former = membership_of(editor)
    TokenClient(editor).ask("delete", members_path(arboretum, former))
    check_problem(TokenClient(representative).get(members_path(arboretum, former)), 404, "not-found")


def test_a_member_is_invited_once_with_a_key_and_accepts(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    path, program = f"organisations/{arboretum.pk}/invitations/", TokenClient(representative)
    body = {"email": participant.email, "part": "representative"}
    answers = [program.post(path, body, Idempotency_Key=KEY) for _ in range(2)]
    made = answers[0].json()
    assert answers[1].json() == made
    assert program.get(answers[0].headers["Location"]).json() == made
    assert program.get(path).json()["results"] == [made]
    assert (made["email"], made["part"], made["is_open"]) == (participant.email, "representative", True)
    assert set(made["actions"]) == {"withdraw"}
    check_problem(program.post(path, body), 409, "invitation-pending")
    seen = TokenClient(participant, Scope.READ).get(f"{path}{made['number']}/").json()
    assert set(seen["actions"]) == {"accept", "decline"}
    check_problem(program.post(f"{path}{made['number']}/accept/"), 404, "not-found")
    accepted = TokenClient(participant).post(f"{path}{made['number']}/accept/").json()
    assert (accepted["name"], accepted["part"]) == (str(participant), "representative")
    assert membership_of(participant).part == MemberRole.REPRESENTATIVE
    check_problem(TokenClient(participant).post(f"{path}{made['number']}/accept/"), 404, "not-found")
    check_problem(program.post(path, body), 409, "already-member")


def test_the_response_does_not_tell_whether_there_is_an_account(
    arboretum: Organisation, representative: User, participant: User
) -> None:
    known, unknown = (
        invited(arboretum, representative, email) for email in (participant.email, "stranger@example.org")
    )
    own = ("number", "email", "actions", "invited_at", "expires_at")
    assert [{name: each[name] for name in each if name not in own} for each in (known,)] == [
        {name: unknown[name] for name in unknown if name not in own}
    ]


def test_the_queries_for_a_page_of_invitations_do_not_depend_on_their_number(
    arboretum: Organisation, representative: User, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        invited(arboretum, representative, f"colleague-{number}@example.org")
    program = TokenClient(representative, Scope.READ)
    with django_assert_max_num_queries(10):
        rows = program.get(f"organisations/{arboretum.pk}/invitations/").json()["results"]
    assert [set(each["actions"]) for each in rows] == [{"withdraw"}] * 5


@pytest.mark.parametrize(("decision", "is_withdrawn"), [("decline", False), ("withdraw", True)])
def test_an_invitation_is_declined_or_withdrawn(
    decision: str, is_withdrawn: bool, arboretum: Organisation, representative: User, participant: User
) -> None:
    number = invited(arboretum, representative, participant.email)["number"]
    path = f"organisations/{arboretum.pk}/invitations/{number}/{decision}/"
    by, other = (representative, participant) if is_withdrawn else (participant, representative)
    check_problem(TokenClient(other).post(path), 404, "not-found")
    answer = TokenClient(by).post(path)
    assert (answer.status_code, answer.content) == (204, b"")
    assert not MembershipInvitation.objects.exists()
    check_problem(TokenClient(by).post(path), 404, "not-found")


def test_invitations_exist_for_representatives_and_the_invited_person(
    arboretum: Organisation, representative: User, editor: User, participant: User, expert: User
) -> None:
    number = invited(arboretum, representative, participant.email)["number"]
    path = f"organisations/{arboretum.pk}/invitations/"
    for person in (editor, expert):
        check_problem(TokenClient(person).get(path), 404, "not-found")
        check_problem(TokenClient(person).get(f"{path}{number}/"), 404, "not-found")
    check_problem(TokenClient(participant).get(path), 404, "not-found")


@pytest.mark.parametrize(
    ("body", "status", "slug"),
    [
        ({"email": "colleague", "part": "editor"}, 422, "invalid-address"),
        ({"email": "", "part": "editor"}, 422, "text-missing"),
        ({"email": "colleague@example.org", "part": "director"}, 400, "invalid-fields"),
        ({"email": "colleague@example.org"}, 400, "invalid-fields"),
        ({"email": 1, "part": "editor"}, 400, "invalid-fields"),
    ],
)
def test_invalid_invitations_are_rejected(
    body: dict[str, Any], status: int, slug: str, arboretum: Organisation, representative: User
) -> None:
    path = f"organisations/{arboretum.pk}/invitations/"
    check_problem(TokenClient(representative).post(path, body), status, slug)


def test_who_acted_in_an_open_case_does_not_accept(
    arboretum: Organisation, representative: User, expert: User
) -> None:
    case = drafts.create_case(
        by=representative, kind=Kind.FORMAL, template=a_template(), organisation=arboretum
    )
    case = functions.submit(case, by=representative, draft_stamp=case.draft_stamp)
    points = [("purpose", "Say more.")]
    functions.request_changes(case, by=expert, round_number=1, rationale="", action_points=points)
    number = invited(arboretum, representative, expert.email)["number"]
    path = f"organisations/{arboretum.pk}/invitations/{number}/accept/"
    check_problem(TokenClient(expert).post(path), 409, "has-acted")


def links_in(part: Any) -> list[str]:
    """The addresses in a body, other than those of actions."""
    if isinstance(part, list):
        return [link for each in part for link in links_in(each)]
    if isinstance(part, dict):
        return [link for name, each in part.items() if name != "actions" for link in links_in(each)]
    return [part] if isinstance(part, str) and part.startswith("http://localhost:8000/") else []


@pytest.mark.exhaustive
def test_every_link_of_members_and_invitations_leads_somewhere(
    arboretum: Organisation, representative: User, editor: User, contact: User, participant: User
) -> None:
    # Nothing of the organisation is public.
    invited(arboretum, representative, participant.email)
    bodies = [
        (person, TokenClient(person).get(path).json())
        for person, paths in {
            representative: (
                members_path(arboretum),
                f"organisations/{arboretum.pk}/invitations/",
                "account/",
            ),
            editor: (members_path(arboretum), "account/"),
            contact: (members_path(arboretum, membership_of(contact)), "account/"),
            participant: ("account/",),
        }.items()
        for path in paths
    ]
    for person, body in bodies:
        links = links_in(body)
        assert len(links) > 1
        for link in links:
            if "/api/" in link:
                assert TokenClient(person).get(link).status_code == 200, (person, link)
            else:
                path = link.removeprefix("http://localhost:8000")
                assert signed_in(person).get(path).status_code == 200, (person, link)


def test_links_that_the_user_cannot_read_are_null(
    arboretum: Organisation, representative: User, editor: User
) -> None:
    def links(person: User) -> list[tuple[bool, bool]]:
        rows = TokenClient(person).get(members_path(arboretum)).json()["results"]
        return [tuple(each["links"][name] is None for name in ("self", "domains")) for each in rows]

    assert links(representative) == [(False, False), (False, False)]
    assert links(editor) == [(True, True), (False, True)]
