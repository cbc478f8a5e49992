"""Forms that grant and withdraw roles."""

from django import forms

from registry.accounts.forms.fields import AccountField, reason_field
from registry.accounts.models import RoleName, User
from registry.accounts.services.roles import grant_role, withdraw_role


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
