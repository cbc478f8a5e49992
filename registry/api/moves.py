"""`registrations/{number}/{move}/`: every move and act of `registrations.workflow`, through its own action."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError as Unclean
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.forms import AccountField
from registry.accounts.models import Scope, User
from registry.api.bodies import Body, WholeNumber, Words, YesOrNo, asked
from registry.api.cases import WHOLE_CASES, case_for, visible_case
from registry.api.description import NUMBER
from registry.api.description_writing import REMARK, WORDS, sending
from registry.api.personal import PersonalResource, person
from registry.api.registrations import OF_CASE
from registry.api.shapes import ActedCase
from registry.characters import UNKEEPABLE
from registry.errors import RegistryError
from registry.namespaces.availability import NidNotRegistrable, NidTaken
from registry.namespaces.registering import RevisionOvertaken
from registry.registrations import actions, acts, editors, permissions, setting_aside
from registry.registrations.actions import (
    AlreadySubmitted,
    NothingChanged,
    RoundOvertaken,
    SecondExpertNeeded,
    SubmissionIncomplete,
    UnknownSection,
)
from registry.registrations.answers import PointsUnanswered
from registry.registrations.canned_texts import NoOwnWords
from registry.registrations.drafts import DraftOvertaken
from registry.registrations.editors import AlreadyAnEditor, HasActed, NotAnEditor
from registry.registrations.forms_moves import FORMS, MAX_ACTION_POINTS
from registry.registrations.setting_aside import FindingBlocks, NoSuchFinding
from registry.registrations.workflow import EVERYTHING, ConditionNotMet, Move, MoveNotOpen

# Whoever makes these moves is asked in no role of theirs.
OWN = (permissions.is_registrant, permissions.is_editor)


class RoundBody(Body):
    """A move on the round that was looked at: on another one it is refused."""

    round_number = WholeNumber(help_text="The round that you looked at.")


class SubmitBody(Body):
    draft_stamp = WholeNumber(help_text="The draft that you looked at: `draft_stamp` of the draft.")


class RequestedChange(Body):
    section = Words(help_text="The key of the section that it concerns.")
    text = Words(help_text="What is to change.")


class ChangesBody(RoundBody):
    rationale = Words(default="")
    action_points = serializers.ListField(child=RequestedChange(), max_length=MAX_ACTION_POINTS)

    def validate_action_points(self, points: Sequence[dict[str, str]]) -> list[tuple[str, str]]:
        return [(point["section"], point["text"]) for point in points]


class RationaleBody(RoundBody):
    rationale = Words()


class ReportBody(RoundBody):
    report = Words()


class DirectionBody(RoundBody):
    is_approved = YesOrNo()
    reference = Words(help_text="Where the decision can be read.")
    reason = Words(default="")


class DeclineBody(RoundBody):
    reason = Words()


class ReasonBody(Body):
    reason = Words()


class RemarkBody(Body):
    reason = Words(default="")


class RecognitionBody(Body):
    reference = Words(help_text="Where the decision can be read.")
    for_later_cases = YesOrNo(default=False)


class ReferenceBody(Body):
    reference = Words(help_text="Where the decision can be read.")


class AnticipationBody(Body):
    anticipated = YesOrNo()
    reason = Words()


class RequirementBody(Body):
    reason = Words()

    def get_fields(self) -> dict[str, Any]:
        # `required` is a member of every field, so it can't be declared as a field of the class.
        return {"required": YesOrNo(), **super().get_fields()}


@extend_schema_field({"type": "string", "format": "email", "maxLength": 320})
class AccountByAddress(serializers.Field[User, str, str, Any]):
    """An account, named by its e-mail address."""

    default_error_messages = {"address": "This has to be an e-mail address."}

    def to_internal_value(self, data: Any) -> User:
        if not isinstance(data, str) or UNKEEPABLE.search(data):
            self.fail("address")
        try:
            return AccountField().clean(data)
        except Unclean as fault:
            raise serializers.ValidationError(list(fault.messages)) from fault

    def to_representation(self, value: User) -> str:
        return value.email


class SetAsideBody(RoundBody):
    section = Words(help_text="The key of the section that the finding is on.")
    code = Words(help_text="The code of the finding.")
    reason = Words(help_text="Why it need not be followed.")


class CoEditorBody(Body):
    email = AccountByAddress(source="user", help_text="The address of their account.")


BODIES: dict[str, type[Body]] = {
    "submit": SubmitBody,
    "request_changes": ChangesBody,
    "advise": RationaleBody,
    "approve": RationaleBody,
    "forward_report": ReportBody,
    "direct": DirectionBody,
    "decline": DeclineBody,
    "appeal": ReasonBody,
    "recognise": RecognitionBody,
    "refuse_recognition": ReferenceBody,
    "request_completion": RoundBody,
    "assign": RoundBody,
    "return_to_registrant": ReasonBody,
    "withdraw": RemarkBody,
    "anticipate_standards_action": AnticipationBody,
    "require_two_experts": RequirementBody,
    "recuse": RemarkBody,
    "add_co_editor": CoEditorBody,
    "remove_co_editor": CoEditorBody,
    "set_aside": SetAsideBody,
}
EFFECTS = {name: form.effect for name, form in FORMS.items()} | {
    "set_aside": (
        "Says of one piece of advice on the latest round why it need not be followed. It holds while its section "
        "says the same, is a part of the public record, and binds nobody. A blocking finding can't be set aside."
    ),
}


def scope_of(move: Move) -> Scope:
    """What a token must be made for to make the move."""
    return Scope.WRITE if move.who in OWN else Scope.DECIDE


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
    "set_aside": (NoSuchFinding, FindingBlocks),
}
WITHOUT_WORDS = {"submit", "request_completion", "assign", "add_co_editor", "remove_co_editor"}
# Their words may be left out.
WITH_A_REMARK = {"withdraw", "recuse"}
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
    "set_aside": {
        "round_number": 1,
        "section": "assignment",
        "code": "uniqueness-not-explained",
        "reason": "The specification explains it.",
    },
}


class MakeMove(PersonalResource):
    """One move: the action of its name, and nothing else."""

    move: ClassVar[Move]

    def make(self, request: Request, number: str) -> Response:
        by = person(request)
        case = visible_case(number, by)
        self.move.check_open(by, case)
        home = next(each for each in (actions, acts, editors, setting_aside) if hasattr(each, self.move.name))
        getattr(home, self.move.name)(case, by=by, **asked(request, BODIES[self.move.name]))
        # A co-editor who leaves a draft is told of it once more, though they may not see it now.
        return Response(case_for(by, WHOLE_CASES.get(pk=case.pk)))


def _resource(move: Move) -> type[MakeMove]:
    """The resource of a move, which describes itself as its page does."""
    words = () if move.name in WITHOUT_WORDS else REMARK if move.name in WITH_A_REMARK else WORDS
    conditions = (ConditionNotMet,) if move.conditions else ()
    described = sending(
        move.name,
        move.label,
        scope=scope_of(move),
        request=BODIES[move.name],
        answers=ActedCase,
        about=EFFECTS[move.name],
        refusals=(MoveNotOpen, *conditions, *words, *REFUSALS.get(move.name, ())),
        parameters=(NUMBER,),
        links={"moves": ("moves", OF_CASE), "case": ("registration", OF_CASE)},
        sample=SAMPLES.get(move.name),
    )

    def post(self: MakeMove, request: Request, number: str) -> Response:
        return self.make(request, number)

    particulars = {"move": move, "post": described(post)}
    name = "".join(part.capitalize() for part in move.name.split("_"))
    return type(name, (MakeMove,), particulars | {"__doc__": f"{move.label}."})


RESOURCES: dict[str, type[MakeMove]] = {move.slug: _resource(move) for move in EVERYTHING}
