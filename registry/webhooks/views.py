"""/accounts/webhooks/: the webhooks of the user, and the log of their deliveries."""

from functools import partial
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from registry.accounts.middleware import SignedInRequest
from registry.accounts.models import User
from registry.actions.pages import action_page, decisions_page
from registry.audit_log.models import LogPosition
from registry.core.new_secrets import WithSecret
from registry.core.pagination import Keyset
from registry.webhooks.actions import (
    BUTTONS,
    CHANGE_WEBHOOK,
    CREATE_WEBHOOK,
    DELETE_WEBHOOK,
    MAX_WEBHOOKS,
    ROTATE_SECRET,
)
from registry.webhooks.models import Webhook
from registry.webhooks.queries import KEPT_FOR, own_webhook

PAGE_SIZE = 50
DELIVERIES = Keyset("-pk")


@require_safe
def webhooks(request: SignedInRequest) -> HttpResponse:
    context = {"webhooks": Webhook.objects.filter(owner=request.user), "most": MAX_WEBHOOKS}
    return render(request, "webhooks/list.html", context)


def _show_deliveries(request: SignedInRequest, webhook: Webhook) -> dict[str, Any]:
    return {
        "head": LogPosition.current().number,
        "page": DELIVERIES.page(webhook.deliveries.all(), request.GET.get("after", ""), PAGE_SIZE),
        "days_kept": KEPT_FOR.days,
    }


# A webhook, its buttons, and the log of its deliveries.
webhook = decisions_page(BUTTONS, own_webhook, "webhooks/detail.html", show=_show_deliveries)


def _choice(webhook: Webhook) -> dict[str, Any]:
    return {"url": webhook.url, "nids": " ".join(webhook.nids), "verbs": webhook.verbs}


def _show_secret(request: SignedInRequest, made: WithSecret[Webhook]) -> HttpResponse:
    """The response is the only place where the secret is shown."""
    return render(request, "webhooks/secret.html", {"webhook": made.record, "made": made})


def _own_account(user: User) -> User:
    return user


_page = partial(action_page, template="webhooks/action.html")
register = never_cache(_page(CREATE_WEBHOOK, _own_account, respond=_show_secret))
change = _page(CHANGE_WEBHOOK, own_webhook, initial=_choice)
rotate = never_cache(_page(ROTATE_SECRET, own_webhook, respond=_show_secret))
delete = _page(DELETE_WEBHOOK, own_webhook, to=lambda _: reverse("webhooks:list"))
