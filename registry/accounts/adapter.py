"""Where django-allauth and the registry meet: mails about an account leave by the outbox, like all others."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.sites.shortcuts import get_current_site

from registry.mail import outbox


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # django-allauth has no types
    """django-allauth's behaviour (settings.ACCOUNT_ADAPTER), without its waiting for the mail server."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the mail into the outbox: somebody signs up also while the mail server is down."""
        around = {"request": self.request, "email": email, "current_site": get_current_site(self.request)}
        mail = self.render_mail(template_prefix, email, around | context)
        name = template_prefix.rpartition("/")[2]
        outbox.post_words(name, to=email, subject=mail.subject, body=mail.body)
