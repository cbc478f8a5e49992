"""/desk/assignments/: approved cases to assign or return."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import RoleName
from registry.cases.permissions import is_administrator
from registry.cases.workflow.available import transitions_with
from registry.cases.workflow.declarations.transitions import ASSIGN
from registry.review_desk.administrators.assignments import pending_assignments
from registry.review_desk.decision_lists import DecisionList, decision_page

ASSIGNMENT_LIST = DecisionList(
    RoleName.ADMINISTRATOR,
    "review_desk:assignments",
    "review_desk/administrators/assignments.html",
    # The assignment has a page of its own, which says what will happen.
    tuple(each for each in transitions_with(is_administrator) if each is not ASSIGN),
    pending_assignments,
)


@require_safe
def assignments(request: SignedInRequest) -> HttpResponse:
    """The approved cases, longest waiting first."""
    return decision_page(request, ASSIGNMENT_LIST)
