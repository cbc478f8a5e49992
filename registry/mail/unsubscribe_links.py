"""Links with which people unsubscribe in one click, also without signing in (RFC 8058).

The signature proves that the registry gave the link to the person. A link names the account and not its address, which
must not be in access logs.
"""

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.urls import reverse

from registry.mail.models import Message

SALT = "registry.mail.unsubscribe_links"
# The last line of mails that people can stop; the templates in `templates/emails/` write it.
LAST_LINE = "/unsubscribe/\n"


def key_for(thread: str, person: int) -> str:
    """The key in the link with which the account `person` unsubscribes from the mails of a thread, such as "case-7"."""
    return signing.Signer(salt=SALT).sign_object([thread, person])


def read_key(key: str) -> tuple[str, int]:
    """The thread and the number of the account of a key. Raises BadSignature for a key that was not signed here."""
    thread, person = signing.Signer(salt=SALT).unsign_object(key)
    return thread, person


def headers_of(message: Message) -> dict[str, str]:
    """The headers of RFC 2369 and RFC 8058, if people with an account can stop mails like this one.

    One click needs HTTPS (RFC 8058, Section 3.1); over HTTP, mail programs open the page.
    """
    if not (message.thread and message.body.endswith(LAST_LINE)):
        return {}
    person = get_user_model().objects.with_address(message.to)
    if person is None:
        return {}
    path = reverse("cases:unsubscribe_by_mail", args=[key_for(message.thread, person.pk)])
    one_click = {"List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    headers = {"List-Unsubscribe": f"<{settings.PUBLIC_ORIGIN}{path}>"}
    return headers | (one_click if settings.PUBLIC_ORIGIN.startswith("https://") else {})
