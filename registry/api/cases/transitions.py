"""`cases/{number}/{action}/`: the transitions and other actions of a case, built from their declarations."""

from functools import singledispatch
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.api.cases.operations import OF_CASE
from registry.api.cases.proposed_profiles import ConfirmedProfileRequestSerializer
from registry.api.cases.queries import case_for
from registry.api.cases.serializers import ParticipantCaseSerializer
from registry.api.framework.fields import (
    StrictBooleanField,
    StrictCharField,
    StrictIntegerField,
    StrictSerializer,
)
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import NUMBER, with_problem_members
from registry.api.schema.problem_serializers import FindingsProblemSerializer, ProblemSerializer
from registry.api.schema.token_operations import write_operation
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.workflow.definition import Action
from registry.cases.workflow.exceptions import SubmissionIncomplete
from registry.cases.workflow.parameters import (
    MAX_ACTION_POINTS,
    ActionPoints,
    BooleanOption,
    Choice,
    Parameter,
    ProfileToConfirm,
    Stamp,
    Text,
)
from registry.cases.workflow.table import ALL_ACTIONS
from registry.core.text_limits import BodySize
from registry.namespaces.proposals.checking import ProfileRefused

RequestField = serializers.Field[Any, Any, Any, Any]


class UnansweredActionPointSerializer(serializers.Serializer[Any]):
    """An action point of the latest round that has no reply yet."""

    number = serializers.IntegerField()
    section = serializers.CharField()
    text = serializers.CharField()


class PointsUnansweredProblemSerializer(ProblemSerializer):
    """Action points without a reply."""

    points = UnansweredActionPointSerializer(many=True)


for refusal in (SubmissionIncomplete, ProfileRefused):
    with_problem_members(FindingsProblemSerializer)(refusal)
with_problem_members(PointsUnansweredProblemSerializer)(PointsUnanswered)


class RequestedChangeSerializer(StrictSerializer):
    """A change that an expert requests in one section."""

    section = StrictCharField(help_text="The key of the section that it concerns.")
    text = StrictCharField(help_text="The requested change.")


class RequestedChangesField(serializers.ListField):
    """Action points, as (section, text) pairs."""

    child = RequestedChangeSerializer()

    def to_internal_value(self, data: Any) -> list[tuple[str, str]]:
        return [(point["section"], point["text"]) for point in super().to_internal_value(data)]


@singledispatch
def request_field(parameter: Parameter) -> RequestField:
    """The member of a request body for a parameter of an action."""
    raise TypeError(f"There is no request field for {type(parameter).__name__}.")


@request_field.register
def _(parameter: Stamp) -> RequestField:
    # DRF refuses a source that is the name of the field.
    source = None if parameter.argument == parameter.member else parameter.argument
    return StrictIntegerField(help_text=_description(parameter), source=source)


@request_field.register
def _(parameter: Text) -> RequestField:
    if parameter.is_optional:
        return StrictCharField(default="", help_text=_description(parameter))
    return StrictCharField(help_text=_description(parameter))


@request_field.register
def _(parameter: Choice) -> RequestField:
    alternatives = f"true: {parameter.yes}; false: {parameter.no}."
    return StrictBooleanField(help_text=f"{parameter.label}: {alternatives}")


@request_field.register
def _(parameter: BooleanOption) -> RequestField:
    return StrictBooleanField(default=False, help_text=_description(parameter))


@request_field.register
def _(parameter: ProfileToConfirm) -> RequestField:
    return ConfirmedProfileRequestSerializer(
        required=False, allow_null=True, help_text=_description(parameter)
    )


@request_field.register
def _(parameter: ActionPoints) -> RequestField:
    return RequestedChangesField(max_length=MAX_ACTION_POINTS, help_text=_description(parameter))


def _description(parameter: Parameter) -> str:
    """Label and help text as sentences."""
    return " ".join(f"{text.rstrip('.')}." for text in (parameter.label, parameter.help_text) if text)


def request_serializer(action: Action) -> type[StrictSerializer]:
    """The body of a request for an action: a member for each parameter."""
    fields = {each.member: request_field(each) for each in action.parameters}
    about = {"__doc__": f"The request body of “{action.label}”."}
    return type(f"{_class_name(action)}RequestSerializer", (StrictSerializer,), fields | about)


def _class_name(action: Action) -> str:
    return "".join(part.capitalize() for part in action.name.split("_"))


class ActionView(TokenAPIView):
    """Carry out one action."""

    declared: ClassVar[Action]
    body: ClassVar[type[StrictSerializer]]
    max_body = BodySize.TEXTS

    def perform(self, number: str) -> Response:
        case = case_for(self.declared, number, self.user)
        self.declared.check_allowed(self.user, case)
        # The response contains the case even if the user cannot see it any longer, such as a co-editor who left.
        case = self.declared.action(case, by=self.user, **self.validated_data(self.body))
        return Response(ParticipantCaseSerializer(case, context={"user": self.user}).data)


def _action_view(action: Action) -> type[ActionView]:
    """The view of an action, with the description from its declaration."""
    body = request_serializer(action)
    operation = write_operation(
        action.operation_id,
        action.label,
        action=action,
        request=body,
        response=ParticipantCaseSerializer,
        about=action.effect,
        refusals=action.all_refusals,
        parameters=(NUMBER,),
        links={"actions": ("getCaseActions", OF_CASE), "case": ("getCase", OF_CASE)},
    )

    def post(self: ActionView, request: Request, number: str) -> Response:
        return self.perform(number)

    attributes = {"declared": action, "body": body, "post": operation(post)}
    return type(_class_name(action), (ActionView,), attributes | {"__doc__": f"{action.label}."})


ACTION_VIEWS: dict[str, type[ActionView]] = {action.slug: _action_view(action) for action in ALL_ACTIONS}
