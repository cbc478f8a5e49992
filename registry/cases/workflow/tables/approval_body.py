"""The transitions of the liaison: what the approval body decided on cases and on requesting bodies (6.2, 6.3)."""

from registry.actions.parameters import BooleanOption, Choice, Text, optional_reason, reference
from registry.audit_log.details import REFERENCE, ROUND
from registry.cases import permissions
from registry.cases.models import State
from registry.cases.workflow import conditions, event_details
from registry.cases.workflow.definition import Transition
from registry.cases.workflow.parameters import ROUND_NUMBER

DIRECT = Transition(
    name="direct",
    operation_id="recordDirection",
    label="Record the direction",
    effect="Records the decision of the approval body: to register the namespace, or to decline the request.",
    success="The direction is recorded.",
    past="Recorded the direction of the approval body",
    details=(ROUND, REFERENCE),
    permission=permissions.is_liaison,
    sources=frozenset({State.AWAITING_DIRECTION}),
    targets=(State.APPROVED, State.DECLINED),
    parameters=(
        ROUND_NUMBER,
        Choice(
            "is_approved",
            "Decision of the approval body",
            sample=True,
            yes="register the namespace",
            no="decline the request",
        ),
        reference("Reference to the decision"),
        optional_reason(label="Reason given by the approval body", lines=5),
    ),
)
RETURN_TO_EXPERTS = Transition(
    name="return_to_experts",
    label="Return to the experts",
    effect="The experts review the round again. Verdicts that they gave on it before no longer count.",
    success="Returned. The experts are notified of the reason.",
    past="Returned the report to the experts",
    details=(ROUND,),
    permission=permissions.is_liaison,
    sources=frozenset({State.AWAITING_DIRECTION}),
    conditions=(conditions.NOT_ON_APPEAL,),
    parameters=(
        ROUND_NUMBER,
        Text("reason", "Reason", sample="The report does not say who assigns the names."),
    ),
)
RECOGNISE = Transition(
    name="recognise",
    operation_id="recogniseBody",
    label="Recognise the body",
    effect="The body can use the fast track: reviews are advice, and it decides when to request completion.",
    success="The recognition is recorded.",
    past="Recorded the recognition of the requesting body",
    details=(REFERENCE, *event_details.RECOGNITION),
    permission=permissions.is_liaison,
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(
        reference("Reference to the recognition"),
        BooleanOption("for_later_cases", "Also applies to later cases of this body"),
    ),
)
REFUSE_RECOGNITION = Transition(
    name="refuse_recognition",
    operation_id="refuseBodyRecognition",
    effect="The case continues under the community procedure, and the experts decide. Its content is kept.",
    success="The refusal is recorded. The case continues under the community procedure.",
    past="Recorded that recognition of the requesting body was refused",
    details=(REFERENCE,),
    permission=permissions.is_liaison,
    conditions=(conditions.FAST_TRACK, conditions.RECOGNITION_PENDING),
    parameters=(reference("Reference to the decision"),),
    is_grave=True,
)
