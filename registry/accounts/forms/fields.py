"""Form fields that several apps use: an account, and a reason."""

from django import forms

from registry.accounts.models import User
from registry.core.text_limits import MAX_REASON_LENGTH


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


def reason_field(help_text: str, *, required: bool = True) -> forms.CharField:
    widget = forms.Textarea({"rows": 4})
    return forms.CharField(
        label="Reason", help_text=help_text, widget=widget, max_length=MAX_REASON_LENGTH, required=required
    )
