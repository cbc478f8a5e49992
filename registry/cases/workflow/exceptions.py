"""Reasons for which an action in a case is refused, one exception class for each."""

from collections.abc import Sequence
from http import HTTPStatus

from registry.cases.models import Round
from registry.core.exceptions import RegistryError
from registry.registration_template.checks.findings import Finding


class TransitionNotAllowed(RegistryError):
    """The case is not in a state in which the action starts: another person was first, or it is too early."""

    title = "This move is not open"


class ConditionNotMet(RegistryError):
    """The state of the case permits the action, but one of its conditions does not hold."""

    status = HTTPStatus.CONFLICT
    title = "This move is not open"


class SubmissionIncomplete(RegistryError):
    """The template has blocking findings. `findings` holds them, each with its section."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The template is not ready to be submitted"

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(" ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


class NothingChanged(RegistryError):
    """The round in review has the same text."""

    title = "Nothing changed since the last round"


class AlreadySubmitted(RegistryError):
    """The same person submitted the same text a moment ago: a button was pressed twice."""

    title = "This is submitted already"

    def __init__(self, round_: Round) -> None:
        super().__init__(
            f"You submitted this as round {round_.number} at {round_.submitted_at:%Y-%m-%d %H:%M:%S} "
            "UTC; nothing more is to be done."
        )


class StaleRound(RegistryError):
    """The round that the person looked at is not the latest any more."""

    title = "A newer round was submitted"


class UnknownSection(RegistryError):
    """An action point concerns a section that the template does not have."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "There is no such section"


class SecondExpertNeeded(RegistryError):
    """The case requires two agreeing experts, and this expert has given this verdict already."""

    title = "A second expert is needed"


class AlreadyAnEditor(RegistryError):
    """The person edits the case already."""

    title = "Already an editor"


class NotAnEditor(RegistryError):
    """The person is no co-editor of the case."""

    title = "Not a co-editor"


class HasActed(RegistryError):
    """A person who acted in a case for the registry can't become its co-editor."""

    title = "This person acted in the case"


class NoSuchFinding(RegistryError):
    """The latest round has no such finding, or it was set aside before."""

    title = "There is no such finding"


class FindingBlocks(RegistryError):
    """A blocking finding can't be set aside."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "A blocking finding can't be set aside"
