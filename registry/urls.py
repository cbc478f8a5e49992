"""Every address of the registry. A view is closed unless it says @login_not_required."""

from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
]
