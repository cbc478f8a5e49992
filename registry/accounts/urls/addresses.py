"""URLs of pages that replace those of django-allauth; they come before `allauth.account.urls`."""

from allauth.account.views import email
from django.urls import path, re_path

from registry.accounts.recent_sign_in import ACCOUNT_CHANGES, recent_sign_in_required
from registry.accounts.views.confirm_email import ConfirmEmailView

urlpatterns = [
    path("email/", recent_sign_in_required(ACCOUNT_CHANGES)(email), name="account_email"),
    re_path(r"^confirm-email/(?P<key>[-:\w]+)/$", ConfirmEmailView.as_view(), name="account_confirm_email"),
]
