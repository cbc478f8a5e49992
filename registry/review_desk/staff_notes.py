"""Internal notes on cases, shared by the people who have a role and no interest in them."""

from django.db import transaction

from registry.accounts.models import User
from registry.cases.models import Case
from registry.cases.permissions import has_any_role
from registry.cases.workflow.subject import lock_case
from registry.core.exceptions import NotPermitted
from registry.core.validators import MAX_COMMENT_LENGTH, check_text
from registry.review_desk.models import StaffNote


def check_may_read(user: User, case: Case) -> None:
    """Raise NotPermitted unless `user` has a role, and no conflict of interest in the case."""
    if not has_any_role(user, case):
        raise NotPermitted(f"You can't read the internal notes on case {case.pk}.")


@transaction.atomic
def add_note(case: Case, *, by: User, text: str) -> StaffNote:
    """Add an internal note. It is neither an event nor mailed."""
    case = lock_case(case, by=by)
    check_may_read(by, case)
    text = check_text(text, "the note", longest=MAX_COMMENT_LENGTH)
    return StaffNote.objects.create(case=case, author=by, text=text)
