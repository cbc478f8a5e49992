"""`cases/{number}/{action}/`: the transitions and other actions of a case, built from their declarations."""

from functools import partial
from typing import Any

from rest_framework import serializers

from registry.accounts.models import User
from registry.api.cases.proposed_profiles import ConfirmedProfileRequestSerializer
from registry.api.cases.queries import OF_CASE, case_for
from registry.api.cases.serializers import ParticipantCaseSerializer
from registry.api.framework.actions import RequestField, action_view, description_of, request_field
from registry.api.framework.fields import StrictCharField, StrictSerializer
from registry.api.framework.views import TokenAPIView
from registry.api.schema.operations import NUMBER, with_problem_members
from registry.api.schema.problems import FindingsProblemSerializer, ProblemSerializer
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.models import Case
from registry.cases.workflow.declarations.definition import CaseAction
from registry.cases.workflow.declarations.parameters import MAX_ACTION_POINTS, ActionPoints, ProfileToConfirm
from registry.cases.workflow.declarations.transitions import ALL_ACTIONS
from registry.cases.workflow.exceptions import SubmissionIncomplete
from registry.namespaces.proposals.checking import ProfileRefused


class UnansweredActionPointSerializer(serializers.Serializer[Any]):
    """An action point of the latest round that has no reply yet."""

    number = serializers.IntegerField(help_text="The number, counted from 1.")
    section = serializers.CharField(help_text="The key of the section to change.")
    text = serializers.CharField(help_text="The requested change.")


class PointsUnansweredProblemSerializer(ProblemSerializer):
    """Action points without a reply."""

    points = UnansweredActionPointSerializer(many=True, help_text="The action points without a reply.")


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


@request_field.register
def _(parameter: ProfileToConfirm) -> RequestField:
    return ConfirmedProfileRequestSerializer(
        required=False, allow_null=True, help_text=description_of(parameter)
    )


@request_field.register
def _(parameter: ActionPoints) -> RequestField:
    return RequestedChangesField(max_length=MAX_ACTION_POINTS, help_text=description_of(parameter))


def _found(action: CaseAction, user: User, number: str) -> Case:
    """The case, if the action is open to the user now: its body is read after that."""
    case = case_for(action, number, user)
    action.check_open(case)
    return case


ACTION_VIEWS: dict[str, type[TokenAPIView]] = {
    action.slug: action_view(
        action,
        partial(_found, action),
        lambda case, user: ParticipantCaseSerializer(case, context={"user": user}).data,
        response=ParticipantCaseSerializer,
        parameters=(NUMBER,),
        links={"actions": ("getCaseActions", OF_CASE), "case": ("getCase", OF_CASE)},
    )
    for action in ALL_ACTIONS
}
