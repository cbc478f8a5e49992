"""What participants say of a round: comments on one section of the template or on the whole, in threads."""

from http import HTTPStatus

from django.db import transaction

from registry.accounts.models import User
from registry.appendix_a.sections import SECTION_BY_KEY
from registry.errors import NotForYou, RegistryError
from registry.registrations import announcements
from registry.registrations.models import OPEN_STATES, Comment, Registration, State, Submission
from registry.registrations.workflow import NOT_YET_APPEALED
from registry.words import check_words

MAX_COMMENT = 20_000


class CommentRefused(RegistryError):
    """The comment says nothing, or speaks of something that is not there."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = "The comment was not kept"


class NothingToDiscuss(RegistryError):
    """The case has not been submitted, so there is no round to comment on."""

    title = "There is nothing to comment on yet"


class DiscussionClosed(RegistryError):
    """The case has ended, and what is said of it now could change nothing."""

    title = "The discussion is closed"


def check_open(case: Registration) -> None:
    """Raise NothingToDiscuss or DiscussionClosed unless comments can be of use where the case stands.

    They can while it is open, and while a declined request can be appealed.
    """
    if not case.is_public:
        raise NothingToDiscuss("A draft can't be commented on: its first round starts the discussion.")
    may_be_appealed = case.state == State.DECLINED and NOT_YET_APPEALED.holds(case)
    if case.state not in OPEN_STATES and not may_be_appealed:
        raise DiscussionClosed(
            f"Case {case.pk} is {case.get_state_display()}, and takes no more comments. What was said stays "
            "readable."
        )


def why_closed(case: Registration) -> str:
    """Why nobody can comment on the case as it stands; "" where anyone signed in can."""
    try:
        check_open(case)
    except (NothingToDiscuss, DiscussionClosed) as refusal:
        return str(refusal)
    return ""


@transaction.atomic
def comment(
    registration: Registration,
    *,
    by: User,
    round_number: int,
    text: str,
    section: str = "",
    answered: int | None = None,
) -> Comment:
    """Keep what `by` says of one round, for everyone to read, and tell those who watch the case.

    `section` is empty for the whole template. `answered` is the key of a comment of the same case, whose
    section an answer has. The case is held meanwhile, so that a button pressed twice keeps, and returns,
    one comment, and none comes after its end.
    """
    case = Registration.objects.select_for_update().filter(pk=registration.pk).first()
    if case is None or not Registration.objects.visible_to(by).filter(pk=case.pk).exists():
        raise NotForYou(f"There is no case {registration.pk}.")
    check_open(case)
    first = _answered(case, answered)
    section = first.section if first else section
    if section and section not in SECTION_BY_KEY:
        raise CommentRefused(f"“{section}” is no section of the template.")
    text = check_words(text, "the comment", longest=MAX_COMMENT)
    submission = _round(case, round_number)
    said = Comment.objects.filter(submission=submission, author=by, section=section, answered=first).last()
    if said is not None and said.text == text:
        return said
    readers = announcements.readers_of_comments(case, by=by)
    kept = Comment.objects.create(
        submission=submission, author=by, section=section, text=text, answered=first
    )
    announcements.announce_comment(kept, case, readers)
    return kept


def _round(case: Registration, number: int) -> Submission:
    submission = case.submissions.filter(round=number).first()
    if submission is None:
        raise CommentRefused(f"Case {case.pk} has no round {number}.")
    return submission


def _answered(case: Registration, key: int | None) -> Comment | None:
    if key is None:
        return None
    comments = Comment.objects.select_related("author", "submission")
    found = comments.filter(pk=key, submission__registration=case).first()
    if found is None:
        raise CommentRefused(f"Case {case.pk} has no comment {key} that could be answered.")
    return found
