"""The details of the events of cases."""

from registry.audit_log.details import ROUND, Detail, private
from registry.organisations.event_details import ORGANISATION

SECTION = Detail("section", str, "The key of the section of the template.")
SUBMISSION = (
    ROUND,
    Detail("replies", int, "How many action points the round answers.").optional,
    Detail(
        "authorised_by", str, "The body that authorised the fast track, as the registrant confirmed (6.3)."
    ).optional,
    private("replies_digest", str).optional,
    private("profile_digest", str).optional,
    private("co_editors", list).optional,
    private("recused", list).optional,
    ORGANISATION.optional,
)
CHANGES_REQUESTED = (
    ROUND,
    Detail("action_points", int, "How many changes are requested."),
    private("points_digest", str),
)
RECOGNITION = (
    Detail("for_later_cases", bool, "Whether the recognition also applies to later cases of the body."),
    private("body", int).optional,
)
ANTICIPATION = (Detail("anticipated", bool, "Whether a standards action is anticipated."),)
REQUIREMENT = (Detail("required", bool, "Whether two experts are required."),)
REMOVAL = (private("person", int), private("recused", bool))
DISMISSAL = (
    ROUND,
    SECTION,
    Detail("code", str, "The code of the finding."),
    private("message_digest", str),
)
TAKEN_BACK = (ROUND, Detail("verdict", str, "The verdict of an expert."))
FIRST_OF_TWO = (ROUND, Detail("verdict", str, "The verdict of an expert."))
DISCUSSION = (
    ROUND,
    Detail("comment", int, "The number of the comment."),
    Detail("reply_to", int, "The number of the comment that it replies to.").optional,
    SECTION.optional,
    private("comment_digest", str),
)
