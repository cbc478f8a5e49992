"""/account/notifications/: the mail that a person gets."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from registry.accounts.middleware import SignedInRequest
from registry.accounts.notifications.digests import MORNING
from registry.accounts.notifications.forms import NotificationsForm
from registry.core.form_views import form_page, get_or_post, posted, process_form
from registry.mail.kinds import ALWAYS_SENT


@get_or_post
def notifications(request: SignedInRequest) -> HttpResponse:
    """Choose each kind of mail: at once, once a day, or not at all."""
    form = NotificationsForm(posted(request), person=request.user)

    def keep() -> HttpResponse:
        form.save()
        messages.success(request, "Your choice is saved.")
        return redirect("account:notifications")

    context = {"form": form, "always_sent": ALWAYS_SENT, "morning": MORNING}
    return process_form(form, keep, form_page(request, "accounts/notifications.html", context))
