"""Authentication of programs: tokens, their scopes and their end; nothing else is accepted."""

import json
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from registry.accounts.models import RoleName, Scope, Token, User
from registry.accounts.roles import grant_role, withdraw_role
from registry.accounts.tokens import PREFIX, revoke_token
from registry.cases.models import Case
from tests.api.client import V1, TokenClient, check_problem
from tests.support.browser import signed_in
from tests.support.factories import a_case_in_review, a_draft

BEGIN = {"kind": "formal"}


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer nonsense",
        f"Bearer {PREFIX}{'0' * 64}",
        "Basic cmVnaXN0cmFudDpwYXNzd29yZA==",
        "Token x",
        "Bearer a b",
        "Bearer urnreg_\u0661",
        "Bearer x\nX",
    ],
)
def test_an_invalid_token_is_a_401_with_an_explanation(registrant: User, header: str) -> None:
    for answer in (
        TokenClient(registrant).post("cases/", BEGIN, Authorization=header),
        TokenClient(registrant).get("account/", Authorization=header),
    ):
        check_problem(answer, 401, "token-refused")
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="registry", error="invalid_token"'


PUBLIC_READS = ["", "namespaces/", "namespaces/isbn/", "namespaces/isbn.txt", "namespaces/nobody/", "cases/", "events/",
                "files/urn-namespaces.jsonl", "urns/?urn=urn:isbn:1", "schema/", "problems/", "nothing/"]  # fmt: skip


@pytest.mark.parametrize("path", PUBLIC_READS)
def test_an_invalid_token_is_a_401_on_public_resources(registrant: User, isbn: Any, path: str) -> None:
    expired, valid = TokenClient(registrant), TokenClient(registrant)
    Token.objects.filter(pk=expired.token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    without = expired.client.get(V1 + path)
    answer = expired.get(path)
    check_problem(answer, 401, "token-refused", "expired on")
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="registry", error="invalid_token"'
    check_problem(expired.get(path, Authorization="Bearer x"), 401, "token-refused")
    with_token = valid.get(path)
    assert with_token.status_code == without.status_code
    assert with_token.headers.get("ETag") == without.headers.get("ETag")


def test_an_invalid_token_is_a_401_on_questions(registrant: User) -> None:
    for path, body in (("urns/check/", ["urn:isbn:1"]), ("namespaces/lookup/", {"nids": []})):
        check_problem(
            TokenClient(registrant).post(path, body, Authorization="Bearer x"), 401, "token-refused"
        )


def test_a_missing_token_is_explained(client: Client) -> None:
    for answer in (client.post(f"{V1}cases/"), client.get(f"{V1}account/"), client.get(f"{V1}token/")):
        check_problem(answer, 401, "token-missing", "/accounts/tokens/")
        assert answer.headers["WWW-Authenticate"] == 'Bearer realm="registry"'


def test_the_scheme_bearer_is_case_insensitive(registrant: User) -> None:
    token_client = TokenClient(registrant)
    assert token_client.get("token/", Authorization=f"bEARER {token_client.secret}").status_code == 200


def test_sessions_do_not_authenticate(registrant: User) -> None:
    client = signed_in(registrant)
    answer = client.post(f"{V1}cases/", json.dumps(BEGIN), content_type="application/json")
    check_problem(answer, 401, "token-missing")
    assert not Case.objects.exists()


@pytest.mark.parametrize("name", ["token", "access_token"])
def test_a_token_in_the_address_is_ignored(registrant: User, name: str) -> None:
    token_client = TokenClient(registrant)
    check_problem(token_client.client.get(f"{V1}account/?{name}={token_client.secret}"), 401, "token-missing")


def test_expired_and_revoked_tokens_are_named_as_such(registrant: User) -> None:
    expired, revoked = TokenClient(registrant), TokenClient(registrant)
    Token.objects.filter(pk=expired.token.pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    revoke_token(revoked.token, by=registrant)
    check_problem(expired.get("account/"), 401, "token-refused", "expired on")
    check_problem(revoked.get("account/"), 401, "token-refused", "was revoked on")


def test_a_closed_account_closes_its_tokens(registrant: User) -> None:
    token_client = TokenClient(registrant)
    assert token_client.get("account/").status_code == 200
    User.objects.filter(pk=registrant.pk).update(is_active=False)
    check_problem(token_client.get("account/"), 401, "token-refused", "closed")


def test_a_withdrawn_role_is_removed_from_tokens_at_once(registrant: User, expert: User) -> None:
    case = a_case_in_review(by=registrant)
    token_client = TokenClient(expert)
    advice = {"round": 1, "rationale": "Sound."}
    withdraw_role(expert, RoleName.EXPERT, by=None, reason="")
    check_problem(token_client.post(f"cases/{case.pk}/approve/", advice), 404, "not-found")
    grant_role(expert, RoleName.EXPERT, by=None)
    assert token_client.post(f"cases/{case.pk}/approve/", advice).status_code == 200


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("scope", "method", "path"),
    [
        (Scope.READ, "get", "account/"),
        (Scope.READ, "get", "cases/{0}/draft/"),
        (Scope.READ, "post", "cases/{0}/check/"),
        (Scope.WRITE, "put", "cases/{0}/draft/"),
        (Scope.WRITE, "patch", "cases/{0}/draft/"),
        (Scope.WRITE, "post", "cases/"),
        (Scope.WRITE, "post", "cases/{0}/comments/"),
        (Scope.WRITE, "post", "cases/{0}/submit/"),
        (Scope.WRITE, "post", "cases/{0}/appeal/"),
        (Scope.WRITE, "post", "cases/{0}/request-completion/"),
        (Scope.WRITE, "post", "cases/{0}/leave-fast-track/"),
        (Scope.WRITE, "post", "cases/{0}/withdraw/"),
        (Scope.MANAGE, "post", "cases/{0}/invite-co-editor/"),
        (Scope.MANAGE, "post", "cases/{0}/withdraw-invitation/"),
        (Scope.WRITE, "post", "cases/{0}/accept-invitation/"),
        (Scope.WRITE, "post", "cases/{0}/decline-invitation/"),
        (Scope.MANAGE, "post", "cases/{0}/remove-co-editor/"),
        (Scope.WRITE, "post", "namespaces/isbn/revise/"),
        (Scope.MANAGE, "post", "namespaces/isbn/transfers/"),
        (Scope.MANAGE, "post", "namespaces/isbn/transfers/1/accept/"),
        (Scope.MANAGE, "post", "namespaces/isbn/transfers/1/decline/"),
        (Scope.MANAGE, "post", "namespaces/isbn/transfers/1/withdraw/"),
        (Scope.READ, "get", "organisations/1/domains/"),
        (Scope.READ, "get", "organisations/1/domains/1/"),
        (Scope.MANAGE, "post", "organisations/1/domains/"),
        (Scope.MANAGE, "delete", "organisations/1/domains/1/"),
        (Scope.WRITE, "post", "organisations/1/domains/1/check/"),
        (Scope.READ, "get", "claims/"),
        (Scope.READ, "get", "claims/1/"),
        (Scope.MANAGE, "post", "namespaces/isbn/claims/"),
        (Scope.MANAGE, "post", "claims/1/withdraw/"),
        (Scope.MANAGE, "post", "claims/1/object/"),
        (Scope.DECIDE, "post", "claims/1/approve/"),
        (Scope.DECIDE, "post", "claims/1/announce/"),
        (Scope.DECIDE, "post", "claims/1/decline/"),
        (Scope.DECIDE, "post", "namespaces/isbn/deprecate/"),
        (Scope.DECIDE, "post", "cases/{0}/request-changes/"),
        (Scope.DECIDE, "post", "cases/{0}/advise/"),
        (Scope.DECIDE, "post", "cases/{0}/approve/"),
        (Scope.DECIDE, "post", "cases/{0}/forward-report/"),
        (Scope.DECIDE, "post", "cases/{0}/direct/"),
        (Scope.DECIDE, "post", "cases/{0}/decline/"),
        (Scope.DECIDE, "post", "cases/{0}/recognise/"),
        (Scope.DECIDE, "post", "cases/{0}/refuse-recognition/"),
        (Scope.DECIDE, "post", "cases/{0}/assign/"),
        (Scope.DECIDE, "post", "cases/{0}/return-to-experts/"),
        (Scope.DECIDE, "post", "cases/{0}/return-to-registrant/"),
        (Scope.DECIDE, "post", "cases/{0}/anticipate-standards-action/"),
        (Scope.DECIDE, "post", "cases/{0}/recuse/"),
    ],
)
def test_each_operation_requires_its_scope(
    registrant: User, isbn: Any, scope: Scope, method: str, path: str
) -> None:
    path = path.format(a_draft(by=registrant).pk)
    body = None if method == "get" else {}
    for other in Scope:
        answer = TokenClient(registrant, other).ask(method, path, body)
        if other == scope:
            assert answer.status_code not in {401, 403}, answer.text
        else:
            problem = check_problem(answer, 403, "scope-missing", f"“{scope}”")
            assert problem["scope"] == scope
            assert f'error="insufficient_scope", scope="{scope}"' in answer.headers["WWW-Authenticate"]


def test_an_administrator_needs_the_scope_to_decide_to_offer_what_has_no_registrant(
    administrator: User, registrant: User, isbn: Any
) -> None:
    offer = {"to": registrant.email}
    path = "namespaces/isbn/transfers/"
    check_problem(TokenClient(administrator, Scope.MANAGE).post(path, offer), 403, "scope-missing")
    assert TokenClient(administrator, Scope.MANAGE, Scope.DECIDE).post(path, offer).status_code == 201


def test_the_token_describes_itself(expert: User) -> None:
    told = TokenClient(expert, Scope.READ, Scope.DECIDE).get("token/").json()
    assert (told["scopes"], told["roles"], told["owner"]) == (["read", "decide"], ["expert"], "Expert")


def test_the_use_of_a_token_is_recorded(registrant: User) -> None:
    token_client = TokenClient(registrant)
    token_client.get("account/")
    token_client.token.refresh_from_db()
    assert token_client.token.last_used_at is not None


def test_secrets_are_not_logged(registrant: User, caplog: pytest.LogCaptureFixture) -> None:
    token_client = TokenClient(registrant, Scope.READ)
    with caplog.at_level(logging.DEBUG):
        token_client.post("cases/", BEGIN)
        token_client.get("cases/1/draft/")
        token_client.get("nothing/")
    assert caplog.records
    assert token_client.secret not in caplog.text


def test_private_responses_are_not_cached(registrant: User) -> None:
    case = a_draft(by=registrant)
    for path in ("account/", f"cases/{case.pk}/draft/", "cases/9999/draft/"):
        answer = TokenClient(registrant).get(path)
        assert answer.headers["Cache-Control"] == "private, no-store"
        assert "Authorization" in answer.headers["Vary"]
