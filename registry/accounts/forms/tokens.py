"""The form to create a token."""

from django import forms
from django.utils.functional import lazy

from registry.accounts.models import Scope, Token, User
from registry.accounts.services.tokens import DEFAULT_DAYS, MOST_DAYS, make_token, most_requests
from registry.core.text_limits import MAX_TOKEN_NAME_LENGTH

LIFETIMES = {7: "a week", 30: "30 days", DEFAULT_DAYS: "90 days", 180: "180 days", MOST_DAYS: "a year"}


class MakeTokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        help_text="Describe its use, so that you can recognise it later.",
        max_length=MAX_TOKEN_NAME_LENGTH,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="Permissions",
        help_text="Grant only what the program needs. Anyone who has the token can do this in your name.",
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ],
    )
    days = forms.TypedChoiceField(
        label="Expires after", choices=list(LIFETIMES.items()), coerce=int, initial=DEFAULT_DAYS
    )
    requests_an_hour = forms.IntegerField(
        label="Requests per hour",
        help_text=lazy(
            lambda: f"Optional, 1 to {most_requests():,}. Set it if the program must not use up more.", str
        )(),
        required=False,
        min_value=1,
    )

    def create(self, *, by: User) -> tuple[Token, str]:
        return make_token(by=by, **self.cleaned_data)
