"""The forms of the account page: the name, sessions, and closing the account."""

from typing import Any

from allauth.usersessions.forms import ManageUserSessionsForm
from allauth.usersessions.internal import flows
from allauth.usersessions.models import UserSession
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from registry.accounts.display_names import imitates_a_role
from registry.accounts.models import User


class NameForm(forms.ModelForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """The name that others see."""

    class Meta:
        model = User
        fields = ("name",)
        widgets = {"name": forms.TextInput({"autocomplete": "name"})}
        help_texts = {
            "name": "Others see it beside what you do in public. Without a name, they see the part of your address before the @."
        }

    def clean_name(self) -> str:
        """Refuse names that imitate a role, except of people who have one."""
        name = " ".join(self.cleaned_data["name"].split())
        if not name.isprintable():
            raise ValidationError("Remove the control characters and invisible characters from the name.")
        if imitates_a_role(name) and not self.instance.roles:
            raise ValidationError(
                "This name could be mistaken for a role of the registry, such as “administrator” or “expert”. "
                "Use your own name."
            )
        return name


class EndSessionsForm(ManageUserSessionsForm):  # type: ignore[misc]  # django-allauth has no types
    """Ends one session, or all but the current one."""

    session = forms.ModelChoiceField(queryset=UserSession.objects.none(), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["session"].queryset = UserSession.objects.filter(user=self.request.user)

    def save(self, request: HttpRequest) -> None:
        if session := self.cleaned_data["session"]:
            flows.sessions.end_sessions(request, [session])
        else:
            super().save(request)


class CloseAccountForm(forms.Form):
    """Asks for a confirmation."""

    is_meant = forms.BooleanField(
        label="Close my account. I know that I can't open it again.",
    )
