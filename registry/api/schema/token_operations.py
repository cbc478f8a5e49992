"""Declarations of operations that need a token, or the session of a browser.

`token_operation` and `write_operation` decorate a method of a TokenAPIView. They do what they describe: the method
requires a token of the scope, and honours an Idempotency-Key. `session_operation` decorates one of a SessionAPIView.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.exceptions import Throttled, UnsupportedMediaType

from registry.accounts.gravity import ScopeMissing, gravity_of
from registry.accounts.locks import AddressNotConfirmed
from registry.accounts.models import Scope
from registry.api.framework.authentication import TokenMissing, TokenRefused
from registry.api.framework.conditional import StalePrecondition, honouring_if_match
from registry.api.framework.idempotency import (
    KEY,
    IdempotencyKeyInUse,
    IdempotencyKeyMalformed,
    IdempotencyKeyReused,
    StoredResponseUnreadable,
    idempotent,
)
from registry.api.framework.parsers import LengthRequired
from registry.api.framework.permissions import SecondFactorMissing, requires_scope
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


def token_operation(
    name: str,
    summary: str,
    *,
    scope: Scope | None,
    response: Any,
    about: str,
    has_etag: bool = False,
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe a method that reads with a token. Without a scope, any token is accepted."""
    describe = operation(
        name,
        summary,
        response=response,
        about=f"{about} {_needs(scope)}".strip(),
        common=(
            *TOKEN_PROBLEMS,
            *((ScopeMissing,) if scope else ()),
            *((StalePrecondition,) if has_etag else ()),
        ),
        has_etag=has_etag,
        **more,
    )
    return lambda method: describe(requires_scope(scope)(method))


def write_operation(
    name: str,
    summary: str,
    *,
    action: Any = (),
    scope: Scope = Scope.WRITE,
    request: Any,
    response: Any,
    about: str,
    status: int = HTTPStatus.OK,
    refusals: Sequence[ProblemKind] = (),
    parameters: Sequence[Any] = (),
    is_once: bool = True,
    is_conditional: bool = False,
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe a method that writes: with an `action`, or several of one gravity, the token needs its scope. `is_once`: it
    accepts an Idempotency-Key; `is_conditional`: it honours If-Match with the ETag of the GET of its view.

    What `parameters` name may not be visible to the owner of the token, so such a method may return 404.
    """
    actions = action if isinstance(action, tuple) else (action,)
    if actions:
        (scope,) = {gravity_of(each).scope for each in actions}
    describe = operation(
        name,
        summary,
        response=response,
        actions=actions,
        status=status,
        about=f"{about} {_needs(scope)}".strip(),
        common=(
            *WRITE_PROBLEMS,
            *((NOT_FOUND,) if parameters else ()),
            *(IDEMPOTENCY_PROBLEMS if is_once else ()),
            *((StalePrecondition,) if is_conditional else ()),
        ),
        refusals=refusals,
        parameters=[
            *parameters,
            *([IDEMPOTENCY_KEY] if is_once else []),
            *([OPTIONAL_IF_MATCH] if is_conditional else []),
        ],
        request=request,
        **({"has_etag": True} if is_conditional else {}) | more,
    )

    def declare(method: Method) -> Method:
        conditional = honouring_if_match(method) if is_conditional else method
        return describe(requires_scope(scope)(idempotent(conditional) if is_once else conditional))

    return declare


def session_operation(
    name: str,
    summary: str,
    *,
    response: Any,
    about: str,
    request: Any = None,
    is_write: bool = False,
    parameters: Sequence[Any] = (),
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe a method that needs a session with a recent sign-in. One with a body writes."""
    is_write = is_write or request is not None
    describe = operation(
        name,
        summary,
        response=response,
        about=f"{about} Needs a session with a recent sign-in; a token is not enough.",
        common=SESSION_WRITE_PROBLEMS if is_write else (*COMMON_PROBLEMS, RecentSignInRequired),
        has_etag=False,
        parameters=[*parameters, *([CSRF_TOKEN] if is_write else [])],
        request=request,
        **more,
    )
    return lambda method: describe(requires_scope(None)(method))


def _needs(scope: Scope | None) -> str:
    return f"Needs a token with the scope `{scope.value}`." if scope else "Needs a token with any scope."
