"""Comments of participants on a section of a round or on the whole round, in threads, and mail that brings further
expertise into a discussion (RFC 8141, Section 6.2).
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from registry.accounts.locks import lock_open_account
from registry.accounts.models import User
from registry.actions.declarations import ActionContext, SubjectType
from registry.actions.engine import performs
from registry.cases import notifications
from registry.cases.models import Case, Comment, Round
from registry.cases.workflow.committed_texts import digest_of_comment
from registry.cases.workflow.declarations.actions import COMMENT
from registry.cases.workflow.exceptions import CommentRefused
from registry.cases.workflow.subject import CASE
from registry.core.exceptions import RegistryError
from registry.core.http.urls import absolute_url
from registry.core.validators import MAX_COMMENT_LENGTH, check_text, shortened
from registry.registration_template.sections import SECTION_BY_KEY


class DiscussedCase(SubjectType[Case]):
    """A case that is commented on. Its row is locked, so that a double click makes one comment, and none is added to a closed
    case; and the account of the author, so that none is added after it is closed. Neither the namespace nor the organisation
    of the case decides about a comment, so their other writers need not wait.
    """

    def lock(self, subject: Case, by: User | None) -> Case:
        if by is not None:
            lock_open_account(by)
        return Case.objects.select_for_update().get(pk=subject.pk)

    def members(self, subject: Case) -> Mapping[str, Any]:
        return CASE.members(subject)

    def mark_changed(self, subject: Case) -> None:
        subject.mark_changed()

    def record(self, context: ActionContext[Case]) -> None:
        """Write the mails before the event, which blocks all other writers."""
        notifications.notify_of_comment(context.result)
        super().record(context)


DISCUSSED_CASE = DiscussedCase()


def why_closed(case: Case) -> str:
    """The reason why the case is closed for comments; "" if it is open."""
    try:
        COMMENT.check_open(case)
    except RegistryError as refusal:
        return str(refusal)
    return ""


@performs(COMMENT, DISCUSSED_CASE)
def comment(
    context: ActionContext[Case],
    *,
    round_number: int,
    text: str,
    section: str = "",
    reply_to: int | None = None,
) -> Comment:
    """Publish a comment on a round. One that repeats the previous one of its author in its place is not stored again.

    `section` is empty for the whole template. `reply_to` is the key of a comment of the same case, whose section the
    reply gets.
    """
    case, by = context.subject, context.actor
    first = _comment(case, reply_to)
    section = first.section if first else section
    if section and section not in SECTION_BY_KEY:
        raise CommentRefused(f"“{shortened(section)}” is not a section of the template.")
    text = check_text(text, "the comment", longest=MAX_COMMENT_LENGTH)
    round_ = _round(case, round_number)
    previous = Comment.objects.filter(round=round_, author=by, section=section, reply_to=first).last()
    if previous is not None and previous.text == text:
        context.is_recorded = False
        return previous
    created = Comment.objects.create(round=round_, author=by, section=section, text=text, reply_to=first)
    context.details = {
        "round": round_.number,
        "comment": created.pk,
        "comment_digest": digest_of_comment(created),
        **({"reply_to": first.pk} if first else {}),
        **({"section": section} if section else {}),
    }
    return created


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
