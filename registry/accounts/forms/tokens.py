"""The form to create a token."""

from django import forms

from registry.accounts.models import Scope, Token, User
from registry.accounts.services.tokens import DEFAULT_DAYS, LONGEST_NAME, MOST_DAYS, make_token

LIFETIMES = {7: "a week", 30: "30 days", DEFAULT_DAYS: "90 days", 180: "180 days", MOST_DAYS: "a year"}


class MakeTokenForm(forms.Form):
    name = forms.CharField(
        label="Name",
        help_text="What it is for, so that you know it again when you revoke it.",
        max_length=LONGEST_NAME,
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label="It may",
        help_text="As little as its task needs: whoever gets hold of it can do all of this in your name.",
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        initial=[Scope.READ],
    )
    days = forms.TypedChoiceField(
        label="It ends after", choices=list(LIFETIMES.items()), coerce=int, initial=DEFAULT_DAYS
    )

    def make(self, *, by: User) -> tuple[Token, str]:
        return make_token(by=by, **self.cleaned_data)
