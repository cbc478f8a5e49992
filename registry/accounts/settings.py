"""Settings of accounts and sign-in (django-allauth); `registry/settings.py` takes them over."""

from typing import Any

from registry.accounts.sign_in_providers import read_providers
from registry.environment import read

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "registry.accounts.passwords.NewPasswordRevokesTokens"},
]
ACCOUNT_ADAPTER = "registry.accounts.adapter.AccountAdapter"
# Sign-in attempts are counted by client address. Without this setting, that is the address of the proxy.
ALLAUTH_TRUSTED_PROXY_COUNT: int = read("TRUSTED_PROXY_COUNT")
ALLAUTH_TRUSTED_CLIENT_IP_HEADER: str | None = read("CLIENT_ADDRESS_HEADER") or None
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
# Accounts of the demonstration are created with confirmed addresses; a newcomer finds the link in its mailbox (devserver.mailbox).
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# The link in the mail also signs in, but only in the browser in which the person signed up.
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
# A change of password or address is mailed to the address that the account had before.
ACCOUNT_EMAIL_NOTIFICATIONS = True
# Wrong passwords count for the client's address alone: counted for the account, they would lock out its owner.
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip,300/h/ip",
    "wrong_password": "10/m/ip,60/h/ip",  # nosec B105  # a rate
    # Wrong codes and passkeys.
    "login_failed": "10/m/ip,60/h/ip",
    "signup": "20/m/ip,60/h/ip",
    "reset_password": "20/m/ip,60/h/ip",  # nosec B105  # a rate
    "reauthenticate": "10/m/user,30/h/user",
    "change_password": "5/m/user,20/h/user",  # nosec B105  # a rate
    # Mails to one address that anyone can trigger; further ones are not sent.
    "unrequested_mail": "6/h/key",
    # The pages say how long.
    "confirm_email": "1/3m/key",
    # Codes that are tried for one account, after its password.
    "second_factor": "30/h/key",
}
ACCOUNT_FORMS = {
    "login": "registry.accounts.forms.SignInForm",
    "signup": "registry.accounts.forms.SignUpForm",
    "add_email": "registry.accounts.forms.AddAddressForm",
    "change_password": "registry.accounts.forms.ChangePasswordForm",  # nosec B105  # a class
    "reset_password": "registry.accounts.forms.RequestPasswordForm",  # nosec B105  # a class
    "reset_password_from_key": "registry.accounts.forms.NewPasswordForm",  # nosec B105  # a class
}
# Whether roles that decide need a second factor, and from when (registry.accounts.second_factors.policy).
REQUIRE_SECOND_FACTOR: bool = read("REQUIRE_SECOND_FACTOR")
SECOND_FACTOR_DAYS: int = read("SECOND_FACTOR_DAYS")
# Passkeys, authenticator apps and recovery codes, for everyone.
MFA_ADAPTER = "registry.accounts.adapter.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Registry of URN namespaces"
# A code is accepted for 30 seconds longer, for clocks that are slow and people who type slowly.
MFA_TOTP_TOLERANCE = 1
# Nothing can be guessed here; many people can share an address.
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}
MFA_FORMS = {
    "authenticate": "registry.accounts.second_factors.views.CodeForm",
    "authenticate_webauthn": "registry.accounts.second_factors.passkeys.SecondPasskeyForm",
    "login_webauthn": "registry.accounts.second_factors.passkeys.SignInPasskeyForm",
    "add_webauthn": "registry.accounts.second_factors.passkeys.AddPasskeyForm",
    "activate_totp": "registry.accounts.second_factors.views.ActivateAppForm",
}
# Sign-in with other providers. An address never leads to an existing account.
SOCIALACCOUNT_ADAPTER = "registry.accounts.external_sign_in.ExternalSignInAdapter"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
SOCIALACCOUNT_FORMS = {
    "signup": "registry.accounts.forms.ExternalSignUpForm",
}
SIGN_IN_PROVIDERS: list[dict[str, Any]] = read_providers(read("SIGN_IN_PROVIDERS"))
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "provider_class": "registry.accounts.external_sign_in.OpenIDProvider",
        "APPS": SIGN_IN_PROVIDERS,
    }
}
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
