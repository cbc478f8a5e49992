"""How the tests of the API speak to it: over HTTP, with a token, as a program would."""

import json
from typing import Any

from django.conf import settings
from django.test import Client

from registry.accounts.models import Scope, Token, User
from registry.accounts.tokens import make_token
from tests.api.schema_checks import check_response

V1 = "/api/v1/"
KEY = '"8e03978e-40d5-43dd-bc93-6894a57f9324"'  # an Idempotency-Key


class TokenClient:
    """A program that acts for a person, with their token."""

    def __init__(self, owner: User, *scopes: Scope) -> None:
        name = f"Example {Token.objects.count()}"
        self.token, self.secret = make_token(by=owner, name=name, scopes=scopes or tuple(Scope))
        self.client = Client()

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Send `body`, as JSON unless it is a text; header names with "_" for "-". `path` may be a link."""
        path = path.removeprefix(settings.PUBLIC_ORIGIN)
        typed = {"content_type": "application/json", "data": json.dumps(body)}
        if isinstance(body, str):
            typed = {"content_type": "text/plain", "data": body}
        if body is None:
            typed = {}
        if content_type := headers.pop("Content_Type", ""):
            typed["content_type"] = content_type
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent.setdefault("Authorization", f"Bearer {self.secret}")
        answer = self.client.generic(
            method.upper(), path if path.startswith("/") else V1 + path, headers=sent, **typed
        )
        assert not answer.headers.get("Content-Type", "").startswith("text/html")
        check_response(method, answer)
        return answer

    def get(self, path: str, **headers: str) -> Any:
        return self.ask("get", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.ask("post", path, {} if body is None else body, **headers)

    def put(self, path: str, body: Any, **headers: str) -> Any:
        return self.ask("put", path, body, **headers)

    def patch(self, path: str, body: Any, **headers: str) -> Any:
        return self.ask("patch", path, body, **headers)


def check_problem(answer: Any, status: int, slug: str, saying: str = "") -> dict[str, Any]:
    """The answer is a problem of this status and type, which says so; its members."""
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    problem: dict[str, Any] = json.loads(answer.content)
    assert problem["type"].endswith(f"/api/v1/problems/{slug}/"), problem
    assert problem["status"] == status
    assert saying in problem["detail"], problem["detail"]
    return problem
