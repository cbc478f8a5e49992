"""`registrations/{number}/{move}/`: every move and act of `registrations.workflow`, through its own action."""

from collections.abc import Sequence
from typing import Any, ClassVar

from django.core.exceptions import ValidationError as Unclean
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry.accounts.forms import AccountField
from registry.accounts.models import Scope, User
from registry.api.bodies import Body, WholeNumber, Words, YesOrNo, asked
from registry.api.cases import case_for, visible_case
from registry.api.idempotency import once
from registry.api.personal import PersonalResource, person
from registry.registrations import actions, editors, permissions
from registry.registrations.forms_moves import MAX_ACTION_POINTS
from registry.registrations.models import Registration
from registry.registrations.workflow import ACTS, MOVES, Move

# Whoever makes these moves is asked in no role of theirs.
OWN = (permissions.is_registrant, permissions.is_editor)


class OnRound(Body):
    """A move on the round that was looked at: on another one it is refused."""

    round_number = WholeNumber(help_text="The round that you looked at.")


class Nothing(Body):
    """A move that asks for nothing."""


class Submit(Body):
    draft_stamp = WholeNumber(help_text="The draft that you looked at: `draft_stamp` of the draft.")


class Point(Body):
    section = Words(help_text="The key of the section that it concerns.")
    text = Words(help_text="What is to change.")


class RequestChanges(OnRound):
    rationale = Words(default="")
    action_points = serializers.ListField(child=Point(), max_length=MAX_ACTION_POINTS)

    def validate_action_points(self, points: Sequence[dict[str, str]]) -> list[tuple[str, str]]:
        return [(point["section"], point["text"]) for point in points]


class Verdict(OnRound):
    rationale = Words()


class Report(OnRound):
    report = Words()


class Direction(OnRound):
    is_approved = YesOrNo()
    reference = Words(help_text="Where the decision can be read.")
    reason = Words(default="")


class Declined(OnRound):
    reason = Words()


class WithReason(Body):
    reason = Words()


class WithRemark(Body):
    reason = Words(default="")


class Recognition(Body):
    reference = Words(help_text="Where the decision can be read.")
    for_later_cases = YesOrNo(default=False)


class RefusedRecognition(Body):
    reference = Words(help_text="Where the decision can be read.")


class Anticipation(Body):
    anticipated = YesOrNo()
    reason = Words()


class AccountByAddress(serializers.Field[User, str, str, Any]):
    """An account, named by its e-mail address."""

    def to_internal_value(self, data: Any) -> User:
        try:
            return AccountField().clean(data if isinstance(data, str) else "")
        except Unclean as fault:
            raise serializers.ValidationError(list(fault.messages)) from fault

    def to_representation(self, value: User) -> str:
        return value.email


class CoEditor(Body):
    email = AccountByAddress(source="user", help_text="The address of their account.")


BODIES: dict[str, type[Body]] = {
    "submit": Submit,
    "request_changes": RequestChanges,
    "advise": Verdict,
    "approve": Verdict,
    "forward_report": Report,
    "direct": Direction,
    "decline": Declined,
    "appeal": WithReason,
    "recognise": Recognition,
    "refuse_recognition": RefusedRecognition,
    "request_completion": OnRound,
    "assign": OnRound,
    "return_to_registrant": WithReason,
    "withdraw": WithRemark,
    "anticipate_standards_action": Anticipation,
    "recuse": WithRemark,
    "add_co_editor": CoEditor,
    "remove_co_editor": CoEditor,
}


def scope_of(move: Move) -> Scope:
    """What a token must be made for to make the move."""
    return Scope.WRITE if move.who in OWN else Scope.DECIDE


class MakeMove(PersonalResource):
    """One move: the action of its name, and nothing else."""

    move: ClassVar[Move]

    @once
    def post(self, request: Request, number: str) -> Response:
        by = person(request)
        case = visible_case(number, by)
        self.move.check_open(by, case)
        home = editors if hasattr(editors, self.move.name) else actions
        getattr(home, self.move.name)(case, by=by, **asked(request, BODIES[self.move.name]))
        return Response(case_for(by, Registration.objects.get(pk=case.pk)))


def _resource(move: Move) -> type[MakeMove]:
    name = "".join(part.capitalize() for part in move.name.split("_"))
    particulars = {"move": move, "scopes": {"POST": scope_of(move)}, "__doc__": f"{move.label}."}
    return type(name, (MakeMove,), particulars)


RESOURCES: dict[str, type[MakeMove]] = {move.slug: _resource(move) for move in (*MOVES, *ACTS)}
