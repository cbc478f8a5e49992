"""The forms of the account page: the name, sessions, and closing the account."""

from typing import Any

from allauth.account.adapter import get_adapter
from allauth.usersessions.forms import ManageUserSessionsForm
from allauth.usersessions.internal import flows
from allauth.usersessions.models import UserSession
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from registry.accounts.display_names import imitates_a_role
from registry.accounts.models import User
from registry.accounts.sessions import sessions_of


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

    def save(self, commit: bool = True) -> User:
        """Write the name alone: a form that is late must not undo a new password, or open a closed account."""
        person: User = self.instance
        if commit:
            person.save(update_fields=["name"])
        return person


class EndSessionsForm(ManageUserSessionsForm):  # type: ignore[misc]  # django-allauth has no types
    """Ends one session, or all but the current one."""

    session = forms.ModelChoiceField(
        queryset=UserSession.objects.none(), required=False, widget=forms.HiddenInput
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["session"].queryset = UserSession.objects.filter(user=self.request.user)

    def save(self, request: HttpRequest) -> None:
        """End the sessions, and mail the person. Who ends the current session alone signs out, and gets no mail."""
        open_sessions = sessions_of(self.request.user, request.session.session_key)
        chosen = self.cleaned_data["session"]
        ended = [each for each in open_sessions if (each.row == chosen if chosen else not each.is_current)]
        if others := [each for each in ended if not each.is_current]:
            context = {"sessions": others}
            get_adapter(request).send_notification_mail("account/email/sessions_ended", request.user, context)
        flows.sessions.end_sessions(request, [each.row for each in ended])


class CloseAccountForm(forms.Form):
    """Asks for a confirmation."""

    is_meant = forms.BooleanField(
        label="Close my account. I know that I can't open it again.",
    )
