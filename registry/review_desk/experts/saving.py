"""Saving what an expert writes for themselves, on pages that save by themselves: ticks, notes and drafts of verdicts.

A save repeats the stamp of what the page was opened with. If something else was saved since then, it is refused, and the page
shows both.
"""

from typing import Any

from registry.accounts.models import User
from registry.accounts.roles import lock_roles
from registry.cases.models import Case
from registry.cases.permissions import is_expert
from registry.cases.workflow.subject import CASE
from registry.core.exceptions import NotPermitted, RegistryError


class SavedElsewhere(RegistryError):
    """The same expert saved something else after the page was opened: `saved`, which a save with `stamp` replaces."""

    title = "Your text has changed"

    def __init__(self, saved: Any, stamp: str) -> None:
        super().__init__(
            "You saved something else in another window. Compare it with what is in this page, then save again."
        )
        self.saved, self.stamp = saved, stamp


def lock_for_expert(case: Case, *, by: User) -> Case:
    """Re-read and lock the case, and the roles of `by`. Raises NotPermitted unless they are an expert in it."""
    case = CASE.lock(case, by)
    lock_roles(by)
    if not is_expert(by, case):
        raise NotPermitted(f"You can't review case {case.pk}.")
    return case
