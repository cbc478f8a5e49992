"""/desk/assignments/: approved cases, to be assigned or returned."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.workflow.table import ASSIGN, RETURN_TO_REGISTRANT
from registry.review_desk.administrators.assignments import pending_assignments
from registry.review_desk.decision_lists import DecisionList, decision_page

ASSIGNMENT_LIST = DecisionList(
    RoleName.ADMINISTRATOR,
    "review_desk:assignments",
    "review_desk/administrators/assignments.html",
    (ASSIGN, RETURN_TO_REGISTRANT),
    pending_assignments,
)


@require_safe
def assignments(request: SignedInRequest) -> HttpResponse:
    """Approved cases, the longest waiting first."""
    return decision_page(request, ASSIGNMENT_LIST)
