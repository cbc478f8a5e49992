"""The forms of the account, of roles and of tokens, and form fields that several apps use: an account, and a reason."""

from typing import Any

from allauth.account import forms as allauth_forms
from allauth.account.adapter import get_adapter
from allauth.socialaccount import forms as allauth_external_forms
from allauth.usersessions.forms import ManageUserSessionsForm
from allauth.usersessions.internal import flows
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import (
    get_default_password_validators,
    password_validators_help_text_html,
)
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.functional import lazy

from registry.accounts.display_names import imitates_a_role, name_is_chosen
from registry.accounts.models import RoleName, Scope, Token, User
from registry.accounts.passwords import NewPasswordRevokesTokens
from registry.accounts.roles import grant_role, withdraw_role
from registry.accounts.sessions import sessions_of
from registry.accounts.tokens import DEFAULT_DAYS, MOST_DAYS, make_token, most_requests
from registry.core.exceptions import RegistryError
from registry.core.names import check_name
from registry.core.new_secrets import WithSecret
from registry.core.validators import MAX_NAME_LENGTH, MAX_REASON_LENGTH, MAX_TOKEN_NAME_LENGTH
from registry.mail.preferences import choose, deliveries_of


class AccountField(forms.EmailField):
    """A field for the e-mail address of an account; its value is the account."""

    default_error_messages = {
        "no_account": "No account with a confirmed address has the address “%(address)s”."
    }

    def clean(self, value: str) -> User:
        address = super().clean(value)
        person = User.objects.with_address(address)
        if person is None:
            message = self.error_messages["no_account"]
            raise forms.ValidationError(message, code="no_account", params={"address": address})
        return person


class OptionalAccountField(forms.EmailField):
    """An AccountField that can be empty; its value is then None."""

    def clean(self, value: str) -> User | None:
        address = super().clean(value)
        return AccountField().clean(address) if address else None


def reason_field(help_text: str) -> forms.CharField:
    widget = forms.Textarea({"rows": 4})
    return forms.CharField(label="Reason", help_text=help_text, widget=widget, max_length=MAX_REASON_LENGTH)


# By the label of django-allauth.
LABELS = {
    "Email": "E-mail address",
    "Current Password": "Current password",
    "New Password": "New password",
    "New Password (again)": "New password (again)",
}


class SiteLabels(forms.Form):
    """Sets the labels, and removes the placeholders, which repeat them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.label = LABELS.get(str(field.label), field.label)
            field.widget.attrs.pop("placeholder", None)


class SignInForm(SiteLabels, allauth_forms.LoginForm):  # type: ignore[misc]  # django-allauth has no types
    """The sign-in form."""


class SignUpForm(SiteLabels, allauth_forms.SignupForm):  # type: ignore[misc]
    """The sign-up form. It takes as long for an address that already has an account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["password1"].help_text = password_validators_help_text_html(
            [
                each
                for each in get_default_password_validators()
                if not isinstance(each, NewPasswordRevokesTokens)
            ]
        )

    def try_save(self, request: HttpRequest) -> Any:
        if self.account_already_exists:
            # The response is that of a new account, for which most of the time is spent on this.
            make_password(self.cleaned_data["password1"])
        return super().try_save(request)


class ExternalSignUpForm(SiteLabels, allauth_external_forms.SignupForm):  # type: ignore[misc]
    """The form that asks for an address that the provider did not state."""


class AddAddressForm(SiteLabels, allauth_forms.AddEmailForm):  # type: ignore[misc]
    """The form that adds an address."""


class ChangePasswordForm(SiteLabels, allauth_forms.ChangePasswordForm):  # type: ignore[misc]
    """The form that changes the password."""


class RequestPasswordForm(SiteLabels, allauth_forms.ResetPasswordForm):  # type: ignore[misc]
    """The form that requests a link for a new password."""


class NewPasswordForm(SiteLabels, allauth_forms.ResetPasswordKeyForm):  # type: ignore[misc]
    """The form that sets a new password with the link."""


def clean_name(name: str) -> str:
    """The value of a field for a name that others see (`registry.core.names`). Raises ValidationError."""
    try:
        return check_name(name, "the name", longest=MAX_NAME_LENGTH)
    except RegistryError as refusal:
        raise ValidationError(str(refusal)) from refusal


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
        """Refuse names that imitate a role, except of people who have one, and names of organisations of others."""
        name: str = self.cleaned_data["name"]
        if not name or name == self.initial["name"]:
            return name
        name = clean_name(name)
        if imitates_a_role(name) and not self.instance.roles:
            raise ValidationError(
                "This name could be mistaken for a role of the registry, such as “administrator” or “expert”. "
                "Use your own name."
            )
        try:
            name_is_chosen.send(User, person=self.instance, name=name)
        except RegistryError as refusal:
            raise ValidationError(str(refusal)) from refusal
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


class GrantRoleForm(forms.Form):
    user = AccountField(
        label="E-mail address of the account",
        help_text="The person must have an account.",
        widget=forms.EmailInput({"autocomplete": "off"}),
    )
    role = forms.TypedChoiceField(
        label="Role", choices=RoleName.choices, coerce=RoleName, widget=forms.RadioSelect
    )
    reason = reason_field("The reason is recorded in the audit log.")

    def grant(self, *, by: User) -> str:
        """Grant the role and return the success message."""
        role = grant_role(by=by, **self.cleaned_data)
        return f"{role.user} now has the role “{role.get_name_display()}”."


class WithdrawRoleForm(forms.Form):
    reason = reason_field("The reason is recorded in the audit log.")

    def withdraw(self, user: User, role: RoleName, *, by: User) -> str:
        withdraw_role(user, role, by=by, **self.cleaned_data)
        return f"{user} no longer has the role “{role.label}”."


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

    def create(self, *, by: User) -> WithSecret[Token]:
        return make_token(by=by, **self.cleaned_data)


class NotificationsForm(forms.Form):
    """A choice for each kind of mail that the person can get."""

    def __init__(self, data: object = None, *, person: User) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.person = person
        for kind, delivery in deliveries_of(person).items():
            self.fields[kind.name] = forms.ChoiceField(
                label=kind.label, help_text=kind.description, choices=kind.choices, initial=delivery.value
            )

    def save(self) -> None:
        choose(self.person, self.cleaned_data)
