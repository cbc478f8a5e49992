"""/desk/outbox/: unsent and sent mail. Bodies are never shown, because some contain sign-in links."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from registry.accounts.forms import reason_field
from registry.accounts.middleware import SignedInRequest
from registry.accounts.roles import check_is_administrator
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.core.pagination import Keyset
from registry.mail import outbox as outgoing
from registry.mail.models import BouncedAddress, Message
from registry.review_desk.administrators import mail_actions

PAGE_SIZE = 50
OLDEST_FIRST, NEWEST_FIRST = Keyset("pk"), Keyset("-pk")


class DiscardForm(forms.Form):
    reason = reason_field("The reason is recorded in the audit log.", required=False)


def _messages() -> "QuerySet[Message]":
    return Message.objects.defer("body")


@get_or_post
def outbox(request: SignedInRequest) -> HttpResponse:
    """Unsent mail with its status, oldest first, or sent mail, newest first. POST retries all unsent mail."""
    check_is_administrator(request.user)
    if request.method == "POST":
        messages.success(request, f"Mails queued for retry: {len(outgoing.retry())}.")
        return redirect("review_desk:outbox")
    is_sent, after = request.GET.get("show") == "sent", request.GET.get("after", "")
    if is_sent:
        page = NEWEST_FIRST.page(_messages().exclude(sent_at=None), after, PAGE_SIZE)
    else:
        page = OLDEST_FIRST.page(_messages().filter(sent_at=None), after, PAGE_SIZE)
    context = {"page": page, "is_sent": is_sent, "unsent_count": Message.objects.unsent().count()}
    context["bounced"] = BouncedAddress.objects.order_by("-bounced_at", "pk")[:PAGE_SIZE]
    context["failed_count"] = Message.objects.unsent().filter(attempts__gt=0).count()
    context["mails"] = page.rows if is_sent else outgoing.delivery_statuses_of(page.rows)
    return render(request, "review_desk/administrators/outbox.html", context)


@get_or_post
def mail(request: SignedInRequest, pk: int) -> HttpResponse:
    """One mail. If it was not sent, POST retries or discards it."""
    check_is_administrator(request.user)
    message = get_object_or_404(_messages(), pk=pk)
    form = DiscardForm(posted(request))
    context: dict[str, Any] = {"mail": message, "form": form}
    if message.sent_at is None:
        context["status"] = outgoing.delivery_statuses_of([message])[0]

    def act() -> HttpResponse:
        if "discard" in request.POST:
            mail_actions.discard_mail(message, by=request.user, reason=form.cleaned_data["reason"])
            messages.success(request, f"Mail {pk} was discarded.")
        else:
            mail_actions.retry_mail(message, by=request.user)
            messages.success(request, f"Mail {pk} is queued for retry.")
        return redirect("review_desk:outbox")

    page = form_page(request, "review_desk/administrators/mail.html", context)
    return process_form(form, act, page)
