"""What people do in a case without moving it: step back from it, and say how it is to be decided.

As every action: atomic, keyword-only `by`, refusals whose words can be shown. Co-editors have a file of their
own, `registrations.editors`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from registry.accounts.models import User
from registry.record import journal
from registry.registrations import announcements
from registry.registrations.models import Recusal, Registration
from registry.registrations.moving import locked
from registry.registrations.workflow import ACT_BY_NAME
from registry.words import check_remark, check_words


def recuse(registration: Registration, *, by: User, reason: str = "") -> Recusal:
    """Step back from a case for good: `by` is not expert, administrator or liaison there any more."""
    with transaction.atomic():
        case = locked(registration, by=by)
        ACT_BY_NAME["recuse"].check_open(by, case)
        reason = check_remark(reason, "the reason")
        recusal = Recusal.objects.create(registration=case, user=by, reason=reason)
        readers = announcements.readers_of("recuse", case, by=by)
        event = journal.append("recuse", by=by, registration=case.pk, nid=case.requested_nid, reason=reason)
        announcements.announce(event, case, readers)
    return recusal


def anticipate_standards_action(
    registration: Registration, *, by: User, anticipated: bool, reason: str
) -> Registration:
    """Say that the namespace is to be part of a standard, so the experts report instead of approving, or
    that it is not (6.2, step 4).
    """
    with _setting(
        registration, "anticipate_standards_action", reason, by=by, anticipated=anticipated
    ) as case:
        case.standards_action = anticipated
    return case


def require_two_experts(registration: Registration, *, by: User, required: bool, reason: str) -> Registration:
    """Say that two experts must be of one mind about a round, or that the first answer decides."""
    with _setting(registration, "require_two_experts", reason, by=by, required=required) as case:
        case.needs_two_experts = required
    return case


@contextmanager
def _setting(
    registration: Registration, name: str, reason: str, *, by: User, **particulars: Any
) -> Iterator[Registration]:
    """The shape of an act that says how a case is to be decided, and why so."""
    with transaction.atomic():
        case = locked(registration, by=by)
        ACT_BY_NAME[name].check_open(by, case)
        reason = check_words(reason, "why")
        yield case
        case.save()
        readers = announcements.readers_of(name, case, by=by)
        event = journal.append(
            name, by=by, registration=case.pk, nid=case.requested_nid, reason=reason, **particulars
        )
        announcements.announce(event, case, readers)
