"""Adapter for sign-in with other providers: its messages."""

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter


class ExternalSignInAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # django-allauth has no types
    """The adapter of sign-in with other providers (settings.SOCIALACCOUNT_ADAPTER)."""

    error_messages = DefaultSocialAccountAdapter.error_messages | {
        "connected_other": "This sign-in belongs to another account.",
        "disconnect_last": "This is the only way to sign in to your account.",
        "email_taken": "An account has this address. Sign in to it, then connect %s on its page.",
        "invalid_token": "The provider sent an invalid answer. Try again.",
        "no_password": "Set a password first: this is the only way to sign in to your account.",  # nosec B105  # a message
        "no_verified_email": "Confirm an address first: this is the only way to sign in to your account.",
    }
