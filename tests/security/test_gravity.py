"""What a page asks a recent sign-in for, a token needs a scope for: both follow from the gravity of the action.

The lists come from the URL tables. A page that asks for a recent sign-in names its actions, or is on the list of pages of the
account itself, which no token reaches. An action that a page guards has an endpoint that needs the scope, or is on the list of
those without an endpoint.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from registry.accounts.gravity import Gravity, ScopeMissing, gravity_of
from registry.accounts.models import RoleName, Scope, Token, User
from registry.accounts.tokens import make_token, revoke_token
from registry.api.framework.sessions import SessionAPIView
from registry.cases.bodies import DECISIONS
from registry.cases.corrections import CORRECT_EVENT
from registry.cases.models import CoEditor
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS
from registry.cases.workflow.functions.people import invite_co_editor
from registry.organisations.models import MemberRole, Membership, Organisation
from registry.resolution.actions import CONFIRM_HOST, WITHDRAW_HOST
from tests.api.client import TokenClient, check_problem
from tests.contracts.test_url_table import addresses
from tests.organisations.conftest import an_organisation, join
from tests.support.factories import a_draft, a_person, add_co_editor

# Pages that change the account itself: the API has no endpoint for it, or one that refuses every token.
OF_THE_ACCOUNT = {
    "account_email",
    "account_set_password",
    "account:close",
    "account:data",
    "tokens:make",
    "tokens:rotate",
    "people:grant_role",
    "people:withdraw_role",
    "socialaccount_connections",
}
SECOND_FACTORS = "mfa_"
# Actions that only pages offer.
WITHOUT_ENDPOINT = {CONFIRM_HOST, WITHDRAW_HOST, CORRECT_EVENT, *DECISIONS.values()}


def guarded_pages() -> dict[str, tuple[Any, ...]]:
    """The actions of each page that asks for a recent sign-in, by its name."""
    found = addresses(get_resolver().url_patterns)
    return {
        each.name: each.pattern.callback.actions
        for each in found
        if hasattr(each.pattern.callback, "actions")
    }


def endpoints() -> Iterator[tuple[Any, str, Any]]:
    """Each view of the API with a method that it describes, in capitals, and its actions."""
    for each in addresses(get_resolver().url_patterns):
        view = getattr(each.pattern.callback, "cls", None)
        for method in ("get", "post", "put", "patch", "delete"):
            if details := getattr(getattr(view, method, None), "details", None):
                yield view, method.upper(), details.actions


def scopes_by_action() -> dict[Any, set[Scope | None]]:
    found: dict[Any, set[Scope | None]] = defaultdict(set)
    for view, method, actions in endpoints():
        for action in actions:
            found[action].add(view.required_scopes[method])
    return found


def page_actions() -> set[Any]:
    return {action for actions in guarded_pages().values() for action in actions}


def test_a_guarded_page_names_its_actions() -> None:
    pages = guarded_pages()
    unnamed = {name for name, actions in pages.items() if not actions and not name.startswith(SECOND_FACTORS)}
    assert unnamed == OF_THE_ACCOUNT
    assert len(page_actions()) > 40


def test_an_action_that_a_page_guards_needs_its_scope_in_the_api() -> None:
    grave = {each for each in page_actions() if gravity_of(each).asks_for_sign_in}
    found = scopes_by_action()
    assert grave - found.keys() == WITHOUT_ENDPOINT
    for action in grave - WITHOUT_ENDPOINT:
        assert found[action] == {gravity_of(action).scope}, action


def test_a_grave_action_of_the_api_has_a_page_that_guards_it() -> None:
    grave = {each for each in scopes_by_action() if gravity_of(each).asks_for_sign_in}
    assert grave <= page_actions()


def test_no_token_manages_tokens() -> None:
    tokens = [view for view, _, _ in endpoints() if view.__module__ == "registry.api.tokens"]
    assert tokens
    assert all(issubclass(view, SessionAPIView) for view in tokens)


@pytest.mark.parametrize("gravity", [Gravity.CONTROL, Gravity.DECISION])
def test_an_action_itself_refuses_a_token_without_its_scope(db: None, gravity: Gravity) -> None:
    """Before it does anything: here, without its arguments."""
    person = a_person(email="person@example.org")
    others = [scope for scope in Scope if scope != gravity.scope]
    person.acting_with, _ = make_token(by=person, name="Example", scopes=others)
    actions = {each for each in page_actions() if gravity_of(each) is gravity}
    assert actions
    for action in actions:
        with pytest.raises(ScopeMissing, match=gravity.scope):
            getattr(action, "function", action)(by=person)


def test_the_co_editors_of_a_case_are_controlled_like_the_members_of_an_organisation() -> None:
    names = {each.name for each in ALL_ACTIONS if each.gravity is Gravity.CONTROL}
    assert names == {"invite_co_editor", "withdraw_invitation", "remove_co_editor"}


@pytest.mark.parametrize("name", ["invite_co_editor", "withdraw_invitation", "remove_co_editor"])
def test_an_action_of_a_case_refuses_a_token_without_its_scope(registrant: User, name: str) -> None:
    case, co_editor = a_draft(by=registrant), a_person(email="co-editor@example.org")
    add_co_editor(case, by=registrant, user=co_editor)
    invite_co_editor(case, by=registrant, email="invited@example.org")
    registrant.acting_with, _ = make_token(by=registrant, name="Example", scopes=[Scope.WRITE])
    (action,) = (each for each in ALL_ACTIONS if each.name == name)
    with pytest.raises(ScopeMissing):
        action.function(case, by=registrant, email="thief@example.org")


# The attacks


@pytest.fixture
def arboretum(registrant: User) -> Organisation:
    return an_organisation(by=registrant)


def writing(owner: User) -> TokenClient:
    return TokenClient(owner, Scope.READ, Scope.WRITE)


ATTACKS: dict[str, Callable[[Organisation], tuple[str, str, dict[str, str]]]] = {
    "invites a representative": lambda o: (
        "post",
        f"organisations/{o.pk}/invitations/",
        {"email": "thief@example.org", "part": "representative"},
    ),
    "offers the namespace": lambda o: (
        "post",
        "namespaces/example-trees/transfers/",
        {"to": "thief@example.org"},
    ),
    "changes the contact": lambda o: (
        "post",
        "namespaces/example-trees/contact/",
        {"name": "Thief", "email": "thief@example.org", "reason": "I am here now."},
    ),
    "adds a domain": lambda o: ("post", f"organisations/{o.pk}/domains/", {"domain": "example.net"}),
    "renames the organisation": lambda o: (
        "put",
        f"organisations/{o.pk}/",
        {"name": "Thieves", "homepage": ""},
    ),
    "sends events to itself": lambda o: ("post", "account/webhooks/", {"url": "https://example.net/"}),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_stolen_token_that_writes_controls_nothing(
    registrant: User,
    arboretum: Organisation,
    attack: Callable[[Organisation], tuple[str, str, dict[str, str]]],
) -> None:
    from registry.namespaces.actions.registration import register_formal
    from tests.support.factories import a_template

    register_formal(a_template(), registrant=arboretum)
    method, path, body = attack(arboretum)
    problem = check_problem(writing(registrant).ask(method, path, body), 403, "scope-missing", "“manage”")
    assert problem["scope"] == "manage"


def test_a_stolen_token_does_not_last_by_an_invitation(registrant: User, arboretum: Organisation) -> None:
    """The finding: the thief invited themself, the owner revoked the token, and the thief accepted (200)."""
    thief = a_person(email="thief@example.org")
    stolen = TokenClient(registrant, Scope.MANAGE)
    path = f"organisations/{arboretum.pk}/invitations/"
    sent = stolen.post(path, {"email": thief.email, "part": "representative"})
    assert sent.status_code == 201
    revoke_token(stolen.token, by=registrant)
    check_problem(TokenClient(thief).post(f"{path}{sent.json()['number']}/accept/"), 404, "not-found")
    assert not Membership.objects.of(thief).exists()


def test_a_stolen_token_does_not_last_by_a_co_editor(registrant: User) -> None:
    thief, case = a_person(email="thief@example.org"), a_draft(by=registrant)
    path, body = f"cases/{case.pk}/invite-co-editor/", {"email": thief.email}
    check_problem(writing(registrant).post(path, body), 403, "scope-missing", "“manage”")
    stolen = TokenClient(registrant, Scope.MANAGE)
    assert stolen.post(path, body).status_code == 200
    revoke_token(stolen.token, by=registrant)
    check_problem(TokenClient(thief).post(f"cases/{case.pk}/accept-invitation/"), 404, "not-found")
    assert not CoEditor.objects.exists()


def test_a_stolen_token_that_manages_does_not_decide(arboretum: Organisation) -> None:
    administrator = a_person(email="administrator@example.org", roles=(RoleName.ADMINISTRATOR,))
    check_problem(
        TokenClient(administrator, Scope.MANAGE).post("claims/1/approve/", {"reason": "I say so."}),
        403,
        "scope-missing",
        "“decide”",
    )


def test_a_representative_manages_with_the_scope(registrant: User, arboretum: Organisation) -> None:
    second = a_person(email="second@example.org")
    join(arboretum, second, MemberRole.EDITOR, by=registrant)
    program = TokenClient(registrant, Scope.MANAGE)
    path = f"organisations/{arboretum.pk}/members/{Membership.objects.get(user=second).pk}/"
    assert program.ask("put", path, {"part": "representative"}).status_code == 200
    assert program.ask("delete", path).status_code == 204


def test_a_token_made_before_has_no_new_scope(registrant: User) -> None:
    token, _ = make_token(by=registrant, name="Old", scopes=[Scope.READ, Scope.WRITE, Scope.DECIDE])
    assert Token.objects.get(pk=token.pk).scopes == ["read", "write", "decide"]


def test_the_page_asks_for_a_recent_sign_in_to_invite_a_co_editor(registrant: User) -> None:
    """A session that is not recent, such as a stolen one."""
    client = Client()
    client.force_login(registrant)
    session = client.session
    session["signed_in_at"] = 0
    session.save()
    case = a_draft(by=registrant)
    answer = client.post(f"/cases/{case.pk}/invite-co-editor/", {"email": "thief@example.org"})
    assert answer.status_code == 403
    assert not case.invitations.exists()
