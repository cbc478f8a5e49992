"""The operations that need a token: what they do and say besides what all operations do.

`asking` and `sending` stand above a method of a PersonalResource, and what they say of it they also see to: it is
for tokens of that scope alone, and, where an Idempotency-Key is described, it can be sent again with one.
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any

from django.core.exceptions import RequestDataTooBig
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework.exceptions import ParseError, UnsupportedMediaType, ValidationError

from registry.accounts.models import Scope
from registry.api import shapes
from registry.api.authentication import ScopeMissing, TokenMissing, TokenRefused
from registry.api.bodies import LengthRequired
from registry.api.description import EVERYWHERE, Kind, Method, operation, with_members
from registry.api.idempotency import (
    IdempotencyKeyInUse,
    IdempotencyKeyMalformed,
    IdempotencyKeyReused,
    once,
)
from registry.api.personal import for_token
from registry.api.problem_shapes import FindingsProblem
from registry.api.problems import NOT_FOUND
from registry.api.templates import SectionsRefused, TemplateUnreadable
from registry.registrations.actions import SubmissionIncomplete
from registry.registrations.answers import PointsUnanswered
from registry.words import TooManyWords, UnkeepableCharacter, WordsMissing

KNOWN: tuple[Kind, ...] = (*EVERYWHERE, TokenMissing, TokenRefused)
SENDING: tuple[Kind, ...] = (
    *KNOWN,
    ScopeMissing,
    ValidationError,
    ParseError,
    UnsupportedMediaType,
    RequestDataTooBig,
    LengthRequired,
)
ONCE: tuple[Kind, ...] = (IdempotencyKeyMalformed, IdempotencyKeyInUse, IdempotencyKeyReused)
REMARK: tuple[Kind, ...] = (UnkeepableCharacter, TooManyWords)
WORDS: tuple[Kind, ...] = (WordsMissing, *REMARK)
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

with_members(FindingsProblem, findings=[])(SubmissionIncomplete)
with_members(shapes.ScopeProblem, scope="write")(ScopeMissing)
with_members(
    shapes.SectionsProblem, errors=[{"pointer": "#/sections/purpose", "detail": "purpose has to be text."}]
)(SectionsRefused)
with_members(shapes.TemplateProblem, line=None)(TemplateUnreadable)
with_members(shapes.PointsProblem, points=[{"number": 7, "section": "purpose", "text": "Say who benefits."}])(
    PointsUnanswered
)


def asking(
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
        common=(*KNOWN, ScopeMissing) if scope else KNOWN,
        has_etag=has_etag,
        auth=_auth(scope),
        **more,
    )
    return lambda method: describe(for_token(scope)(method))


def sending(
    name: str,
    summary: str,
    *,
    scope: Scope,
    request: Any,
    answers: Any,
    about: str,
    status: int = HTTPStatus.OK,
    refusals: Sequence[Kind] = (),
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
        common=(*SENDING, *((NOT_FOUND,) if parameters else ()), *(ONCE if is_once else ())),
        refusals=refusals,
        parameters=[*parameters, *([IDEMPOTENCY_KEY] if is_once else [])],
        request=request,
        auth=_auth(scope),
        bodies=shown,
        **more,
    )
    return lambda method: describe(for_token(scope)(once(method) if is_once else method))


def _needs(scope: Scope | None) -> str:
    return f"Needs a token with the scope `{scope.value}`." if scope else "Any token will do."


def _auth(scope: Scope | None) -> list[dict[str, list[str]]]:
    return [{"token": [scope.value] if scope else []}]
