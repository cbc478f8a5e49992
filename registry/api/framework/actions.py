"""Endpoints of actions: the request body and the description come from the declaration."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, singledispatch
from http import HTTPStatus
from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import Scope, User
from registry.actions.declarations import Action
from registry.actions.parameters import (
    BooleanOption,
    Choice,
    Number,
    Parameter,
    Selection,
    Stamp,
    Text,
    Texts,
)
from registry.api.framework.fields import (
    EmptyRequestSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    body_choice,
)
from registry.api.framework.methods import write_operation
from registry.api.framework.permissions import check_scope
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import ProblemKind

RequestField = serializers.Field[Any, Any, Any, Any]


@singledispatch
def request_field(parameter: Parameter) -> RequestField:
    """The member of a request body for a parameter of an action."""
    raise TypeError(f"There is no request field for {type(parameter).__name__}.")


@request_field.register
def _(parameter: Stamp) -> RequestField:
    return StrictIntegerField(help_text=description_of(parameter), source=_source_of(parameter))


@request_field.register
def _(parameter: Text) -> RequestField:
    if parameter.is_optional:
        return StrictCharField(default="", help_text=description_of(parameter))
    return StrictCharField(help_text=description_of(parameter))


@request_field.register
def _(parameter: Choice) -> RequestField:
    alternatives = f"true: {parameter.yes}; false: {parameter.no}."
    return StrictBooleanField(help_text=f"{parameter.label}: {alternatives}")


@request_field.register
def _(parameter: Selection) -> RequestField:
    return body_choice(parameter.alternatives.choices, help_text=description_of(parameter))


@request_field.register
def _(parameter: Texts) -> RequestField:
    return serializers.ListField(child=StrictCharField(), default=list, help_text=description_of(parameter))


@request_field.register
def _(parameter: Number) -> RequestField:
    return StrictIntegerField(
        required=not parameter.is_optional,
        help_text=description_of(parameter),
        source=_source_of(parameter),
    )


@request_field.register
def _(parameter: BooleanOption) -> RequestField:
    return StrictBooleanField(default=False, help_text=description_of(parameter))


def _source_of(parameter: Parameter) -> str | None:
    """The argument, unless it is the name of the member, which DRF refuses as a source."""
    return None if parameter.argument == parameter.member else parameter.argument


def description_of(parameter: Parameter) -> str:
    """Label and help text as sentences."""
    return " ".join(f"{text.rstrip('.')}." for text in (parameter.label, parameter.help_text) if text)


@lru_cache
def request_serializer(action: Action[Any]) -> type[StrictSerializer]:
    """The body of a request for an action: a member for each parameter."""
    if not action.parameters:
        return EmptyRequestSerializer
    fields = {each.member: request_field(each) for each in action.parameters}
    about = {"__doc__": f"The request body of “{action.label}”."}
    return type(f"{class_name(action)}RequestSerializer", (StrictSerializer,), fields | about)


def class_name(action: Action[Any]) -> str:
    return "".join(part.capitalize() for part in action.name.split("_"))


def action_method(
    action: Action[Any],
    find: Callable[..., Any],
    render: Callable[[Any, User], Any] | None = None,
    *,
    summary: str = "",
    operation_id: str = "",
    about: str = "",
    response: Any = None,
    status: int | None = None,
    location: Callable[[Any], str] | None = None,
    refusals: Sequence[ProblemKind] = (),
    **described: Any,
) -> Any:
    """The method of a view that carries out an action, with the description from its declaration.

    The subject is what `find` returns for the owner of the token and the parts of the address. The response contains what
    `render` makes of the result, also if the user cannot see it any longer; nothing without `render`. `location` is the
    address of what was made. `operation_id` is the name of the operation, if the action has several. `described` are other arguments
    of `write_operation`.
    """
    body = request_serializer(action) if "request" not in described else described.pop("request")
    status = status or (HTTPStatus.OK if render else HTTPStatus.NO_CONTENT)

    def method(self: TokenAPIView, request: Request, **address: str) -> Response:
        subject = find(self.user, **address)
        action.check_permission(self.user, subject)
        if action.acts_in_role(self.user, subject):
            check_scope(request, Scope.DECIDE)
        arguments = self.validated_data(body) if body else {}
        result = action.function(subject, by=self.user, **arguments)
        headers = {"Location": location(result)} if location else {}
        return Response(render(result, self.user) if render else None, status, headers=headers)

    describe = write_operation(
        operation_id or action.operation_id,
        summary or action.label,
        action=action,
        request=body,
        response=response,
        about=about or action.effect,
        status=status,
        refusals=(*refusals, *action.all_refusals),
        **described,
    )
    return describe(method)


def action_view(action: Action[Any], *given: Any, **more: Any) -> type[TokenAPIView]:
    """The view of an action that has an address of its own; see `action_method`."""
    attributes = {
        "post": action_method(action, *given, **more),
        "max_body": action.body_size,
        "__doc__": f"{action.label}.",
    }
    return type(class_name(action), (TokenAPIView,), attributes)


def action_views(
    actions: Mapping[str, Action[Any]],
    *given: Any,
    summary: str = "{}",
    operation_id: str = "{}",
    **more: Any,
) -> dict[str, type[TokenAPIView]]:
    """The views of several actions on one kind of subject, by the parts of their addresses; see `action_method`. `summary` is
    a format string with the label of the action, and `operation_id` one with its name.
    """
    return {
        part: action_view(
            each,
            *given,
            summary=summary.format(each.label),
            operation_id=operation_id.format(each.operation_id),
            **more,
        )
        for part, each in actions.items()
    }
