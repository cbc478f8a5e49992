"""`cases/{number}/{action}/`: every transition and other action of a case, built from its declaration."""

from functools import singledispatch
from typing import Any, ClassVar

from django.core.exceptions import ValidationError as DjangoValidationError
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.forms.fields import AccountField
from registry.accounts.models import User
from registry.api.cases.token_serializers import ParticipantCaseSerializer
from registry.api.cases.token_views import (
    CASES_WITH_RELATIONS,
    operation_id,
    participant_case,
    visible_case,
)
from registry.api.cases.views import OF_CASE
from registry.api.framework.authentication import request_user
from registry.api.framework.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
    validated_data,
)
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import NUMBER
from registry.api.schema.token_operations import write_operation
from registry.cases.workflow.definition import Action
from registry.cases.workflow.parameters import (
    MAX_ACTION_POINTS,
    Account,
    ActionPoints,
    Flag,
    Parameter,
    Stamp,
    Text,
    YesOrNo,
)
from registry.cases.workflow.table import ALL_ACTIONS
from registry.core.characters import UNSTORABLE

RequestField = serializers.Field[Any, Any, Any, Any]


class RequestedChangeSerializer(StrictSerializer):
    section = StrictCharField(help_text="The key of the section that it concerns.")
    text = StrictCharField(help_text="What is to change.")


class RequestedChangesField(serializers.ListField):
    """Action points, as (section, text) pairs."""

    child = RequestedChangeSerializer()

    def to_internal_value(self, data: Any) -> list[tuple[str, str]]:
        return [(point["section"], point["text"]) for point in super().to_internal_value(data)]


class RemarkRequestSerializer(StrictSerializer):
    reason = StrictCharField(default="")


@extend_schema_field({"type": "string", "format": "email", "maxLength": 320})
class AccountByEmailField(serializers.Field[User, str, str, Any]):
    """An account, named by its e-mail address."""

    default_error_messages = {"address": "This has to be an e-mail address."}

    def to_internal_value(self, data: Any) -> User:
        if not isinstance(data, str) or UNSTORABLE.search(data):
            self.fail("address")
        try:
            return AccountField().clean(data)
        except DjangoValidationError as fault:
            raise serializers.ValidationError(list(fault.messages)) from fault

    def to_representation(self, value: User) -> str:
        return value.email


@singledispatch
def request_field(parameter: Parameter) -> RequestField:
    """The member of a request body for a parameter of an action."""
    raise NotImplementedError(parameter)


@request_field.register
def _(parameter: Stamp) -> RequestField:
    return StrictIntegerField(help_text=_description(parameter))


@request_field.register
def _(parameter: Text) -> RequestField:
    if parameter.is_optional:
        return StrictCharField(default="", help_text=_description(parameter))
    return StrictCharField(help_text=_description(parameter))


@request_field.register
def _(parameter: YesOrNo) -> RequestField:
    alternatives = f"true: {parameter.yes}; false: {parameter.no}."
    return StrictBooleanField(help_text=f"{parameter.label}: {alternatives}")


@request_field.register
def _(parameter: Flag) -> RequestField:
    return StrictBooleanField(default=False, help_text=_description(parameter))


@request_field.register
def _(parameter: ActionPoints) -> RequestField:
    return RequestedChangesField(max_length=MAX_ACTION_POINTS, help_text=_description(parameter))


@request_field.register
def _(parameter: Account) -> RequestField:
    return AccountByEmailField(source=parameter.argument, help_text=_description(parameter))


def _description(parameter: Parameter) -> str:
    """Label and help text as sentences."""
    return " ".join(f"{text.rstrip('.')}." for text in (parameter.label, parameter.help_text) if text)


def request_serializer(action: Action) -> type[StrictSerializer]:
    """The body of a request for an action: a member for each parameter."""
    fields = {each.member: request_field(each) for each in action.parameters}
    return type(f"{_class_name(action)}RequestSerializer", (StrictSerializer,), fields)


def _class_name(action: Action) -> str:
    return "".join(part.capitalize() for part in action.name.split("_"))


class TransitionView(TokenAPIView):
    """Carry out one action."""

    transition: ClassVar[Action]
    body: ClassVar[type[StrictSerializer]]

    def make(self, request: Request, number: str) -> Response:
        by = request_user(request)
        case = visible_case(number, by)
        self.transition.check_allowed(by, case)
        self.transition.action(case, by=by, **validated_data(request, self.body))
        # A co-editor who leaves a draft gets it once more, though they may not see it any longer.
        return Response(participant_case(by, CASES_WITH_RELATIONS.get(pk=case.pk)))


def _transition_view(action: Action) -> type[TransitionView]:
    """The resource of an action, described as on its page."""
    body = request_serializer(action)
    operation = write_operation(
        operation_id(action.name),
        action.label,
        scope=action.scope,
        request=body,
        answers=ParticipantCaseSerializer,
        about=action.effect,
        refusals=action.all_refusals,
        parameters=(NUMBER,),
        links={"transitions": ("getCaseTransitions", OF_CASE), "case": ("getCase", OF_CASE)},
        sample=action.sample,
    )

    def post(self: TransitionView, request: Request, number: str) -> Response:
        return self.make(request, number)

    attributes = {"transition": action, "body": body, "post": operation(post)}
    return type(_class_name(action), (TransitionView,), attributes | {"__doc__": f"{action.label}."})


TRANSITION_VIEWS: dict[str, type[TransitionView]] = {
    action.slug: _transition_view(action) for action in ALL_ACTIONS
}
