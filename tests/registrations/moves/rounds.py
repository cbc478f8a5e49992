"""Changing the text of a case, and sending it in again."""

from typing import Any

from registry.accounts.models import User
from registry.registrations import actions, drafts
from registry.registrations.models import Registration
from tests.factories import a_submission, all_done


def saved(case: Registration, **changes: Any) -> Registration:
    """The case with another draft, saved by its registrant."""
    case = Registration.objects.get(pk=case.pk)
    return drafts.save_draft(case, a_submission(**changes), by=case.registrant, stamp=case.draft_stamp)


def next_round(case: Registration, **changes: Any) -> Registration:
    """The case with one round more; by itself the purpose changes, and every action point is done."""
    changed = all_done(saved(case, **({"purpose": f"Trees, as in draft {case.draft_stamp}."} | changes)))
    return actions.submit(changed, by=changed.registrant, draft_stamp=changed.draft_stamp)


def a_revision_in_review(namespace: Any, *, by: User, **changes: Any) -> Registration:
    case = drafts.begin_revision(namespace, by=by)
    return next_round(case, **({"version": 2, "revision_information": "Hyphens are allowed."} | changes))
