"""Changing the text of a case, and sending it in again."""

from typing import Any

from registry.accounts.models import User
from registry.cases.drafts import drafts
from registry.cases.models import Case
from registry.cases.workflow import functions
from tests.support.factories import a_template, all_done


def saved(case: Case, **changes: Any) -> Case:
    """The case with another draft, saved by its registrant."""
    case = Case.objects.get(pk=case.pk)
    return drafts.save_draft(case, a_template(**changes), by=case.registrant, stamp=case.draft_stamp)


def next_round(case: Case, **changes: Any) -> Case:
    """The case with one round more; by itself the purpose changes, and every action point is done."""
    changed = all_done(saved(case, **({"purpose": f"Trees, as in draft {case.draft_stamp}."} | changes)))
    return functions.submit(changed, by=changed.registrant, draft_stamp=changed.draft_stamp)


def a_revision_in_review(namespace: Any, *, by: User, **changes: Any) -> Case:
    case = drafts.start_revision(namespace, by=by)
    return next_round(case, **({"version": 2, "revision_information": "Hyphens are allowed."} | changes))
