"""The links between the operations of cases (OpenAPI)."""

from registry.api.schema.operations import Link
from registry.cases.workflow.table import ALL_ACTIONS, ASSIGN, REQUEST_COMPLETION, SUBMIT

OF_CASE = {"number": "$response.body#/number"}
OF_ROUND = {"round": "$response.body#/round"}
SUBMIT_LINK: Link = ("submitCase", OF_CASE, {"draft_stamp": "$response.body#/draft_stamp"})
DRAFT_LINKS: dict[str, Link] = {
    "draft": ("getDraft", OF_CASE),
    "check": ("checkDraft", OF_CASE),
    "submit": SUBMIT_LINK,
    "actions": ("getCaseActions", OF_CASE),
}
CASE_LINKS: dict[str, Link] = {action.label: (action.operation_id, OF_CASE) for action in ALL_ACTIONS} | {
    SUBMIT.label: SUBMIT_LINK,
    REQUEST_COMPLETION.label: (REQUEST_COMPLETION.operation_id, OF_CASE, OF_ROUND),
    ASSIGN.label: (ASSIGN.operation_id, OF_CASE, OF_ROUND),
    "draft": ("getDraft", OF_CASE),
    "comment": ("createComment", OF_CASE),
    "case": ("getCase", OF_CASE),
}
