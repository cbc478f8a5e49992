"""Comments of participants on a section of a round or on the whole round, in threads, and mail that brings further
expertise into a discussion (RFC 8141, Section 6.2).
"""

from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlencode

from django.db import transaction

from registry.accounts.locks import check_is_verified
from registry.accounts.models import User
from registry.audit_log import log
from registry.cases import notifications
from registry.cases.models import OPEN_STATES, Case, Comment, Round
from registry.cases.workflow.committed_texts import digest_of_comment
from registry.cases.workflow.declarations.actions import COMMENT
from registry.cases.workflow.declarations.transitions import APPEAL
from registry.core.exceptions import NotPermitted, RegistryError
from registry.core.http.urls import absolute_url
from registry.core.rate_limits import limited
from registry.core.reading import may_read
from registry.core.validators import MAX_COMMENT_LENGTH, check_text, shortened
from registry.registration_template.sections import SECTION_BY_KEY

PUBLISHED = "Your comment is published. Subscribers are notified."


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


def check_open(case: Case) -> None:
    """Raise NothingToDiscuss or DiscussionClosed if comments could not affect the case.

    They can while the case is open, and while a declined request can be appealed.
    """
    if not case.is_public:
        raise NothingToDiscuss("This case is a draft. Comments are possible after its first submission.")
    if case.state not in OPEN_STATES and not APPEAL.is_open(case):
        raise DiscussionClosed(
            f"Case {case.pk} is {case.get_state_display()} and closed for comments. Earlier comments stay public."
        )


def why_closed(case: Case) -> str:
    """The reason why the case is closed for comments; "" if it is open."""
    try:
        check_open(case)
    except (NothingToDiscuss, DiscussionClosed) as refusal:
        return str(refusal)
    return ""


@limited("comments")
@transaction.atomic
def comment(
    case: Case,
    *,
    by: User,
    round_number: int,
    text: str,
    section: str = "",
    reply_to: int | None = None,
) -> Comment:
    """Publish a comment of `by` on a round, notify the subscribers, and record its digest in the audit log.

    `section` is empty for the whole template. `reply_to` is the key of a comment of the same case, whose section the
    reply gets. The case is locked, so that a double click creates one comment, and none is added to a closed case.
    """
    found = Case.objects.select_for_update().filter(pk=case.pk).first()
    if found is None or not may_read(by, found):
        raise NotPermitted(f"There is no case {case.pk}.")
    case = found
    check_open(case)
    check_is_verified(by)
    first = _comment(case, reply_to)
    section = first.section if first else section
    if section and section not in SECTION_BY_KEY:
        raise CommentRefused(f"“{shortened(section)}” is not a section of the template.")
    text = check_text(text, "the comment", longest=MAX_COMMENT_LENGTH)
    round_ = _round(case, round_number)
    previous = Comment.objects.filter(round=round_, author=by, section=section, reply_to=first).last()
    if previous is not None and previous.text == text:
        return previous
    recipients = notifications.comment_recipients(case, by=by)
    created = Comment.objects.create(round=round_, author=by, section=section, text=text, reply_to=first)
    case.mark_changed()
    notifications.notify_of_comment(created, case, recipients)
    _append_event(case, created)
    return created


def _append_event(case: Case, created: Comment) -> None:
    """Append the event of a comment. What it does not reply to or concern is absent."""
    optional: dict[str, Any] = {"reply_to": created.reply_to_id, "section": created.section}
    log.append(
        COMMENT.name,
        by=created.author,
        case=case.pk,
        nid=case.requested_nid,
        round=created.round.number,
        comment=created.pk,
        comment_digest=digest_of_comment(created),
        **{name: value for name, value in optional.items() if value},
    )


def _round(case: Case, number: int) -> Round:
    round_ = case.rounds.filter(number=number).first()
    if round_ is None:
        raise CommentRefused(f"Case {case.pk} has no round {number}.")
    return round_


def _comment(case: Case, key: int | None) -> Comment | None:
    if key is None:
        return None
    comments = Comment.objects.select_related("author", "round")
    found = comments.filter(pk=key, round__case=case).first()
    if found is None:
        raise CommentRefused(f"You can't reply to comment {key}: case {case.pk} has no such comment.")
    return found


def mail_to_invite(case: Case) -> str:
    """A link (RFC 6068) that opens a mail about a public case; the person chooses the recipient, and sends it."""
    text = (
        f"The discussion of case {case.pk}, {case.subject}, would benefit from your expertise:",
        absolute_url(case.get_absolute_url()),
        "Comments are public. You need an account to comment.",
    )
    fields = {
        "subject": f"Case {case.pk} ({case.subject}): invitation to comment",
        "body": "\r\n\r\n".join(text),
    }
    return f"mailto:?{urlencode(fields, quote_via=quote)}"
