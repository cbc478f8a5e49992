"""The operations that need a token: what they do and say besides what all operations do.

`token_operation` and `write_operation` stand above a method of a TokenAPIView, and what they say of it they also see to: it is
for tokens of that scope alone, and, where an Idempotency-Key is described, it can be sent again with one.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.exceptions import ParseError, UnsupportedMediaType, ValidationError

from registry.accounts.models import Scope
from registry.api.cases import token_serializers
from registry.api.framework.authentication import TokenMissing, TokenRefused
from registry.api.framework.idempotency import (
    IdempotencyKeyInUse,
    IdempotencyKeyMalformed,
    IdempotencyKeyReused,
    idempotent,
)
from registry.api.framework.parsers import LengthRequired
from registry.api.framework.permissions import ScopeMissing, requires_scope
from registry.api.framework.problems import NOT_FOUND
from registry.api.registration_template.reading import SectionsRefused, TemplateUnreadable
from registry.api.schema.operations import (
    COMMON_PROBLEMS,
    Method,
    ProblemKind,
    operation,
    with_problem_members,
)
from registry.api.schema.problem_serializers import FindingsProblemSerializer
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.workflow.exceptions import SubmissionIncomplete
from registry.core.validators import TextMissing, TextTooLong, UnstorableCharacter

TOKEN_PROBLEMS: tuple[ProblemKind, ...] = (*COMMON_PROBLEMS, TokenMissing, TokenRefused)
WRITE_PROBLEMS: tuple[ProblemKind, ...] = (
    *TOKEN_PROBLEMS,
    ScopeMissing,
    ValidationError,
    ParseError,
    UnsupportedMediaType,
    RequestDataTooBig,
    LengthRequired,
)
IDEMPOTENCY_PROBLEMS: tuple[ProblemKind, ...] = (
    IdempotencyKeyMalformed,
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
)
OPTIONAL_TEXT_PROBLEMS: tuple[ProblemKind, ...] = (UnstorableCharacter, TextTooLong)
TEXT_PROBLEMS: tuple[ProblemKind, ...] = (TextMissing, *OPTIONAL_TEXT_PROBLEMS)
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "pattern": r'^("[ !#-\[\]-~]{1,255}"|[!#-\[\]-~]{1,255})$'},
    OpenApiParameter.HEADER,
    description=(
        "Any text of your own, such as a UUID, in double quotes. The same request sent again with it within 24 "
        "hours gets the same answer and has no second effect. A refused request may be sent again with its key."
    ),
    examples=[OpenApiExample("a UUID", '"8e03978e-40d5-43dd-bc93-6894a57f9324"')],
)

with_problem_members(FindingsProblemSerializer, findings=[])(SubmissionIncomplete)
with_problem_members(token_serializers.ScopeProblemSerializer, scope="write")(ScopeMissing)
with_problem_members(
    token_serializers.SectionsProblemSerializer,
    errors=[{"pointer": "#/sections/purpose", "detail": "purpose has to be text."}],
)(SectionsRefused)
with_problem_members(token_serializers.TemplateProblemSerializer, line=None)(TemplateUnreadable)
with_problem_members(
    token_serializers.PointsUnansweredProblemSerializer,
    points=[{"number": 7, "section": "purpose", "text": "Say who benefits."}],
)(PointsUnanswered)


def token_operation(
    name: str,
    summary: str,
    *,
    scope: Scope | None,
    answers: Any,
    about: str,
    has_etag: bool = False,
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe reading for which somebody must be known."""
    describe = operation(
        name,
        summary,
        answers=answers,
        about=f"{about} {_needs(scope)}".strip(),
        common=(*TOKEN_PROBLEMS, ScopeMissing) if scope else TOKEN_PROBLEMS,
        has_etag=has_etag,
        **more,
    )
    return lambda method: describe(requires_scope(scope)(method))


def write_operation(
    name: str,
    summary: str,
    *,
    scope: Scope,
    request: Any,
    answers: Any,
    about: str,
    status: int = HTTPStatus.OK,
    refusals: Sequence[ProblemKind] = (),
    parameters: Sequence[Any] = (),
    is_once: bool = True,
    sample: Any = None,
    **more: Any,
) -> Callable[[Method], Method]:
    """Describe writing. `is_once` where it takes an Idempotency-Key; `sample` is a body that could be sent.

    What is written to something, which `parameters` name, may be nothing that whoever writes may see.
    """
    shown = [OpenApiExample("a body", sample, request_only=True)] if sample else []
    describe = operation(
        name,
        summary,
        answers=answers,
        status=status,
        about=f"{about} {_needs(scope)}".strip(),
        common=(
            *WRITE_PROBLEMS,
            *((NOT_FOUND,) if parameters else ()),
            *(IDEMPOTENCY_PROBLEMS if is_once else ()),
        ),
        refusals=refusals,
        parameters=[*parameters, *([IDEMPOTENCY_KEY] if is_once else [])],
        request=request,
        bodies=shown,
        **more,
    )
    return lambda method: describe(requires_scope(scope)(idempotent(method) if is_once else method))


def _needs(scope: Scope | None) -> str:
    return f"Needs a token with the scope `{scope.value}`." if scope else "Any token will do."
