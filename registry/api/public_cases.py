"""Which cases everybody may see: those that were submitted once."""

from http import HTTPStatus

from registry.api.parameters import number_of
from registry.errors import RegistryError
from registry.registrations.models import Registration, State

PUBLIC_STATES = tuple(state for state in State.values if state != State.DRAFT)


class CaseUnknown(RegistryError):
    """There is no such case, or it was not submitted yet: a draft is its editors' alone."""

    status = HTTPStatus.NOT_FOUND
    title = "No such case"


def public_case(number: str) -> Registration:
    """The case, if everybody may see it. Raises CaseUnknown."""
    cases = Registration.objects.public().select_related("namespace__latest", "body", "registrant")
    brief = cases.defer("draft", "namespace__latest__content", "namespace__latest__text")
    case = brief.filter(pk=number_of(number)).first()
    if case is None:
        raise CaseUnknown(f"There is no case “{number}” that is public.")
    return case
