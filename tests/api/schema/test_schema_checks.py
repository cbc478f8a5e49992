"""The check that every answer of these tests goes through sees an answer that the description does not foresee."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from registry.accounts.models import User
from registry.api.schema.document import SUFFIX
from tests.api.client import V1, TokenClient
from tests.api.schema_checks import check_response, description, resolved


def an_answer(path: str, status: int, body: Any) -> Any:
    return SimpleNamespace(
        request={"PATH_INFO": V1 + path},
        status_code=status,
        headers={"Content-Type": "application/json"},
        content=json.dumps(body).encode(),
    )


def test_an_undescribed_response_is_detected(registrant: User) -> None:
    told = TokenClient(registrant).get("token/").json()
    check_response("get", an_answer("token/", 200, told))
    for status, body in ((200, told | {"name": 1}), (200, {}), (200, []), (418, told)):
        with pytest.raises(AssertionError):
            check_response("get", an_answer("token/", status, body))


# Queries that are too long for a URL: they change nothing, and need no token.
QUESTIONS = {
    "/api/v1/namespaces/lookup/",
    "/api/v1/resolve/",
    f"/api/v1/resolve{SUFFIX}",
    "/api/v1/urns/check/",
    f"/api/v1/urns/check{SUFFIX}",
    "/api/v1/urns/compare/",
}

# A token can't do this. The name of a token is unique, and a stored response would contain the secret.
OF_A_SESSION = "/api/v1/account/tokens/"


def test_every_write_names_its_token_and_its_scope() -> None:
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            is_open = operation["security"] == [{}]
            assert is_open or set(operation["security"][0]) == {
                "session" if path.startswith(OF_A_SESSION) else "token"
            }, path
            assert not is_open or method == "get" or path in QUESTIONS, path
            assert is_open or "401" in operation["responses"], path
            is_limited = operation["security"][0].get("token") or "session" in operation["security"][0]
            assert ("403" in operation["responses"]) == bool(is_limited), path


def test_every_post_takes_a_key() -> None:
    paths = description()["paths"].items()
    posts = [
        methods["post"]
        for path, methods in paths
        if "post" in methods and path not in QUESTIONS and not path.startswith(OF_A_SESSION)
    ]
    assert len(posts) >= 25
    for post in posts:
        assert "Idempotency-Key" in {resolved(parameter)["name"] for parameter in post["parameters"]}
