"""Effects of a new password, for settings.AUTH_PASSWORD_VALIDATORS."""

from registry.accounts.models import User
from registry.accounts.services.tokens import revoke_all_tokens


class NewPasswordRevokesTokens:
    """Revokes the tokens of the account.

    Django calls `password_changed` whenever an account is saved with a new password: by its owner, after a reset, or
    by `manage.py changepassword`. Django itself ends the sessions, except the one in which the password was changed.
    """

    def validate(self, password: str, user: User | None = None) -> None:
        """Accept every password."""

    def get_help_text(self) -> str:
        return "A new password revokes all your API tokens."

    def password_changed(self, password: str, user: User | None = None) -> None:
        if user is not None:
            revoke_all_tokens(user, by=user, reason="The password was changed.")
