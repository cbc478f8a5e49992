"""/desk/assignments/: approved cases to assign or return."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.permissions import is_administrator
from registry.cases.workflow.available import transitions_with
from registry.review_desk.administrators.assignments import pending_assignments
from registry.review_desk.decision_lists import DecisionList, decision_page

ASSIGNMENT_LIST = DecisionList(
    RoleName.ADMINISTRATOR,
    "review_desk:assignments",
    "review_desk/administrators/assignments.html",
    transitions_with(is_administrator),
    pending_assignments,
)


@require_safe
def assignments(request: SignedInRequest) -> HttpResponse:
    """The approved cases, longest waiting first."""
    return decision_page(request, ASSIGNMENT_LIST)
