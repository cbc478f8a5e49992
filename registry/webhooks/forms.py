"""Forms of webhooks: what is sent where, and the buttons of a webhook's page."""

from collections.abc import Callable
from typing import Any

from django import forms

from registry.accounts.models import User
from registry.core.validators import MAX_URL_LENGTH
from registry.events.events import PUBLIC_VERBS
from registry.webhooks import actions
from registry.webhooks.models import Webhook

MAX_NIDS_LENGTH = 5_000
ACTIONS: dict[str, tuple[Callable[..., Webhook], str]] = {
    "test": (actions.request_test, "The test message will be sent within a minute."),
    "pause": (actions.pause_webhook, "The webhook is paused. Events wait until you resume it."),
    "resume": (actions.resume_webhook, "Deliveries continue after the last delivered event."),
    "replay": (actions.replay, "The events will be sent again."),
}


class WebhookForm(forms.Form):
    """The address, and the choice of events."""

    url = forms.CharField(
        label="Address",
        help_text="An https address of your program, with a public host name.",
        max_length=MAX_URL_LENGTH,
        widget=forms.URLInput({"autocomplete": "off"}),
    )
    nids = forms.CharField(
        label="NIDs",
        help_text="Separated by spaces, such as “isbn issn”. Without any, events of all namespaces are sent.",
        max_length=MAX_NIDS_LENGTH,
        required=False,
        widget=forms.TextInput({"autocomplete": "off", "spellcheck": "false"}),
    )
    verbs = forms.MultipleChoiceField(
        label="Types of events",
        help_text="As in the member “verb” of an event. Without any, events of all types are sent.",
        choices=[(verb, verb) for verb in PUBLIC_VERBS],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    @classmethod
    def initial_of(cls, webhook: Webhook) -> dict[str, Any]:
        return {"url": webhook.url, "nids": " ".join(webhook.nids), "verbs": webhook.verbs}

    def clean_nids(self) -> list[str]:
        nids: str = self.cleaned_data["nids"]
        return nids.split()

    def register(self, *, by: User) -> tuple[Webhook, str]:
        return actions.register_webhook(by=by, **self.cleaned_data)

    def change(self, webhook: Webhook, *, by: User) -> Webhook:
        return actions.change_webhook(webhook, by=by, **self.cleaned_data)


class WebhookActionForm(forms.Form):
    """One of the buttons of a webhook's page. `since` belongs to a replay."""

    action = forms.ChoiceField(choices=[(name, name) for name in ACTIONS], widget=forms.HiddenInput)
    since = forms.IntegerField(
        label="After event number",
        help_text="The events after this one are sent again, in order. 0 sends all events.",
        min_value=0,
        max_value=10**18 - 1,
        required=False,
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # It is optional for the other buttons only.
        self.fields["since"].required = self.data.get("action", "replay") == "replay"

    def perform(self, webhook: Webhook, *, by: User) -> str:
        """Perform the action, and return what to say about it."""
        action, message = ACTIONS[self.cleaned_data["action"]]
        values = {"since": self.cleaned_data["since"]} if action is actions.replay else {}
        action(webhook, by=by, **values)
        return message
