"""Mail that brings further expertise into a discussion (RFC 8141, Section 6.2)."""

from urllib.parse import quote, urlencode

from registry.cases.models import Case
from registry.core.http.urls import absolute_url


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
