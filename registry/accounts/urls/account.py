"""URLs of the account pages: those of django-allauth, except for the pages that are replaced or not used."""

from allauth.account.urls import urlpatterns as allauth_urlpatterns
from allauth.account.views import email
from django.urls import path, re_path

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.views.confirm_email import ConfirmEmailView

# No one signs in with a code, and pages that need the password again ask for it themselves (`recent_sign_in`).
NOT_USED = {"account_confirm_login_code", "account_reauthenticate"}
OWN_PAGES = [
    path("email/", recent_sign_in_required(ACCOUNT_CHANGES)(email), name="account_email"),
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", ConfirmEmailView.as_view(), name="account_confirm_email"),
]
LEFT_OUT = NOT_USED | {each.name for each in OWN_PAGES}
urlpatterns = [*OWN_PAGES, *(each for each in allauth_urlpatterns if each.name not in LEFT_OUT)]
