"""The date of a draft: filled in when it is begun, and kept current until the registrant enters another."""

from dataclasses import replace

from django.utils import timezone

from registry.cases.models import REGISTRANT_STATES, Case, State
from registry.registration_template.template import RegistrationTemplate


def today() -> str:
    """The current date, as the template has it."""
    return timezone.localdate().isoformat()


def with_current_date(case: Case, template: RegistrationTemplate) -> RegistrationTemplate:
    """The template of a draft that is edited now. A date that was entered stays; the one of an earlier day that was
    filled in, or that the previous round has, is replaced by today.
    """
    if case.state == State.DRAFT:
        earlier = timezone.localdate(case.created_at).isoformat()
    elif case.state in REGISTRANT_STATES and case.latest_round:
        earlier = case.latest_round.template.date
    else:
        return template
    return replace(template, date=today()) if template.date == earlier < today() else template
