"""Endpoints of actions: the request body and the description come from the declaration."""

from collections.abc import Callable
from functools import singledispatch
from http import HTTPStatus
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.models import User
from registry.actions.declarations import Action
from registry.actions.parameters import BooleanOption, Choice, Parameter, Selection, Stamp, Text
from registry.api.framework.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from registry.api.framework.views import TokenAPIView
from registry.api.schema.token_operations import write_operation
from registry.core.text_limits import BodySize

RequestField = serializers.Field[Any, Any, Any, Any]


@singledispatch
def request_field(parameter: Parameter) -> RequestField:
    """The member of a request body for a parameter of an action."""
    raise TypeError(f"There is no request field for {type(parameter).__name__}.")


@request_field.register
def _(parameter: Stamp) -> RequestField:
    # DRF refuses a source that is the name of the field.
    source = None if parameter.argument == parameter.member else parameter.argument
    return StrictIntegerField(help_text=description_of(parameter), source=source)


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
    return StrictCharField(help_text=description_of(parameter))


@request_field.register
def _(parameter: BooleanOption) -> RequestField:
    return StrictBooleanField(default=False, help_text=description_of(parameter))


def description_of(parameter: Parameter) -> str:
    """Label and help text as sentences."""
    return " ".join(f"{text.rstrip('.')}." for text in (parameter.label, parameter.help_text) if text)


def request_serializer(action: Action[Any]) -> type[StrictSerializer]:
    """The body of a request for an action: a member for each parameter."""
    fields = {each.member: request_field(each) for each in action.parameters}
    about = {"__doc__": f"The request body of “{action.label}”."}
    return type(f"{class_name(action)}RequestSerializer", (StrictSerializer,), fields | about)


def class_name(action: Action[Any]) -> str:
    return "".join(part.capitalize() for part in action.name.split("_"))


class ActionView(TokenAPIView):
    """Carry out one action on what `find` returns for the owner of the token and the parts of the address.

    The response contains what `render` makes of the result, also if the user cannot see it any longer.
    """

    declared: ClassVar[Action[Any]]
    body: ClassVar[type[StrictSerializer]]
    find: ClassVar[Callable[..., Any]]
    render: ClassVar[Callable[[Any, User], Any]]
    status: ClassVar[int] = HTTPStatus.OK
    max_body = BodySize.TEXTS

    def perform(self, **address: str) -> Response:
        subject = type(self).find(self.user, **address)
        self.declared.check_permission(self.user, subject)
        result = self.declared.function(subject, by=self.user, **self.validated_data(self.body))
        return Response(type(self).render(result, self.user), self.status)


def action_view(
    action: Action[Any],
    find: Callable[..., Any],
    render: Callable[[Any, User], Any],
    *,
    response: Any,
    status: int = HTTPStatus.OK,
    about: str = "",
    summary: str = "",
    base: type[TokenAPIView] = TokenAPIView,
    **described: Any,
) -> type[ActionView]:
    """The view of an action, with the description from its declaration. `base` has the other methods of its address."""
    body = request_serializer(action)
    described["refusals"] = (*described.get("refusals", ()), *action.all_refusals)
    operation = write_operation(
        action.operation_id,
        summary or action.label,
        action=action,
        request=body,
        response=response,
        about=about or action.effect,
        status=status,
        **described,
    )

    def post(self: ActionView, request: Request, **address: str) -> Response:
        return self.perform(**address)

    attributes = {
        "declared": action,
        "body": body,
        "find": staticmethod(find),
        "render": staticmethod(render),
        "status": status,
        "post": operation(post),
        "__doc__": base.__doc__ if base is not TokenAPIView else f"{action.label}.",
    }
    return type(class_name(action), (ActionView, base), attributes)
