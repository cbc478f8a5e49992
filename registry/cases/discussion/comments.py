"""What participants say of a round: comments on one section of the template or on the whole, in threads."""

from http import HTTPStatus

from django.db import transaction

from registry.accounts.models import User
from registry.cases.models import OPEN_STATES, Case, Comment, Round, State
from registry.cases.notifications import notifications
from registry.cases.workflow.conditions import NOT_YET_APPEALED
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.validators import check_text
from registry.registration_template.sections import SECTION_BY_KEY

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


def check_open(case: Case) -> None:
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


def why_closed(case: Case) -> str:
    """Why nobody can comment on the case as it stands; "" where anyone signed in can."""
    try:
        check_open(case)
    except (NothingToDiscuss, DiscussionClosed) as refusal:
        return str(refusal)
    return ""


@transaction.atomic
def comment(
    case: Case,
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
    found = Case.objects.select_for_update().filter(pk=case.pk).first()
    if found is None or not Case.objects.visible_to(by).filter(pk=found.pk).exists():
        raise NotPermitted(f"There is no case {case.pk}.")
    case = found
    check_open(case)
    first = _answered(case, answered)
    section = first.section if first else section
    if section and section not in SECTION_BY_KEY:
        raise CommentRefused(f"“{section}” is no section of the template.")
    text = check_text(text, "the comment", longest=MAX_COMMENT)
    round_ = _round(case, round_number)
    said = Comment.objects.filter(round=round_, author=by, section=section, answered=first).last()
    if said is not None and said.text == text:
        return said
    recipients = notifications.comment_recipients(case, by=by)
    kept = Comment.objects.create(round=round_, author=by, section=section, text=text, answered=first)
    notifications.notify_of_comment(kept, case, recipients)
    return kept


def _round(case: Case, number: int) -> Round:
    round_ = case.rounds.filter(number=number).first()
    if round_ is None:
        raise CommentRefused(f"Case {case.pk} has no round {number}.")
    return round_


def _answered(case: Case, key: int | None) -> Comment | None:
    if key is None:
        return None
    comments = Comment.objects.select_related("author", "round")
    found = comments.filter(pk=key, round__case=case).first()
    if found is None:
        raise CommentRefused(f"Case {case.pk} has no comment {key} that could be answered.")
    return found
