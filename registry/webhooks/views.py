"""/accounts/webhooks/: the webhooks of the user, and the log of their deliveries."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.recent_sign_in import recent_sign_in_for
from registry.audit_log.models import LogPosition
from registry.core.exceptions import RegistryError
from registry.core.form_views import form_page, get_or_post, posted, process_form, take_action
from registry.core.pagination import Keyset
from registry.webhooks import actions
from registry.webhooks.actions import MAX_WEBHOOKS
from registry.webhooks.forms import WebhookActionForm, WebhookForm
from registry.webhooks.models import Webhook
from registry.webhooks.queries import KEPT_FOR, own_webhook

PAGE_SIZE = 50
DELIVERIES = Keyset("-pk")


@require_safe
def webhooks(request: SignedInRequest) -> HttpResponse:
    context = {"webhooks": Webhook.objects.filter(owner=request.user), "most": MAX_WEBHOOKS}
    return render(request, "webhooks/list.html", context)


@get_or_post
@recent_sign_in_for(actions.register_webhook)
@never_cache
def register(request: SignedInRequest) -> HttpResponse:
    """Register a webhook. The response is the only place where its secret is shown."""
    form = WebhookForm(posted(request))

    @sensitive_variables("secret")
    def create() -> HttpResponse:
        webhook, secret = form.register(by=request.user)
        return render(request, "webhooks/secret.html", {"webhook": webhook, "secret": secret})

    return process_form(form, create, form_page(request, "webhooks/register.html", {"form": form}))


@get_or_post
def webhook(request: SignedInRequest, pk: int) -> HttpResponse:
    """A webhook, its buttons, and the log of its deliveries."""
    shown = own_webhook(request.user, pk)
    form = WebhookActionForm(posted(request))

    def perform() -> HttpResponse:
        messages.success(request, form.perform(shown, by=request.user))
        return redirect(shown)

    def page(refusal: RegistryError | None = None) -> HttpResponse:
        context = _context(request, own_webhook(request.user, pk)) | {"form": form, "refusal": refusal}
        return render(request, "webhooks/detail.html", context)

    return process_form(form, perform, page)


def _context(request: SignedInRequest, shown: Webhook) -> dict[str, Any]:
    return {
        "webhook": shown,
        "head": LogPosition.current().number,
        "page": DELIVERIES.page(shown.deliveries.all(), request.GET.get("after", ""), PAGE_SIZE),
        "days_kept": KEPT_FOR.days,
    }


@get_or_post
@recent_sign_in_for(actions.change_webhook)
def change(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_webhook(request.user, pk)
    form = WebhookForm(posted(request), initial=WebhookForm.initial_of(shown))

    def save() -> HttpResponse:
        form.change(shown, by=request.user)
        messages.success(request, "The webhook was changed.")
        return redirect(shown)

    context = {"form": form, "webhook": shown}
    return process_form(form, save, form_page(request, "webhooks/change.html", context))


@get_or_post
@recent_sign_in_for(actions.rotate_secret)
@never_cache
def rotate(request: SignedInRequest, pk: int) -> HttpResponse:
    """Replace the secret. The response is the only place where the new one is shown."""
    shown = own_webhook(request.user, pk)
    page = form_page(request, "webhooks/rotate.html", {"webhook": shown})

    @sensitive_variables("secret")
    def replace() -> HttpResponse:
        rotated, secret = actions.rotate_secret(shown, by=request.user)
        return render(request, "webhooks/secret.html", {"webhook": rotated, "secret": secret})

    return take_action(replace, page) if request.method == "POST" else page()


@get_or_post
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    shown = own_webhook(request.user, pk)
    if request.method == "POST":
        actions.delete_webhook(shown, by=request.user)
        messages.success(request, f"The webhook for {shown.url} was deleted.")
        return redirect("webhooks:list")
    return render(request, "webhooks/delete.html", {"webhook": shown})
