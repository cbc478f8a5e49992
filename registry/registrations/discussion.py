"""What participants say of a round: comments on one section of the template or on the whole."""

from http import HTTPStatus

from django.db import transaction

from registry.accounts.models import User
from registry.appendix_a.sections import SECTION_BY_KEY
from registry.errors import NotForYou, RegistryError
from registry.registrations.models import Comment, Registration, Submission
from registry.words import check_words

MAX_COMMENT = 20_000


class CommentRefused(RegistryError):
    """The comment says nothing, or speaks of something that is not there."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The comment was not kept"


class NothingToDiscuss(RegistryError):
    """The case has not been submitted, so there is no round to comment on."""

    title = "There is nothing to comment on yet"


@transaction.atomic
def comment(
    registration: Registration, *, by: User, round_number: int, text: str, section: str = ""
) -> Comment:
    """Keep what `by` says of one round, for everyone to read; `section` is empty for the whole template.

    The case is held meanwhile, so that a button pressed twice keeps, and returns, one comment.
    """
    Registration.objects.select_for_update().filter(pk=registration.pk).first()
    if not Registration.objects.visible_to(by).filter(pk=registration.pk).exists():
        raise NotForYou(f"There is no case {registration.pk}.")
    if not registration.submissions.exists():
        raise NothingToDiscuss("A draft can't be commented on: its first round starts the discussion.")
    if section and section not in SECTION_BY_KEY:
        raise CommentRefused(f"“{section}” is no section of the template.")
    text = check_words(text, "the comment", longest=MAX_COMMENT)
    submission = _round(registration, round_number)
    said = Comment.objects.filter(submission=submission, author=by, section=section).last()
    if said is not None and said.text == text:
        return said
    return Comment.objects.create(submission=submission, author=by, section=section, text=text)


def _round(registration: Registration, number: int) -> Submission:
    submission = registration.submissions.filter(round=number).first()
    if submission is None:
        raise CommentRefused(f"Case {registration.pk} has no round {number}.")
    return submission
