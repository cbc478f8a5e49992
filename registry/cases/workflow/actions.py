"""What people do in a case without moving it: step back from it, and say how it is to be decided.

As every action: atomic, keyword-only `by`, refusals whose words can be shown. Co-editors have a file of their
own, `cases.workflow.co_editors`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from registry.accounts.models import User
from registry.audit_log import log
from registry.cases.models import Case, Recusal
from registry.cases.notifications import notifications
from registry.cases.workflow.engine import lock_case
from registry.cases.workflow.table import ACTION_BY_NAME
from registry.core.validators import check_optional_text, check_text


def recuse(case: Case, *, by: User, reason: str = "") -> Recusal:
    """Step back from a case for good: `by` is not expert, administrator or liaison there any more."""
    with transaction.atomic():
        case = lock_case(case, by=by)
        ACTION_BY_NAME["recuse"].check_allowed(by, case)
        reason = check_optional_text(reason, "the reason")
        recusal = Recusal.objects.create(case=case, user=by, reason=reason)
        recipients = notifications.recipients_of("recuse", case, by=by)
        event = log.append("recuse", by=by, case=case.pk, nid=case.requested_nid, reason=reason)
        notifications.notify(event, case, recipients)
    return recusal


def anticipate_standards_action(case: Case, *, by: User, anticipated: bool, reason: str) -> Case:
    """Say that the namespace is to be part of a standard, so the experts report instead of approving, or
    that it is not (6.2, step 4).
    """
    with _setting(case, "anticipate_standards_action", reason, by=by, anticipated=anticipated) as case:
        case.standards_action = anticipated
    return case


def require_two_experts(case: Case, *, by: User, required: bool, reason: str) -> Case:
    """Say that two experts must be of one mind about a round, or that the first answer decides."""
    with _setting(case, "require_two_experts", reason, by=by, required=required) as case:
        case.needs_two_experts = required
    return case


@contextmanager
def _setting(case: Case, name: str, reason: str, *, by: User, **details: Any) -> Iterator[Case]:
    """The shape of an act that says how a case is to be decided, and why so."""
    with transaction.atomic():
        case = lock_case(case, by=by)
        ACTION_BY_NAME[name].check_allowed(by, case)
        reason = check_text(reason, "why")
        yield case
        case.save()
        recipients = notifications.recipients_of(name, case, by=by)
        event = log.append(name, by=by, case=case.pk, nid=case.requested_nid, reason=reason, **details)
        notifications.notify(event, case, recipients)
