"""Descriptions of operations that need a token, or the session of a browser: their problems, headers and texts.

What such a method requires and honours is declared with `registry.api.framework.methods`, which calls these functions.
"""

from collections.abc import Callable, Sequence
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.exceptions import Throttled, UnsupportedMediaType

from registry.accounts.gravity import ScopeMissing
from registry.accounts.locks import AddressNotConfirmed
from registry.accounts.models import Scope
from registry.api.framework.authentication import TokenMissing, TokenRefused
from registry.api.framework.conditional import StalePrecondition
from registry.api.framework.idempotency import (
    KEY,
    IdempotencyKeyInUse,
    IdempotencyKeyMalformed,
    IdempotencyKeyReused,
    StoredResponseUnreadable,
)
from registry.api.framework.parsers import LengthRequired
from registry.api.framework.permissions import SecondFactorMissing
from registry.api.framework.problems import NOT_FOUND
from registry.api.framework.sessions import CSRFCheckFailed, RecentSignInRequired
from registry.api.schema.operations import (
    BAD_BODY,
    COMMON_PROBLEMS,
    TOO_LARGE,
    Method,
    ProblemKind,
    operation,
    shared_response,
    with_problem_members,
)
from registry.api.schema.problems import (
    ScopeProblemSerializer,
    SecondFactorProblemSerializer,
    SignInProblemSerializer,
)
from registry.core.http.capacity import SlowBody
from registry.core.rate_limits import LimitExceeded
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter

UNAUTHENTICATED = shared_response("Unauthenticated", TokenMissing, TokenRefused)
TOKEN_PROBLEMS: tuple[ProblemKind, ...] = (*COMMON_PROBLEMS, *UNAUTHENTICATED)
WRITE_PROBLEMS: tuple[ProblemKind, ...] = (
    *TOKEN_PROBLEMS,
    *BAD_BODY,
    *shared_response("NotPermitted", ScopeMissing, SecondFactorMissing, AddressNotConfirmed),
    *shared_response("LimitReached", Throttled, LimitExceeded),
    UnsupportedMediaType,
    *TOO_LARGE,
    LengthRequired,
    SlowBody,
)
BAD_POST = shared_response("BadPost", *BAD_BODY, IdempotencyKeyMalformed)
KEY_CONFLICT = shared_response("KeyConflict", IdempotencyKeyInUse, StoredResponseUnreadable)
IDEMPOTENCY_PROBLEMS = (*BAD_POST, *KEY_CONFLICT, IdempotencyKeyReused)
OPTIONAL_TEXT_PROBLEMS: tuple[ProblemKind, ...] = (UnstorableCharacter, TextTooLong)
TEXT_PROBLEMS: tuple[ProblemKind, ...] = (TextMissing, *OPTIONAL_TEXT_PROBLEMS)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": f"^({KEY.pattern})$"},
    OpenApiParameter.HEADER,
    description=(
        "A text that the client chooses, such as a UUID, in double quotes. If the client repeats the request with "
        "this key within 24 hours, the response is the same, and nothing is done twice. A request that failed "
        "may be repeated with its key."
    ),
    examples=[OpenApiExample("a UUID", '"8e03978e-40d5-43dd-bc93-6894a57f9324"')],
    extensions={"x-component": "Idempotency-Key"},
)

OPTIONAL_IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The ETag of the record to change. If the record has another one now, the response is 412, and nothing changes.",
    examples=[OpenApiExample("an ETag", '"9c1f0a7be25d43f85f3a6b0c9d1e48f7"')],
    extensions={"x-component": "Optional-If-Match"},
)

CSRF_TOKEN = OpenApiParameter(
    "X-CSRFToken",
    {"type": "string"},
    OpenApiParameter.HEADER,
    required=True,
    description="The value of the cookie that the pages of the registry set, over HTTPS `__Host-csrftoken`.",
    examples=[OpenApiExample("a value", "4bGfPZ0yQ5qj7n1cXoT2kRr8sWv3aMdE")],
    extensions={"x-component": "X-CSRFToken"},
)
SESSION_WRITE_PROBLEMS: tuple[ProblemKind, ...] = (
    *COMMON_PROBLEMS,
    *BAD_BODY,
    *shared_response("SessionRefused", RecentSignInRequired, CSRFCheckFailed),
    UnsupportedMediaType,
    *TOO_LARGE,
    LengthRequired,
    SlowBody,
)

with_problem_members(ScopeProblemSerializer)(ScopeMissing)
with_problem_members(SecondFactorProblemSerializer)(SecondFactorMissing)
with_problem_members(SignInProblemSerializer)(RecentSignInRequired)


def describe_token_operation(
    name: str,
    summary: str,
    *,
    scope: Scope | None,
    about: str,
    has_etag: bool = False,
    **described: Any,
) -> Callable[[Method], Method]:
    """Describe a method that reads with a token."""
    return operation(
        name,
        summary,
        about=f"{about} {_needs(scope)}".strip(),
        common=(
            *TOKEN_PROBLEMS,
            *((ScopeMissing,) if scope else ()),
            *((StalePrecondition,) if has_etag else ()),
        ),
        has_etag=has_etag,
        **described,
    )


def describe_write_operation(
    name: str,
    summary: str,
    *,
    scope: Scope,
    about: str,
    is_once: bool,
    is_conditional: bool,
    parameters: Sequence[Any] = (),
    **described: Any,
) -> Callable[[Method], Method]:
    """Describe a method that writes with a token.

    What `parameters` name may not be visible to the owner of the token, so such a method may return 404.
    """
    return operation(
        name,
        summary,
        about=f"{about} {_needs(scope)}".strip(),
        common=(
            *WRITE_PROBLEMS,
            *((NOT_FOUND,) if parameters else ()),
            *(IDEMPOTENCY_PROBLEMS if is_once else ()),
            *((StalePrecondition,) if is_conditional else ()),
        ),
        parameters=[
            *parameters,
            *([IDEMPOTENCY_KEY] if is_once else []),
            *([OPTIONAL_IF_MATCH] if is_conditional else []),
        ],
        **({"has_etag": True} if is_conditional else {}) | described,
    )


def describe_session_operation(
    name: str,
    summary: str,
    *,
    about: str,
    is_write: bool,
    parameters: Sequence[Any] = (),
    **described: Any,
) -> Callable[[Method], Method]:
    """Describe a method that needs a session with a recent sign-in."""
    return operation(
        name,
        summary,
        about=f"{about} Needs a session with a recent sign-in; a token is not enough.",
        common=SESSION_WRITE_PROBLEMS if is_write else (*COMMON_PROBLEMS, RecentSignInRequired),
        has_etag=False,
        parameters=[*parameters, *([CSRF_TOKEN] if is_write else [])],
        **described,
    )


def _needs(scope: Scope | None) -> str:
    return f"Needs a token with the scope `{scope.value}`." if scope else "Needs a token with any scope."
