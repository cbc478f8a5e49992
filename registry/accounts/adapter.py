"""Adapter for django-allauth: sends its mails through the outbox and keeps `next` during sign-up."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailConfirmation
from allauth.account.utils import get_next_redirect_url
from django.conf import settings
from django.contrib.sites.shortcuts import get_current_site
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme, urlencode

from registry.accounts.models import User
from registry.mail import outbox

# The maximum line length of a mail (RFC 5322, section 2.1.1); a link must not be broken.
LONGEST_LINK = 900


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # django-allauth has no types
    """The account adapter (settings.ACCOUNT_ADAPTER)."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Write the mail to the outbox, so that people can sign up while the mail server is down."""
        around = {"request": self.request, "email": email, "current_site": get_current_site(self.request)}
        mail = self.render_mail(template_prefix, email, around | context)
        name = template_prefix.rpartition("/")[2]
        outbox.post_rendered(name, to=email, subject=mail.subject, body=mail.body)

    def is_safe_url(self, url: str) -> bool:
        """Return whether `next` may be this URL: only paths of this site are allowed."""
        return url_has_allowed_host_and_scheme(url, allowed_hosts=None)

    def get_email_confirmation_url(self, request: HttpRequest, emailconfirmation: EmailConfirmation) -> str:
        """The link of the mail, which leads on to where the person was going, in whatever browser it is opened:
        through the page of signing in, which sends those straight on who are signed in.
        """
        link: str = super().get_email_confirmation_url(request, emailconfirmation)
        onward = get_next_redirect_url(request)
        if not onward:
            return link
        leading_on = _with_next(link, _with_next(resolve_url(settings.LOGIN_URL), onward))
        return leading_on if len(leading_on) <= LONGEST_LINK else link

    def respond_email_verification_sent(self, request: HttpRequest, user: User | None) -> HttpResponse:
        told, onward = resolve_url("account_email_verification_sent"), get_next_redirect_url(request)
        return redirect(_with_next(told, onward) if onward else told)


def _with_next(address: str, onward: str) -> str:
    return f"{address}?{urlencode({'next': onward})}"
