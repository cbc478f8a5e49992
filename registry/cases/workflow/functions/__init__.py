"""The functions of the transitions in `cases.workflow.declarations`, which `performs` binds to them.

They are atomic, take the keyword argument `by`, do not use the request, and return the fresh case. Refusals are
RegistryErrors with messages for the user.
"""

from registry.cases.workflow.functions.approval_body import (
    appeal,
    direct,
    recognise,
    refuse_recognition,
    return_to_experts,
)
from registry.cases.workflow.functions.assignment import (
    assign,
    cancel_completion,
    request_completion,
    return_to_registrant,
)
from registry.cases.workflow.functions.submission import (
    check_changed,
    check_deletable,
    check_not_submitted,
    delete_draft,
    leave_fast_track,
    submit,
    withdraw,
)
from registry.cases.workflow.functions.verdicts import (
    advise,
    approve,
    decline,
    forward_report,
    request_changes,
    take_back,
)

__all__ = [
    "advise",
    "appeal",
    "approve",
    "assign",
    "cancel_completion",
    "check_changed",
    "check_deletable",
    "check_not_submitted",
    "decline",
    "delete_draft",
    "direct",
    "forward_report",
    "leave_fast_track",
    "recognise",
    "refuse_recognition",
    "request_changes",
    "request_completion",
    "return_to_experts",
    "return_to_registrant",
    "submit",
    "take_back",
    "withdraw",
]
