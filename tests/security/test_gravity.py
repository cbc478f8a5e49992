"""What a page asks a recent sign-in for, a token needs a scope for: both follow from the gravity of the action.

The lists come from the URL tables. A page that asks for a recent sign-in names its actions, or is on the list of pages of the
account itself, which no token reaches. An action that a page guards has an endpoint that needs the scope, or is on the list of
those without an endpoint.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import get_resolver

from registry.accounts.gravity import Gravity, ScopeMissing, gravity_of
from registry.accounts.models import Scope, Token, User
from registry.accounts.tokens import make_token, revoke_token
from registry.api.framework.sessions import SessionAPIView
from registry.cases.bodies import DECISIONS
from registry.cases.corrections import CORRECT_EVENT
from registry.cases.models import CoEditor
from registry.organisations.models import Membership, Organisation
from registry.resolution.actions import CONFIRM_HOST, WITHDRAW_HOST
from tests.api.client import TokenClient, check_problem
from tests.contracts.test_url_table import addresses
from tests.organisations.conftest import an_organisation
from tests.support.factories import a_draft, a_person

# Pages that change the account itself: the API has no endpoint for it, or one that refuses every token.
OF_THE_ACCOUNT = {
    "account_email",
    "account_set_password",
    "account:close",
    "account:data",
    "tokens:make",
    "tokens:rotate",
    "tokens:revoke",
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


# The attacks


@pytest.fixture
def arboretum(registrant: User) -> Organisation:
    return an_organisation(by=registrant)


def writing(owner: User) -> TokenClient:
    return TokenClient(owner, Scope.READ, Scope.WRITE)


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


def test_a_token_made_before_has_no_new_scope(registrant: User) -> None:
    token, _ = make_token(by=registrant, name="Old", scopes=[Scope.READ, Scope.WRITE, Scope.DECIDE])
    assert Token.objects.get(pk=token.pk).scopes == ["read", "write", "decide"]
