"""The exceptions of actions in a case, one class for each reason."""

from collections.abc import Sequence
from http import HTTPStatus

from registry.cases.models import Round
from registry.core.exceptions import RegistryError
from registry.core.validators import TextRefused
from registry.registration_template.checks.findings import Finding


class TransitionNotAllowed(RegistryError):
    """The state of the case does not permit the action, for example because another person acted first."""

    title = "This action is not available"


class SubmissionIncomplete(RegistryError):
    """The template has blocking findings. `findings` holds them, each with its section."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The template is not ready to submit"

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(" ".join(finding.message for finding in findings))
        self.findings = tuple(findings)


class NothingChanged(RegistryError):
    """The draft is identical to the round in review."""

    title = "No changes since the last round"


class AlreadySubmitted(RegistryError):
    """The same person has already submitted the same text, for example by a double click."""

    title = "Already submitted"

    def __init__(self, round_: Round) -> None:
        super().__init__(
            f"You submitted this text as round {round_.number} at {round_.submitted_at:%Y-%m-%d %H:%M:%S} "
            "UTC. No further action is needed."
        )


class StaleRound(RegistryError):
    """The action is based on a round that is no longer the latest."""

    title = "A newer round was submitted"


class UnknownSection(TextRefused, RegistryError):
    """An action point concerns a section that the template does not have."""

    title = "Unknown section"


class PlaceholderLeft(TextRefused, RegistryError):
    """A drafted text still contains a place to fill in."""

    title = "The text is not finished"


class SecondExpertNeeded(RegistryError):
    """The case requires two experts to agree, and one of them has given a verdict on the round."""

    title = "A second expert is needed"


class AlreadyAnEditor(RegistryError):
    """The person is already an editor of the case."""

    title = "Already an editor"


class AlreadyInvited(RegistryError):
    """There is an open invitation to this address."""

    title = "Already invited"


class NotInvited(RegistryError):
    """There is no open invitation to this address."""

    title = "Not invited"


class NotAnEditor(RegistryError):
    """The person is not a co-editor of the case."""

    title = "Not a co-editor"


class HasActed(RegistryError):
    """A person who has acted in a case as expert, administrator or liaison can't become its co-editor."""

    title = "This person has acted in the case"


class NoSuchFinding(RegistryError):
    """The latest round has no such finding, or it was already dismissed."""

    title = "Unknown finding"


class CommentRefused(RegistryError):
    """The comment refers to a round, section or comment that does not exist."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The comment was not saved"


class NothingToDiscuss(RegistryError):
    """The case has not been submitted, so there is no round to comment on."""

    title = "Comments are not open yet"


class DiscussionClosed(RegistryError):
    """The case is closed, so a comment could not affect it."""

    title = "The discussion is closed"


class FindingBlocks(RegistryError):
    """Blocking findings can't be dismissed."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "A blocking finding can't be dismissed"


class OwnBenefit(RegistryError):
    """A person can't represent a body whose recognition they, or people they work with, recorded."""

    title = "Another liaison must record this"
