"""Which cases everybody may see: those that were submitted once."""

from http import HTTPStatus

from registry.api.framework.fields import parse_number
from registry.cases.models import Case, State
from registry.core.exceptions import RegistryError

PUBLIC_STATES = tuple(state for state in State.values if state != State.DRAFT)


class CaseUnknown(RegistryError):
    """There is no such case, or it was not submitted yet: a draft is its editors' alone."""

    status = HTTPStatus.NOT_FOUND
    title = "No such case"


def public_case(number: str) -> Case:
    """The case, if everybody may see it. Raises CaseUnknown."""
    cases = Case.objects.public().select_related("namespace__latest", "body", "registrant")
    brief = cases.defer("draft", "namespace__latest__content", "namespace__latest__text")
    case = brief.filter(pk=parse_number(number)).first()
    if case is None:
        raise CaseUnknown(f"There is no case “{number}” that is public.")
    return case
