"""`cases/{number}/{transition}/`: every move and act of `cases.workflow.table`, through its own action."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError as DjangoValidationError
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.forms.roles import AccountField
from registry.accounts.models import Scope, User
from registry.api.cases.token_serializers import ParticipantCaseSerializer
from registry.api.cases.token_views import CASES_WITH_RELATIONS, participant_case, visible_case
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
from registry.api.schema.token_operations import OPTIONAL_TEXT_PROBLEMS, TEXT_PROBLEMS, write_operation
from registry.cases import permissions
from registry.cases.discussion.canned_texts import NoOwnWords
from registry.cases.drafts.drafts import DraftOvertaken
from registry.cases.drafts.replies import PointsUnanswered
from registry.cases.forms.transitions import MAX_ACTION_POINTS, TRANSITION_FORMS
from registry.cases.workflow import actions, co_editors, dismissals, transitions
from registry.cases.workflow.co_editors import AlreadyAnEditor, HasActed, NotAnEditor
from registry.cases.workflow.dismissals import FindingBlocks, NoSuchFinding
from registry.cases.workflow.table import ALL_ACTIONS, ConditionNotMet, Transition, TransitionNotAllowed
from registry.cases.workflow.transitions import (
    AlreadySubmitted,
    NothingChanged,
    RoundOvertaken,
    SecondExpertNeeded,
    SubmissionIncomplete,
    UnknownSection,
)
from registry.core.characters import UNSTORABLE
from registry.core.exceptions import RegistryError
from registry.namespaces.services.availability import NidNotRegistrable, NidTaken
from registry.namespaces.services.registration import RevisionOvertaken

# Whoever makes these moves is asked in no role of theirs.
EDITOR_PERMISSIONS = (permissions.is_registrant, permissions.is_editor)


class RoundRequestSerializer(StrictSerializer):
    """A move on the round that was looked at: on another one it is refused."""

    round_number = StrictIntegerField(help_text="The round that you looked at.")


class SubmitRequestSerializer(StrictSerializer):
    draft_stamp = StrictIntegerField(help_text="The draft that you looked at: `draft_stamp` of the draft.")


class RequestedChangeSerializer(StrictSerializer):
    section = StrictCharField(help_text="The key of the section that it concerns.")
    text = StrictCharField(help_text="What is to change.")


class ChangesRequestSerializer(RoundRequestSerializer):
    rationale = StrictCharField(default="")
    action_points = serializers.ListField(child=RequestedChangeSerializer(), max_length=MAX_ACTION_POINTS)

    def validate_action_points(self, points: Sequence[dict[str, str]]) -> list[tuple[str, str]]:
        return [(point["section"], point["text"]) for point in points]


class RationaleRequestSerializer(RoundRequestSerializer):
    rationale = StrictCharField()


class ReportRequestSerializer(RoundRequestSerializer):
    report = StrictCharField()


class DirectionRequestSerializer(RoundRequestSerializer):
    is_approved = StrictBooleanField()
    reference = StrictCharField(help_text="Where the decision can be read.")
    reason = StrictCharField(default="")


class DeclineRequestSerializer(RoundRequestSerializer):
    reason = StrictCharField()


class ReasonRequestSerializer(StrictSerializer):
    reason = StrictCharField()


class RemarkRequestSerializer(StrictSerializer):
    reason = StrictCharField(default="")


class RecognitionRequestSerializer(StrictSerializer):
    reference = StrictCharField(help_text="Where the decision can be read.")
    for_later_cases = StrictBooleanField(default=False)


class ReferenceRequestSerializer(StrictSerializer):
    reference = StrictCharField(help_text="Where the decision can be read.")


class AnticipationRequestSerializer(StrictSerializer):
    anticipated = StrictBooleanField()
    reason = StrictCharField()


class TwoExpertsRequestSerializer(StrictSerializer):
    reason = StrictCharField()

    def get_fields(self) -> dict[str, Any]:
        # `required` is a member of every field, so it can't be declared as a field of the class.
        return {"required": StrictBooleanField(), **super().get_fields()}


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


class DismissFindingRequestSerializer(RoundRequestSerializer):
    section = StrictCharField(help_text="The key of the section that the finding is on.")
    code = StrictCharField(help_text="The code of the finding.")
    reason = StrictCharField(help_text="Why it need not be followed.")


class CoEditorRequestSerializer(StrictSerializer):
    email = AccountByEmailField(source="user", help_text="The address of their account.")


REQUEST_SERIALIZERS: dict[str, type[StrictSerializer]] = {
    "submit": SubmitRequestSerializer,
    "request_changes": ChangesRequestSerializer,
    "advise": RationaleRequestSerializer,
    "approve": RationaleRequestSerializer,
    "forward_report": ReportRequestSerializer,
    "direct": DirectionRequestSerializer,
    "decline": DeclineRequestSerializer,
    "appeal": ReasonRequestSerializer,
    "recognise": RecognitionRequestSerializer,
    "refuse_recognition": ReferenceRequestSerializer,
    "request_completion": RoundRequestSerializer,
    "assign": RoundRequestSerializer,
    "return_to_registrant": ReasonRequestSerializer,
    "withdraw": RemarkRequestSerializer,
    "anticipate_standards_action": AnticipationRequestSerializer,
    "require_two_experts": TwoExpertsRequestSerializer,
    "recuse": RemarkRequestSerializer,
    "add_co_editor": CoEditorRequestSerializer,
    "remove_co_editor": CoEditorRequestSerializer,
    "dismiss_finding": DismissFindingRequestSerializer,
}
EFFECTS = {name: form.effect for name, form in TRANSITION_FORMS.items()} | {
    "dismiss_finding": (
        "Says of one piece of advice on the latest round why it need not be followed. It holds while its section "
        "says the same, is a part of the public record, and binds nobody. A blocking finding can't be set aside."
    ),
}


def scope_of(transition: Transition) -> Scope:
    """What a token must be made for to make the move."""
    return Scope.WRITE if transition.permission in EDITOR_PERMISSIONS else Scope.DECIDE


# What an action may refuse besides what every move may: that it is not open, and words that will not do.
VERDICT = (RoundOvertaken, NoOwnWords)
DECIDING = (*VERDICT, SecondExpertNeeded)
REFUSALS: Mapping[str, tuple[type[RegistryError], ...]] = {
    "submit": (SubmissionIncomplete, PointsUnanswered, DraftOvertaken, NothingChanged, AlreadySubmitted),
    "request_changes": (*VERDICT, UnknownSection),
    "advise": VERDICT,
    "approve": DECIDING,
    "forward_report": DECIDING,
    "decline": DECIDING,
    "direct": (RoundOvertaken,),
    "request_completion": (RoundOvertaken,),
    "assign": (RoundOvertaken, NidTaken, NidNotRegistrable, RevisionOvertaken),
    "add_co_editor": (AlreadyAnEditor, HasActed),
    "remove_co_editor": (NotAnEditor,),
    "dismiss_finding": (NoSuchFinding, FindingBlocks),
}
WITHOUT_TEXT = {"submit", "request_completion", "assign", "add_co_editor", "remove_co_editor"}
# Their words may be left out.
WITH_OPTIONAL_TEXT = {"withdraw", "recuse"}
SAMPLES: dict[str, dict[str, Any]] = {
    "submit": {"draft_stamp": 3},
    "request_changes": {
        "round_number": 1,
        "action_points": [{"section": "purpose", "text": "Say who benefits."}],
    },
    "advise": {"round_number": 1, "rationale": "Mature, and useful to gardens."},
    "approve": {"round_number": 1, "rationale": "Sound, and useful to gardens."},
    "forward_report": {"round_number": 1, "report": "We recommend to register it."},
    "direct": {"round_number": 1, "is_approved": True, "reference": "Minutes of 2026-11-21"},
    "decline": {"round_number": 1, "reason": "The names would not be unique."},
    "request_completion": {"round_number": 1},
    "assign": {"round_number": 1},
    "recognise": {"reference": "Minutes of 2026-11-21"},
    "refuse_recognition": {"reference": "Minutes of 2026-11-21"},
    "anticipate_standards_action": {"anticipated": True, "reason": "A specification is on its way."},
    "add_co_editor": {"email": "co-editor@example.org"},
    "remove_co_editor": {"email": "co-editor@example.org"},
    "dismiss_finding": {
        "round_number": 1,
        "section": "assignment",
        "code": "uniqueness-not-explained",
        "reason": "The specification explains it.",
    },
}


class TransitionView(TokenAPIView):
    """One move: the action of its name, and nothing else."""

    transition: ClassVar[Transition]

    def make(self, request: Request, number: str) -> Response:
        by = request_user(request)
        case = visible_case(number, by)
        self.transition.check_allowed(by, case)
        module = next(
            each
            for each in (transitions, actions, co_editors, dismissals)
            if hasattr(each, self.transition.name)
        )
        getattr(module, self.transition.name)(
            case, by=by, **validated_data(request, REQUEST_SERIALIZERS[self.transition.name])
        )
        # A co-editor who leaves a draft is told of it once more, though they may not see it now.
        return Response(participant_case(by, CASES_WITH_RELATIONS.get(pk=case.pk)))


def _transition_view(transition: Transition) -> type[TransitionView]:
    """The resource of a move, which describes itself as its page does."""
    words = (
        ()
        if transition.name in WITHOUT_TEXT
        else OPTIONAL_TEXT_PROBLEMS
        if transition.name in WITH_OPTIONAL_TEXT
        else TEXT_PROBLEMS
    )
    conditions = (ConditionNotMet,) if transition.conditions else ()
    operation = write_operation(
        transition.name,
        transition.label,
        scope=scope_of(transition),
        request=REQUEST_SERIALIZERS[transition.name],
        answers=ParticipantCaseSerializer,
        about=EFFECTS[transition.name],
        refusals=(TransitionNotAllowed, *conditions, *words, *REFUSALS.get(transition.name, ())),
        parameters=(NUMBER,),
        links={"transitions": ("getCaseTransitions", OF_CASE), "case": ("getCase", OF_CASE)},
        sample=SAMPLES.get(transition.name),
    )

    def post(self: TransitionView, request: Request, number: str) -> Response:
        return self.make(request, number)

    attributes = {"transition": transition, "post": operation(post)}
    name = "".join(part.capitalize() for part in transition.name.split("_"))
    return type(name, (TransitionView,), attributes | {"__doc__": f"{transition.label}."})


TRANSITION_VIEWS: dict[str, type[TransitionView]] = {
    transition.slug: _transition_view(transition) for transition in ALL_ACTIONS
}
