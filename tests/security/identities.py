"""A registry with something on every page, the people who use it, and the secrets that each of them must not see."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from io import BytesIO
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client
from django.test.client import ClientHandler
from django.utils import timezone

from registry.accounts.models import Scope, Token, User
from registry.accounts.tokens import digest_of
from registry.cases.models import Case, CoEditor
from registry.core.http.request_validation import sanitize_request
from registry.mail.models import Message
from tests.journeys.full_registry import fill, person
from tests.support.factories import a_draft, a_person

# By role, the account that has it; an account has no other role, except that the leader is an expert.
ACCOUNTS = {
    "anonymous": None,
    "participant": "participant",
    "registrant": "second-registrant",
    "co-editor": "co-editor",
    "expert": "expert",
    "administrator": "administrator",
    "liaison": "liaison",
    "leader": "second-expert",
}
EDITORS = {"registrant", "co-editor"}
DRAFT_TEXT = "hidden-draft-text-4711"
RESET_KEY = "4-cz1f2b-9d8e7c6b5a4d3e2f"


class SanitizingHandler(ClientHandler):
    """Django's test handler behind the validation of `AccessLog`, as in `registry.wsgi`."""

    def __call__(self, environ: Any) -> Any:
        body = environ["wsgi.input"]
        environ["wsgi.input"] = BytesIO(body.read() if hasattr(body, "read") else b"")
        sanitize_request(environ)
        return super().__call__(environ)


@dataclass(frozen=True)
class Identity:
    """A person in a role, with a browser session and a token of every scope."""

    role: str
    user: User | None
    client: Client
    token: str = ""
    # By what it is, each text that no response to this person may contain.
    secrets: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class World:
    """The registry that is attacked."""

    draft: Case
    case_numbers: list[int]
    identities: dict[str, Identity]


def a_world() -> World:
    fill()
    a_person(email="co-editor@example.org")
    owner = person(str(ACCOUNTS["registrant"]))
    draft = a_draft(by=owner, namespace_identifier="example-fogs", purpose=DRAFT_TEXT)
    CoEditor.objects.create(case=draft, user=person("co-editor"))
    Message.objects.create(name="password_reset_key", to="a@example.org", subject="Reset", body=RESET_KEY)
    people = {role: person(account) if account else None for role, account in ACCOUNTS.items()}
    tokens = {role: _a_token(user) for role, user in people.items() if user}
    clients = {role: _a_client(user) for role, user in people.items()}
    sessions = {key[:8]: key.encode() for key in Session.objects.values_list("pk", flat=True)}
    secrets = dict(_secrets()) | {f"session {name}": key for name, key in sessions.items()}
    identities = {}
    for role, user in people.items():
        hidden = {} if role in EDITORS else {"a draft": DRAFT_TEXT.encode()}
        hidden |= {f"token of the {other}": each.encode() for other, each in tokens.items()}
        identities[role] = Identity(role, user, clients[role], tokens.get(role, ""), secrets | hidden)
    return World(draft, list(Case.objects.values_list("pk", flat=True)), identities)


def _a_token(user: User) -> str:
    secret = f"secret-of-{user.pk}-{'5' * 50}"
    expires_at = timezone.now() + timedelta(days=1)
    Token.objects.create(
        owner=user,
        name="attacked",
        digest=digest_of(secret),
        scopes=list(Scope.values),
        expires_at=expires_at,
    )
    return secret


def _a_client(user: User | None) -> Client:
    client = Client(raise_request_exception=False)
    client.handler = SanitizingHandler(enforce_csrf_checks=False)
    if user:
        client.force_login(user)
    return client


def _secrets() -> Iterator[tuple[str, bytes]]:
    yield "the secret key", settings.SECRET_KEY.encode()
    yield "the body of a mail", RESET_KEY.encode()
    for user in User.objects.all():
        yield f"password hash of {user}", user.password.encode()
    for token in Token.objects.all():
        yield f"token digest {token.pk}", token.digest.encode()
