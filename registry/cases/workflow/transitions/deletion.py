"""Deletion of a draft that was never submitted: its text is deleted, and the case is withdrawn."""

from django.db import transaction
from django.db.models import F

from registry.accounts.models import User
from registry.cases.drafts.drafts import DraftClosed
from registry.cases.models import Case, State
from registry.cases.permissions import is_registrant
from registry.cases.workflow.transitions.submission import withdraw
from registry.core.exceptions import NotPermitted


def check_deletable(case: Case, *, by: User) -> None:
    """Raise NotPermitted or DraftClosed unless `by` may delete the draft."""
    if not is_registrant(by, case):
        raise NotPermitted(f"You are not the registrant of case {case.pk}.")
    if case.is_public or case.state not in {State.DRAFT, State.WITHDRAWN}:
        raise DraftClosed(
            f"Case {case.pk} was submitted, so its text is public. Withdraw the request to close the case."
        )


@transaction.atomic
def delete_draft(case: Case, *, by: User) -> None:
    """Delete the text with its history, the answers and the invitations. The number of the case is not used again."""
    case = Case.objects.select_for_update().get(pk=case.pk)
    check_deletable(case, by=by)
    if case.state == State.DRAFT:
        withdraw(case, by=by)
    case.invitations.all().delete()
    case.draft_versions.all().delete()
    Case.objects.filter(pk=case.pk).update(
        draft={}, draft_profile={}, draft_replies={}, requested_nid="", draft_stamp=F("draft_stamp") + 1
    )
