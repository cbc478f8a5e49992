"""Forms to grant and withdraw roles, and a field for an account."""

from django import forms

from registry.accounts.models import RoleName, User
from registry.accounts.services.roles import grant_role, withdraw_role

MAX_REASON = 2_000


class AccountField(forms.EmailField):
    """A field for the e-mail address of an account; its value is the account."""

    default_error_messages = {"no_account": "No suitable account has the address “%(address)s”."}

    def clean(self, value: str) -> User:
        address = super().clean(value)
        person = User.objects.with_address(address)
        if person is None:
            message = self.error_messages["no_account"]
            raise forms.ValidationError(message, code="no_account", params={"address": address})
        return person


def reason_field(help_text: str, *, required: bool = True) -> forms.CharField:
    widget = forms.Textarea({"rows": 4})
    return forms.CharField(
        label="Reason", help_text=help_text, widget=widget, max_length=MAX_REASON, required=required
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
